//! [`Host`]: where messages, tools and callbacks live.
//!
//! The engine moves handles and asks the host to read or build the few things that policy needs. It never copies a
//! message, never looks into one, and never sees a streamed delta: in JavaScript a message *is* the object the
//! application pushed, in a Rust front end it is an `Rc`.
//!
//! Every method may fail: host code is user code (getters, proxies, callbacks). What a failure does is decided by the
//! engine and written at the method. A method must not be called while a borrow is held, because it may call back in.

#[cfg(doc)]
use std::convert::Infallible;

use crate::event::Event;
use crate::profile::Profile;

/// The world a run lives in; one value per run, shared by everything the run does.
///
/// `List` and `Context` are *live*: handles to one growing object that hooks, events and the engine share by identity.
/// Cloning any associated type clones a handle, not the thing.
#[allow(async_fn_in_trait)] // single-threaded by design; no `Send` bound is wanted
pub trait Host: Sized {
    /// Arguments of a tool call; one object that hooks and the tool share.
    type Args: Clone;
    /// Result of a tool.
    type Output: Clone;
    /// A message of the transcript, of any role, custom ones included.
    type Message: Clone;
    /// A live, growable list of messages.
    type List: Clone;
    /// A live context: messages and tools of the next request.
    type Context: Clone;
    /// An executable tool.
    type Tool: Clone;
    /// A tool-call block of an assistant message.
    type Call: Clone;
    /// What a hook says of a call that it refuses.
    type Reason;
    /// How many milliseconds a tool ran; the default when it did not run or the host does not measure it.
    type Duration: Clone + Default;
    /// Whatever user code threw; it becomes the result of a call.
    type Thrown;
    /// Why the run ends: what user code threw where the contract says that it must not. [`Infallible`] for a host that
    /// ends the run by itself, by not answering a wait and dropping it: the loop then has no code for failures.
    type Failure;

    /// The rules of the version that this run follows.
    fn profile(&self) -> Profile;

    /// Whether the run was aborted; read live, at the moment of the question.
    fn aborted(&self) -> Result<bool, Self::Failure>;

