//! What a run works on, and what surrounds it.

use std::rc::Rc;

use futures::future::{ready, LocalBoxFuture};
use steersman_wire::schema::{self, Options, Patterns, Schema};

use super::event::AgentEvent;
use super::hooks::{Hook, Hooks};
use super::limits::Bounds;
use super::message::AgentMessage;
use super::stream_fn::StreamFn;
use super::tool::Tool;
use crate::error::Error;
use crate::profile::Profile;
use crate::slot::Slot;

/// A live list of messages.
pub(crate) type List = Rc<Slot<Vec<Rc<AgentMessage>>>>;

/// Messages and tools of a run.
pub(crate) struct Context {
    pub messages: List,
    pub tools: Slot<Vec<Registered>>,
    /// Sent beside the messages, in profiles without system messages.
    pub system_prompt: Slot<Rc<str>>,
}

impl Context {
    pub fn new(messages: List, tools: Vec<Registered>, system_prompt: Rc<str>) -> Self {
        Context { messages, tools: Slot::new(tools), system_prompt: Slot::new(system_prompt) }
    }

    /// Replace the last message.
    pub fn put_last(&self, message: Rc<AgentMessage>) {
        let last = self.messages.len().saturating_sub(1);
        drop(self.messages.put(last, message));
    }
}

/// A tool with its compiled schema.
#[derive(Clone)]
pub(crate) struct Registered {
    pub tool: Rc<dyn Tool>,
    pub schema: Rc<Schema>,
}

impl Registered {
    /// # Errors
    /// The tool's parameters are no schema.
    pub fn new(tool: Rc<dyn Tool>, profile: Profile) -> Result<Self, Error> {
        let rules = if profile.has(Profile::OLD_COERCION) { schema::Profile::V0_85 } else { schema::Profile::V1_6 };
        let declaration = tool.declaration();
        let schema = Schema::compile(&declaration.parameters, &Options { profile: rules, ..Options::default() })
            .map_err(|error| Error::from(["tool ", &declaration.name, ": ", &error.to_string()].concat()))?;
        Ok(Registered { schema: Rc::new(schema), tool })
    }

    /// # Errors
    /// As [`Registered::new`], for the first such tool.
    pub fn all(tools: &[Rc<dyn Tool>], profile: Profile) -> Result<Vec<Self>, Error> {
        tools.iter().map(|tool| Registered::new(tool.clone(), profile)).collect()
    }
}

/// What surrounds a run: who hears its events, and where messages come from while it goes on. An
/// [`Agent`](crate::agent::Agent) is one; give your own to a [`Loop`](super::Loop).
pub trait Shell {
    /// An event; the run waits for the future. An error fails the run.
    fn deliver(&self, event: AgentEvent) -> LocalBoxFuture<'_, Result<(), Error>>;

    /// Messages that enter before the next turn; asked before the first turn and after each.
    fn steering(&self) -> Hook<'_, Vec<Rc<AgentMessage>>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    /// Whether [`Shell::steering`] would give something, so that the rest of a sequential batch is skipped for it.
    fn steering_waits(&self) -> bool {
        false
    }

    /// Messages that keep a run going that would end otherwise.
    fn follow_ups(&self) -> Hook<'_, Vec<Rc<AgentMessage>>> {
        Box::pin(ready(Ok(Vec::new())))
    }
}

/// What an agent gives every run.
#[derive(Clone)]
pub(crate) struct Config {
    pub hooks: Rc<dyn Hooks>,
    pub stream_fn: Rc<dyn StreamFn>,
    pub patterns: Rc<dyn Patterns>,
    /// Milliseconds since 1970.
    pub now: Rc<dyn Fn() -> f64>,
    pub sequential: bool,
    /// Steering skips what is left of a sequential batch.
    pub tool_boundary: bool,
    /// Used when the hook gives no key.
    pub api_key: Option<Rc<str>>,
    pub session_id: Option<Rc<str>>,
    pub bounds: Bounds,
    pub profile: Profile,
}
