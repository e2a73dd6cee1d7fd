//! [`Hooks`]: where an application may change a run. Every method has a default that changes nothing.
//!
//! Failing is allowed everywhere; what it does is written at the method. A hook gets handles and may keep them.

use std::rc::Rc;

use futures::future::{ready, LocalBoxFuture};
use steersman_wire::json::Value;

use super::context::{Context, List};
use super::message::{AgentMessage, Content, ToolCall, Usage};
use super::tool::ToolOutput;
use crate::abort::Abort;
use crate::error::Error;
use crate::host::Decision;
use crate::model::Model;
use crate::slot::Slot;

/// What a hook gives back.
pub type Hook<'a, T> = LocalBoxFuture<'a, Result<T, Error>>;

fn say<'a, T: 'a>(value: T) -> Hook<'a, T> {
    Box::pin(ready(Ok(value)))
}

/// Extension points of a run, in the order in which a turn reaches them. An error fails the run (a message with the
/// error, and all closing events) unless the method says otherwise.
pub trait Hooks {
    /// Before a turn that is not the first: replace context, model or thinking level, or add messages.
    fn prepare_next_turn<'a>(&'a self, _turn: TurnFacts, _abort: &'a Abort) -> Hook<'a, NextTurn> {
        say(NextTurn::default())
    }

    /// Right before every request, when pending messages are in. `messages` of the answer are ignored.
    fn prepare_request<'a>(&'a self, _state: RequestState, _abort: &'a Abort) -> Hook<'a, NextTurn> {
        say(NextTurn::default())
    }

    /// Replace the messages of this one request (prune, inject).
    fn transform_context<'a>(
        &'a self,
        messages: Vec<Rc<AgentMessage>>,
        _abort: &'a Abort,
    ) -> Hook<'a, Vec<Rc<AgentMessage>>> {
        say(messages)
    }

    /// Turn custom messages into messages of the model. The default leaves them out.
    fn convert_to_llm<'a>(&'a self, messages: Vec<Rc<AgentMessage>>) -> Hook<'a, Vec<Rc<AgentMessage>>> {
        say(messages.into_iter().filter(|message| !matches!(**message, AgentMessage::Custom(_))).collect())
    }

    /// Key for a provider, asked before every request.
    fn api_key<'a>(&'a self, _provider: &'a str) -> Hook<'a, Option<String>> {
        say(None)
    }

    /// Before a tool runs, arguments validated. `None`: proceed. An error refuses the call, and so does an abort while
    /// the hook was working.
    fn before_tool_call<'a>(&'a self, _call: &'a ToolCallFacts, _abort: &'a Abort) -> Hook<'a, Option<BeforeToolCall>> {
        say(None)
    }

    /// After a tool ran. An error becomes the call's error result.
    fn after_tool_call<'a>(
        &'a self,
        _call: &'a ToolCallFacts,
        _result: ToolResultFacts,
        _abort: &'a Abort,
    ) -> Hook<'a, Option<AfterToolCall>> {
        say(None)
    }

    /// When a turn is complete, before `turn_end`; also on failed turns, where the answer is ignored.
    fn finish_turn<'a>(&'a self, _turn: TurnFacts, _abort: &'a Abort) -> Hook<'a, Decision> {
        say(Decision::Normal)
    }

    /// After `turn_end`: whether to end the run here.
    fn should_stop_after_turn<'a>(&'a self, _turn: TurnFacts, _abort: &'a Abort) -> Hook<'a, bool> {
        say(false)
    }
}

/// No hooks.
pub struct NoHooks;

impl Hooks for NoHooks {}

/// A completed turn.
#[derive(Clone)]
pub struct TurnFacts {
    /// The answer.
    pub message: Rc<AgentMessage>,
    /// Its tool results.
    pub tool_results: Vec<Rc<AgentMessage>>,
    /// Messages of the context.
    pub context: Vec<Rc<AgentMessage>>,
    /// Messages that the run returns if it ends here.
    pub new_messages: Vec<Rc<AgentMessage>>,
}

impl TurnFacts {
    pub(crate) fn new(message: &Rc<AgentMessage>, results: &List, context: &Context, added: &List) -> Self {
        TurnFacts {
            message: message.clone(),
            tool_results: results.get(),
            context: context.messages.get(),
            new_messages: added.get(),
        }
    }
}

/// What the next request will be made of.
#[derive(Clone)]
pub struct RequestState {
    /// Messages of the context.
    pub messages: Vec<Rc<AgentMessage>>,
    /// Model.
    pub model: Rc<Model>,
    /// Thinking level.
    pub thinking_level: Rc<str>,
}

/// What to change for the next request and all later ones of the run; the default changes nothing.
#[derive(Clone, Default)]
pub struct NextTurn {
    /// Replace the messages of the context.
    pub context: Option<Vec<Rc<AgentMessage>>>,
    /// Replace the tools.
    pub tools: Option<Vec<Rc<dyn super::tool::Tool>>>,
    /// Replace the system prompt, in profiles that send it beside the messages.
    pub system_prompt: Option<Rc<str>>,
    /// Append these, with events, before the request (only `prepare_next_turn`).
    pub messages: Vec<Rc<AgentMessage>>,
    /// Ask another model.
    pub model: Option<Rc<Model>>,
    /// Think more or less.
    pub thinking_level: Option<Rc<str>>,
}

/// Validated arguments of a call, which hooks and the tool share.
pub(crate) struct Arguments {
    pub value: Slot<Value>,
    /// A limit or an approval kept the tool from running.
    pub refused: Slot<bool>,
}

/// A call that is about to run or has run.
pub struct ToolCallFacts {
    /// The answer with the call.
    pub message: Rc<AgentMessage>,
    /// The call, arguments as the model gave them.
    pub call: Rc<ToolCall>,
    /// Messages of the context.
    pub context: Vec<Rc<AgentMessage>>,
    pub(crate) args: Rc<Arguments>,
}

impl ToolCallFacts {
    /// The validated arguments.
    pub fn args(&self) -> Value {
        self.args.value.get()
    }

    /// Change what the tool gets; not validated again.
    pub fn set_args(&self, args: Value) {
        drop(self.args.value.replace(args));
    }
}

/// What a tool gave.
#[derive(Clone)]
pub struct ToolResultFacts {
    /// Its output.
    pub output: Rc<ToolOutput>,
    /// Whether it counts as failed.
    pub is_error: bool,
}

/// What `before_tool_call` decides.
#[derive(Clone, Default)]
pub struct BeforeToolCall {
    /// Refuse the call.
    pub block: bool,
    /// Text of the error result.
    pub reason: Option<String>,
    /// The refusal takes part in the terminate rule.
    pub terminate: bool,
}

/// What `after_tool_call` changes; `None` keeps.
#[derive(Clone, Default)]
pub struct AfterToolCall {
    /// Replace the content.
    pub content: Option<Vec<Content>>,
    /// Replace the details.
    pub details: Option<Value>,
    /// Replace the structured content. It is dropped when only `content` is replaced, since it may no longer match.
    pub structured_content: Option<Value>,
    /// Replace the error flag.
    pub is_error: Option<bool>,
    /// Replace the usage.
    pub usage: Option<Usage>,
    /// Replace the wish to end.
    pub terminate: Option<bool>,
}
