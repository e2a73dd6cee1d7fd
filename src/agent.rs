//! [`Agent`]: the stateful shell around the loop for Rust front ends.
//!
//! A cheap handle that can be cloned; nothing is spawned: a run goes on while its future is polled. Dropping the
//! future of a run ends it (the transcript keeps what was complete).

mod builder;
mod run;
mod state;

use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

pub use builder::AgentBuilder;

use crate::abort::Abort;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::native::{
    system, AgentMessage, Bounds, Config, EventQueues, Events, Hooks, Limits, Listener, Listeners, Registered,
    StreamFn, Subscription, Tool,
};
use crate::profile::Profile;
use crate::queue::{MessageQueue, QueueMode};
use crate::slot::Slot;
use run::Start;
use state::State;

/// A conversation with a model that may use tools.
#[derive(Clone)]
pub struct Agent(Rc<Inner>);

struct Inner {
    config: Slot<Config>,
    state: State,
    steering: MessageQueue<Rc<AgentMessage>>,
    follow_ups: MessageQueue<Rc<AgentMessage>>,
    listeners: Rc<Listeners>,
    streams: EventQueues,
    /// The run in progress.
    active: Slot<Option<Abort>>,
    idle: Slot<Vec<Waker>>,
}

impl Agent {
    /// Begin to describe an agent.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    /// Ask with a text; resolves when the run is over, whatever came of it: look at
    /// [`Agent::error_message`] or at the last message.
    ///
    /// # Errors
    /// Misuse: a run is in progress. And what a listener fails with while it is told that the run failed.
    pub async fn prompt(&self, text: impl Into<String>) -> Result<(), Error> {
        let mut message = AgentMessage::user(text);
        if let AgentMessage::User(user) = &mut message {
            user.timestamp = (self.0.config.get().now)();
        }
        self.prompt_with(vec![Rc::new(message)]).await
    }

    /// Ask with messages.
    ///
    /// # Errors
    /// As [`Agent::prompt`].
    pub async fn prompt_with(&self, messages: Vec<Rc<AgentMessage>>) -> Result<(), Error> {
        self.idle(
            "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
        )?;
        self.run(Start::Prompts(messages)).await
    }

    /// Go on from the transcript as it is, for instance after an error. After an answer, queued steering or follow-up
    /// messages become the prompt.
    ///
    /// # Errors
    /// As [`Agent::prompt`]; and misuse: there is nothing to go on from.
    pub async fn continue_run(&self) -> Result<(), Error> {
        self.idle("Agent is already processing. Wait for completion before continuing.")?;
        let nothing = |text: &str| Error::new(ErrorKind::NothingToContinue, text);
        let messages = self.messages();
        let last = messages.last().filter(|_| messages.iter().any(|message| message.role() != "system"));
        let start = match last.ok_or_else(|| nothing("No messages to continue from"))?.role() {
            "assistant" => {
                self.0.take_queued().ok_or_else(|| nothing("Cannot continue from message role: assistant"))?
            }
            _ => Start::Transcript,
        };
        self.run(start).await
    }

    /// Queue a message that enters the run after the current turn.
    pub fn steer(&self, message: Rc<AgentMessage>) {
        self.0.steering.enqueue(message);
    }

    /// Queue a message that enters when the run would end.
    pub fn follow_up(&self, message: Rc<AgentMessage>) {
        self.0.follow_ups.enqueue(message);
    }

    /// Forget queued steering messages.
    pub fn clear_steering_queue(&self) {
        drop(self.0.steering.clear());
    }

    /// Forget queued follow-ups.
    pub fn clear_follow_up_queue(&self) {
        drop(self.0.follow_ups.clear());
    }

    /// Forget all queued messages.
    pub fn clear_queues(&self) {
        self.clear_steering_queue();
        self.clear_follow_up_queue();
    }

    /// Whether messages are queued.
    pub fn has_queued_messages(&self) -> bool {
        self.0.steering.has_items() || self.0.follow_ups.has_items()
    }

