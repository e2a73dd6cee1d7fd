//! [`AgentBuilder`]: what an agent, or a loop without one, is made of.

use std::future::Future;
use std::rc::Rc;

use steersman_wire::schema::Patterns;

use super::state::State;
use super::{Agent, Inner};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::native::{
    AgentMessage, Bounds, Config, Context, Hooks, Limits, Loop, NoHooks, Registered, StreamFn, SystemMessage, Tool,
};
use crate::profile::Profile;
use crate::queue::{MessageQueue, QueueMode};
use crate::slot::Slot;

/// What an [`Agent`] is made of; see [`Agent::builder`].
pub struct AgentBuilder {
    system_prompt: Rc<str>,
    model: Model,
    thinking_level: Rc<str>,
    messages: Vec<Rc<AgentMessage>>,
    tools: Vec<Rc<dyn Tool>>,
    stream_fn: Option<Rc<dyn StreamFn>>,
    hooks: Rc<dyn Hooks>,
    patterns: Rc<dyn Patterns>,
    now: Option<Rc<dyn Fn() -> f64>>,
    bounds: Bounds,
    sequential: bool,
    tool_boundary: bool,
    api_key: Option<Rc<str>>,
    session_id: Option<Rc<str>>,
    steering_mode: QueueMode,
    follow_up_mode: QueueMode,
    profile: Profile,
}

impl Default for AgentBuilder {
    fn default() -> Self {
        AgentBuilder {
            system_prompt: "".into(),
            model: Model::unknown(),
            thinking_level: "off".into(),
            messages: Vec::new(),
            tools: Vec::new(),
            stream_fn: None,
            hooks: Rc::new(NoHooks),
            patterns: default_patterns(),
            now: None,
            bounds: Bounds::default(),
            sequential: false,
            tool_boundary: false,
            api_key: None,
            session_id: None,
            steering_mode: QueueMode::default(),
            follow_up_mode: QueueMode::default(),
            profile: Profile::V1_6,
        }
    }
}

impl AgentBuilder {
    /// The system prompt. It becomes a system message, unless `messages` begins with one.
    #[must_use]
    pub fn system_prompt(mut self, prompt: &str) -> Self {
        self.system_prompt = prompt.into();
        self
    }

    /// The model to ask.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// `off` (the default), `minimal`, `low`, `medium`, `high`, `xhigh` or `max`.
    #[must_use]
    pub fn thinking_level(mut self, level: &str) -> Self {
        self.thinking_level = level.into();
        self
    }

    /// A conversation to go on with.
    #[must_use]
    pub fn messages(mut self, messages: Vec<Rc<AgentMessage>>) -> Self {
        self.messages = messages;
        self
    }