    /// Deliver an event to every listener and wait for them. An error ends the run as failed.
    async fn emit(&self, event: Event<'_, Self>) -> Result<(), Self::Failure>;

    // --- lists and contexts -------------------------------------------------------------------------------------

    /// An empty list.
    fn list(&self) -> Self::List;
    /// Number of messages in a list. A host value that is no list (a hook's answer) counts as what its host says.
    fn len(&self, list: &Self::List) -> Result<usize, Self::Failure>;
    /// The message at `index`, which is below [`Host::len`] unless user code shortened the list meanwhile.
    fn item(&self, list: &Self::List, index: usize) -> Result<Self::Message, Self::Failure>;
    /// Append to a list.
    fn push(&self, list: &Self::List, message: &Self::Message) -> Result<(), Self::Failure>;
    /// Append to the messages of a context.
    fn append(&self, context: &Self::Context, message: &Self::Message) -> Result<(), Self::Failure>;
    /// A context of its own for a run: same tools, a new list with the old messages and `more`.
    fn extended(&self, context: &Self::Context, more: &Self::List) -> Result<Self::Context, Self::Failure>;
    /// A shallow copy of a context that shares the message list.
    fn shared(&self, context: &Self::Context) -> Result<Self::Context, Self::Failure>;
    /// `prepared` then `pending`, with the tool changes since the last declaration put into a system message where
    /// the profile wants it.
    fn declared(
        &self,
        context: &Self::Context,
        prepared: Option<&Self::List>,
        pending: &Self::List,
    ) -> Result<Self::List, Self::Failure>;

    // --- one request --------------------------------------------------------------------------------------------

    /// Choose the stream function of this run; called once, after the prompts were emitted. Fails when there is none.
    fn choose_stream_fn(&self) -> Result<(), Self::Failure>;
    /// Hook `transformContext`: the context's messages, possibly replaced for this request.
    async fn transform_context(&self, context: &Self::Context) -> Result<Self::List, Self::Failure>;
    /// Hook `convertToLlm`: the messages that the provider gets.
    async fn convert_to_llm(&self, messages: &Self::List) -> Result<Self::List, Self::Failure>;
    /// Hook `getApiKey`, kept by the host for the stream call that follows.
    async fn resolve_api_key(&self) -> Result<(), Self::Failure>;
    /// Ask the model. The host streams into the context (the partial is its last message), emits `message_start`,
    /// `message_update` and `message_end`, and returns the final message.
    async fn stream(&self, context: &Self::Context, messages: &Self::List) -> Result<Self::Message, Self::Failure>;
    /// How the answer ended.
    fn outcome(&self, message: &Self::Message) -> Result<Outcome, Self::Failure>;
    /// The tool calls of an answer, in source order.
    fn tool_calls(&self, message: &Self::Message) -> Result<Vec<Self::Call>, Self::Failure>;

    // --- hooks between turns ------------------------------------------------------------------------------------

    /// Poll the steering queue; an empty list when there is nothing.
    async fn steering(&self) -> Result<Self::List, Self::Failure>;
    /// Poll the follow-up queue; an empty list when there is nothing.
    async fn follow_ups(&self) -> Result<Self::List, Self::Failure>;
    /// Hook `prepareNextTurn`. Model and thinking level of the answer are taken over by the host.
    async fn prepare_next_turn(&self, turn: &Turn<Self>) -> Result<TurnUpdate<Self>, Self::Failure>;
    /// Hook `prepareRequest`, right before a request. Model and thinking level are taken over by the host.
    async fn prepare_request(&self, context: &Self::Context) -> Result<Option<Self::Context>, Self::Failure>;
    /// Hook `finishTurn`, before `turn_end`.
    async fn finish_turn(&self, turn: &Turn<Self>) -> Result<Decision, Self::Failure>;
    /// Hook `shouldStopAfterTurn`, after `turn_end`.
    async fn should_stop(&self, turn: &Turn<Self>) -> Result<bool, Self::Failure>;

    // --- tools --------------------------------------------------------------------------------------------------

    /// Whether the run executes tool calls one by one.
    fn sequential(&self) -> Result<bool, Self::Failure>;
    /// Whether the calls that are left of a sequential batch should be skipped because steering waits for them
    /// (option `steering: "tool-boundary"`). Asked after each call.
    fn interrupted(&self) -> Result<bool, Self::Failure>;
    /// The first tool of the context that the call names.
    fn find_tool(&self, context: &Self::Context, call: &Self::Call) -> Result<Option<Self::Tool>, Self::Failure>;
    /// Whether a tool insists on sequential batches.
    fn tool_sequential(&self, tool: &Self::Tool) -> Result<bool, Self::Failure>;
    /// The call's arguments, prepared (`prepareArguments`), coerced and validated; a copy the tool may change.
    /// An error becomes the call's error result.
    async fn arguments(&self, tool: &Self::Tool, call: &Self::Call) -> Result<Self::Args, Self::Thrown>;
    /// Hook `beforeToolCall`.
    async fn before_tool_call(&self, call: &CallFacts<'_, Self>) -> Result<Before<Self>, Self::Thrown>;
    /// Run a tool to its end, updates included. The outer error ends the run (a listener of an update failed).
    async fn execute(
        &self,
        tool: &Self::Tool,
        call: &Self::Call,
        args: &Self::Args,
    ) -> Result<Executed<Self>, Self::Failure>;
    /// Whether a tool reported a failure in its result (`isError: true`).
    fn reports_error(&self, result: &Self::Output) -> Result<bool, Self::Thrown>;
    /// Hook `afterToolCall`: the result and error flag as overridden, `None` without override. An error becomes the
    /// call's error result.
    async fn after_tool_call(
        &self,
        call: &CallFacts<'_, Self>,
        result: &Self::Output,
        is_error: bool,
    ) -> Result<Option<(Self::Output, bool)>, Self::Thrown>;
    /// Whether a result asks to end the run after its batch.
    fn terminates(&self, result: &Self::Output) -> Result<bool, Self::Failure>;
    /// An error result made by the engine. `terminate` is set only when true.
    fn error_result(&self, problem: Problem<'_, Self>, terminate: bool) -> Result<Self::Output, Self::Failure>;
    /// The transcript message for a finished call.
    fn result_message(&self, done: &Finished<Self>) -> Result<Self::Message, Self::Failure>;
}

/// How an answer ended, as far as the loop's policy cares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// `stop`, `toolUse` and anything unknown: look at the content.
    Complete,
    /// `length`: the output limit cut the answer; its tool calls may be truncated.
    Truncated,
    /// `error` or `aborted`: the run ends here.
    Failed,
}

/// What `finishTurn` decided.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Decision {
    /// Normal scheduling.
    #[default]
    Normal,
    /// Make sure that one more request follows.
    Continue,
    /// End the run after `turn_end`, without polling any queue.
    End,
}

/// What `beforeToolCall` decided.
pub enum Before<H: Host> {
    /// There is no such hook.
    Absent,
    /// The tool may run.
    Proceed,
    /// The tool must not run; the call gets an error result.
    Block {
        /// Text of the error result; `None` or empty: the default text.
        reason: Option<H::Reason>,
        /// Takes part in the terminate rule of the batch.
        terminate: bool,
    },
}

/// Why the engine refuses or fails a call; the host turns it into a result.
pub enum Problem<'a, H: Host> {
    /// The run was aborted before the call ran.
    Aborted,
    /// No tool has that name.
    UnknownTool(&'a H::Call),
    /// The answer was cut by the output limit.
    Truncated(&'a H::Call),
    /// Steering came before the call's turn.
    Skipped,
    /// A hook refused the call.
    Blocked(Option<H::Reason>),
    /// Something threw.
    Thrown(&'a H::Thrown),
}

/// A completed turn, as hooks see it.
pub struct Turn<H: Host> {
    /// The assistant message.
    pub message: H::Message,
    /// Its tool results, in source order.
    pub results: H::List,
    /// The context after the turn.
    pub context: H::Context,
    /// Messages that the run returns if it ends here.
    pub new_messages: H::List,
}

/// What `prepareNextTurn` changes.
pub struct TurnUpdate<H: Host> {
    /// Replacement context.
    pub context: Option<H::Context>,
    /// Messages to append before the next request.
    pub messages: Option<H::List>,
}

/// What the tool hooks are told about a call.
pub struct CallFacts<'a, H: Host> {
    /// The context of the run.
    pub context: &'a H::Context,
    /// The assistant message with the call.
    pub message: &'a H::Message,
    /// The call.
    pub call: &'a H::Call,
    /// Its validated arguments; the object the tool gets.
    pub args: &'a H::Args,
}

/// What a tool's `execute` came to.
pub struct Executed<H: Host> {
    /// The result, or what it threw.
    pub outcome: Result<H::Output, H::Thrown>,
    /// How long the tool ran, where the host measures it.
    pub duration: H::Duration,
}

/// A finished call.
pub struct Finished<H: Host> {
    /// The call.
    pub call: H::Call,
    /// Its result.
    pub result: H::Output,
    /// Whether it failed.
    pub is_error: bool,
    /// How long the tool ran; the default when it did not.
    pub duration: H::Duration,
}