    /// All queued messages: steering, then follow-ups.
    pub fn queued_messages(&self) -> (Vec<Rc<AgentMessage>>, Vec<Rc<AgentMessage>>) {
        (self.0.steering.items(), self.0.follow_ups.items())
    }

    /// The messages that the next drain point would take.
    pub fn peek_queued_messages(&self) -> Vec<Rc<AgentMessage>> {
        let steering = self.0.steering.peek();
        if steering.is_empty() {
            self.0.follow_ups.peek()
        } else {
            steering
        }
    }

    /// How steering messages are drained.
    pub fn steering_mode(&self) -> QueueMode {
        self.0.steering.mode()
    }

    /// Change how steering messages are drained, from the next drain point on.
    pub fn set_steering_mode(&self, mode: QueueMode) {
        self.0.steering.set_mode(mode);
    }

    /// How follow-ups are drained.
    pub fn follow_up_mode(&self) -> QueueMode {
        self.0.follow_ups.mode()
    }

    /// Change how follow-ups are drained, from the next drain point on.
    pub fn set_follow_up_mode(&self, mode: QueueMode) {
        self.0.follow_ups.set_mode(mode);
    }

    /// Stop the run in progress, if any. The run ends in order, with a message that says `aborted`.
    pub fn abort(&self) {
        if let Some(abort) = self.run_abort() {
            abort.abort("aborted");
        }
    }

    /// The abort of the run in progress.
    pub fn run_abort(&self) -> Option<Abort> {
        self.0.active.get()
    }

    /// Whether a run is in progress, listeners of `agent_end` included.
    pub fn is_running(&self) -> bool {
        self.0.active.get().is_some()
    }

    /// Resolves when no run is in progress. Awaiting it inside a listener waits for ever: the run waits for the
    /// listener.
    pub async fn wait_for_idle(&self) {
        poll_fn(|cx| {
            if !self.is_running() {
                return Poll::Ready(());
            }
            self.0.idle.remember(cx.waker());
            Poll::Pending
        })
        .await;
    }

    /// Start a new conversation with the same prompt and tools.
    ///
    /// # Errors
    /// Misuse: a run is in progress.
    pub fn reset(&self) -> Result<(), Error> {
        self.idle("Agent is already processing. Wait for completion before resetting.")?;
        let kept = match system::baseline(&self.messages()) {
            Some(base) if self.profile().has(Profile::RESET_KEEPS_BASELINE) => {
                vec![Rc::new(AgentMessage::System(base))]
            }
            _ => Vec::new(),
        };
        self.set_messages(kept);
        self.0.state.rest();
        drop(self.0.state.error_message.take());
        self.clear_queues();
        Ok(())
    }

    /// Be told about every event, in order; the run waits for what the listener gives back.
    pub fn subscribe(&self, listener: impl Listener + 'static) -> Subscription {
        self.0.listeners.add(Rc::new(listener))
    }

    /// Every event from now on as a `Stream`, which can neither hold up nor break a run.
    pub fn events(&self) -> Events {
        self.0.streams.open()
    }

    /// The transcript.
    pub fn messages(&self) -> Vec<Rc<AgentMessage>> {
        self.0.state.messages.get()
    }

    /// Replace the transcript. A run in progress goes on with its own, and adds what comes to this one.
    pub fn set_messages(&self, messages: Vec<Rc<AgentMessage>>) {
        drop(self.0.state.messages.replace(messages));
    }

    /// The system prompt that all system messages come to.
    pub fn system_prompt(&self) -> String {
        if self.profile().has(Profile::SYSTEM_PROMPT_ASSIGNABLE) {
            return self.0.state.system_prompt.get().to_string();
        }
        system::prompt(&self.messages())
    }

    /// Replace the system prompt of the next run, in profiles that keep it outside the transcript.
    ///
    /// # Errors
    /// Misuse in other profiles: there, a system message among the messages changes the prompt.
    pub fn set_system_prompt(&self, prompt: &str) -> Result<(), Error> {
        if !self.profile().has(Profile::SYSTEM_PROMPT_ASSIGNABLE) {
            return Err(Error::new(ErrorKind::Unsupported, "the system prompt is changed by a system message"));
        }
        drop(self.0.state.system_prompt.replace(prompt.into()));
        Ok(())
    }