    /// Add a tool.
    #[must_use]
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.tool_handle(Rc::new(tool))
    }

    /// Add a tool that is shared.
    #[must_use]
    pub fn tool_handle(mut self, tool: Rc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// Who answers requests; needed.
    #[must_use]
    pub fn stream_fn(mut self, stream_fn: impl StreamFn + 'static) -> Self {
        self.stream_fn = Some(Rc::new(stream_fn));
        self
    }

    /// Extension points.
    #[must_use]
    pub fn hooks(mut self, hooks: impl Hooks + 'static) -> Self {
        self.hooks = Rc::new(hooks);
        self
    }

    /// Regular expressions for `pattern` and `format` in tool schemas. Native builds have a default; in a page it is
    /// `RegExp` (feature `web`).
    #[must_use]
    pub fn patterns(mut self, patterns: impl Patterns + 'static) -> Self {
        self.patterns = Rc::new(patterns);
        self
    }

    /// The clock for timestamps and durations: milliseconds since 1970. Without it every timestamp is 0.
    #[must_use]
    pub fn clock(mut self, now: impl Fn() -> f64 + 'static) -> Self {
        self.now = Some(Rc::new(now));
        self
    }

    /// What waits some milliseconds, for limits of time: the sleep of your executor. In a page it is there (feature
    /// `web`).
    #[must_use]
    pub fn timer<S: Future<Output = ()> + 'static>(mut self, sleep: impl Fn(f64) -> S + 'static) -> Self {
        self.bounds.timer = Some(Rc::new(move |ms| Box::pin(sleep(ms))));
        self
    }

    /// How far a run may go. Nothing is limited unless you say so.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.bounds.limits = limits;
        self
    }

    /// How long a run waits for a tool after it was aborted, in milliseconds. Then the call counts as aborted, and the
    /// tool's future is dropped. Without it as long as the tool takes; 0 does not wait at all.
    #[must_use]
    pub fn tool_abort_grace_ms(mut self, ms: u32) -> Self {
        self.bounds.tool_abort_grace_ms = Some(ms);
        self
    }

    /// Most tools of a batch that run at the same time. The others wait for their turn, in the order of the calls.
    #[must_use]
    pub fn tool_concurrency(mut self, most: usize) -> Self {
        self.bounds.tool_concurrency = Some(most);
        self
    }

    /// Run the tool calls of an answer one by one instead of together.
    #[must_use]
    pub fn sequential_tools(mut self) -> Self {
        self.sequential = true;
        self
    }

    /// Steering skips what is left of a sequential batch: those calls get a result that says so.
    #[must_use]
    pub fn steer_at_tool_boundary(mut self) -> Self {
        self.tool_boundary = true;
        self
    }

    /// Key for the provider, where the hook `api_key` gives none.
    #[must_use]
    pub fn api_key(mut self, key: &str) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Session id for the provider's caches.
    #[must_use]
    pub fn session_id(mut self, id: &str) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// How steering messages are drained.
    #[must_use]
    pub fn steering_mode(mut self, mode: QueueMode) -> Self {
        self.steering_mode = mode;
        self
    }

    /// How follow-ups are drained.
    #[must_use]
    pub fn follow_up_mode(mut self, mode: QueueMode) -> Self {
        self.follow_up_mode = mode;
        self
    }

    /// Follow the rules of another recorded version.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The agent.
    ///
    /// # Errors
    /// No stream function, a tool whose parameters are no JSON Schema, or a limit that makes no sense or needs a timer.
    pub fn build(self) -> Result<Agent, Error> {
        let config = self.config()?;
        let tools = Registered::all(&self.tools, self.profile)?;
        let mut messages = self.messages;
        let leads = matches!(messages.first().map(|message| &**message), Some(AgentMessage::System(_)));
        let says = !(self.system_prompt.is_empty() && tools.is_empty());
        if self.profile.has(Profile::SYSTEM_MESSAGES) && says && !leads {
            let tools_added = tools.iter().map(|entry| entry.tool.declaration().clone()).collect();
            let content = self.system_prompt.to_string();
            let system = SystemMessage { content, tools_added, ..SystemMessage::default() };
            messages.insert(0, Rc::new(AgentMessage::System(system)));
        }
        Ok(Agent(Rc::new(Inner {
            config: Slot::new(config),
            state: State::new(messages, tools, self.system_prompt, Rc::new(self.model), self.thinking_level),
            steering: MessageQueue::new(self.steering_mode),
            follow_ups: MessageQueue::new(self.follow_up_mode),
            listeners: Rc::default(),
            streams: Default::default(),
            active: Slot::new(None),
            idle: Slot::new(Vec::new()),
        })))
    }

    /// The loop without an agent around it. Queue modes have no effect; messages and tools are its context.
    ///
    /// # Errors
    /// As [`AgentBuilder::build`].
    pub fn build_loop(self) -> Result<Loop, Error> {
        let config = self.config()?;
        let tools = Registered::all(&self.tools, self.profile)?;
        let context = Context::new(Rc::new(Slot::new(self.messages)), tools, self.system_prompt);
        let model = Rc::new(self.model);
        Ok(Loop { config, model, thinking_level: self.thinking_level, context: Rc::new(context) })
    }

    fn config(&self) -> Result<Config, Error> {
        let none = || Error::new(ErrorKind::InvalidRequest, "an agent needs a stream function");
        let bounds = Bounds { clock: self.now.is_some(), ..self.bounds.clone() };
        bounds.check()?;
        Ok(Config {
            bounds,
            hooks: self.hooks.clone(),
            stream_fn: self.stream_fn.clone().ok_or_else(none)?,
            patterns: self.patterns.clone(),
            now: self.now.clone().unwrap_or_else(|| Rc::new(|| 0.0)),
            sequential: self.sequential,
            tool_boundary: self.tool_boundary,
            api_key: self.api_key.clone(),
            session_id: self.session_id.clone(),
            profile: self.profile,
        })
    }
}

/// Native builds have an engine for regular expressions; in wasm the front end gives the page's.
fn default_patterns() -> Rc<dyn Patterns> {
    #[cfg(not(target_family = "wasm"))]
    return Rc::new(steersman_wire::schema::NativePatterns::default());
    #[cfg(target_family = "wasm")]
    return Rc::new(NoPatterns);
}

#[cfg(target_family = "wasm")]
struct NoPatterns;

#[cfg(target_family = "wasm")]
impl Patterns for NoPatterns {
    fn is_match(&self, _pattern: &str, _text: &str) -> Option<bool> {
        None
    }
}