    /// The tools of the next run.
    pub fn tools(&self) -> Vec<Rc<dyn Tool>> {
        self.0.state.tools.get().into_iter().map(|entry| entry.tool).collect()
    }

    /// Replace the tools; the model is told before the next request. A run in progress keeps its own.
    ///
    /// # Errors
    /// A tool whose parameters are no JSON Schema; nothing is replaced then.
    pub fn set_tools(&self, tools: Vec<Rc<dyn Tool>>) -> Result<(), Error> {
        let tools = Registered::all(&tools, self.profile())?;
        drop(self.0.state.tools.replace(tools));
        Ok(())
    }

    /// The model of the next run.
    pub fn model(&self) -> Rc<Model> {
        self.0.state.model.get()
    }

    /// Change the model of the next run.
    pub fn set_model(&self, model: Model) {
        drop(self.0.state.model.replace(Rc::new(model)));
    }

    /// The thinking level of the next run.
    pub fn thinking_level(&self) -> Rc<str> {
        self.0.state.thinking_level.get()
    }

    /// Change the thinking level of the next run.
    pub fn set_thinking_level(&self, level: &str) {
        drop(self.0.state.thinking_level.replace(level.into()));
    }

    /// Change who answers the requests of the next run.
    pub fn set_stream_fn(&self, stream_fn: impl StreamFn + 'static) {
        self.configure(|config| config.stream_fn = Rc::new(stream_fn));
    }

    /// Change the extension points of the next run.
    pub fn set_hooks(&self, hooks: impl Hooks + 'static) {
        self.configure(|config| config.hooks = Rc::new(hooks));
    }

    /// Whether the tool calls of an answer run one by one.
    pub fn sequential_tools(&self) -> bool {
        self.0.config.get().sequential
    }

    /// Change whether the tool calls of an answer run one by one, from the next run on.
    pub fn set_sequential_tools(&self, sequential: bool) {
        self.configure(|config| config.sequential = sequential);
    }

    /// How far a run may go.
    pub fn limits(&self) -> Limits {
        self.0.config.get().bounds.limits
    }

    /// Change how far a run may go, from the next run on.
    ///
    /// # Errors
    /// Misuse: a limit that makes no sense or needs a timer that the agent does not have; nothing is changed then.
    pub fn set_limits(&self, limits: Limits) -> Result<(), Error> {
        let Config { bounds, .. } = self.0.config.get();
        let bounds = Bounds { limits, ..bounds };
        bounds.check()?;
        self.configure(|config| config.bounds = bounds);
        Ok(())
    }

    /// Session id of the next run, for the provider's caches.
    pub fn session_id(&self) -> Option<Rc<str>> {
        self.0.config.get().session_id
    }

    /// Change the session id of the next run.
    pub fn set_session_id(&self, id: Option<&str>) {
        self.configure(|config| config.session_id = id.map(Rc::from));
    }

    /// The message that is coming in; an answer comes as [`AgentMessage::Partial`].
    pub fn streaming_message(&self) -> Option<Rc<AgentMessage>> {
        self.0.state.streaming.get()
    }

    /// Ids of the calls that run now.
    pub fn pending_tool_calls(&self) -> Vec<String> {
        self.0.state.pending_calls.get()
    }

    /// What the last answer that failed or was aborted said; cleared by the next run.
    pub fn error_message(&self) -> Option<String> {
        self.0.state.error_message.get()
    }

    fn profile(&self) -> Profile {
        self.0.config.get().profile
    }

    fn configure(&self, change: impl FnOnce(&mut Config)) {
        let mut config = self.0.config.get();
        change(&mut config);
        drop(self.0.config.replace(config));
    }

    fn idle(&self, otherwise: &str) -> Result<(), Error> {
        if self.is_running() {
            return Err(Error::new(ErrorKind::Busy, otherwise));
        }
        Ok(())
    }
}
