//! [`Agent`]: the stateful shell around the loop for Rust front ends.
//!
//! A cheap handle that can be cloned; nothing is spawned: a run goes on while its future is polled. Dropping the
//! future of a run ends it (the transcript keeps what was complete).

use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures::future::LocalBoxFuture;
use steersman_wire::schema::Patterns;

use crate::abort::Abort;
use crate::agent_loop;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::host::Host;
use crate::model::Model;
use crate::native::{
    system, AgentEvent, AgentMessage, AssistantMessage, Config, Content, Context, EventQueue, EventQueues, Events,
    Hooks, List, Listener, Listeners, Live, Native, NoHooks, Registered, Shell, StopReason, StreamFn, Subscription,
    SystemMessage, Tool, Usage,
};
use crate::profile::Profile;
use crate::queue::{MessageQueue, QueueMode};
use crate::slot::Slot;

/// A conversation with a model that may use tools.
#[derive(Clone)]
pub struct Agent(Rc<Inner>);

struct Inner {
    config: Config,
    state: State,
    steering: MessageQueue<Rc<AgentMessage>>,
    follow_ups: MessageQueue<Rc<AgentMessage>>,
    listeners: Rc<Listeners>,
    streams: EventQueues,
    /// The run in progress.
    active: Slot<Option<Abort>>,
    idle: Slot<Vec<Waker>>,
}

struct State {
    messages: List,
    tools: Slot<Vec<Registered>>,
    model: Slot<Rc<Model>>,
    thinking_level: Slot<Rc<str>>,
    streaming: Slot<Option<Live>>,
    pending_calls: Slot<Vec<String>>,
    error_message: Slot<Option<String>>,
}

/// What an [`Agent`] is made of; see [`Agent::builder`].
pub struct AgentBuilder {
    system_prompt: String,
    model: Option<Model>,
    thinking_level: Rc<str>,
    messages: Vec<Rc<AgentMessage>>,
    tools: Vec<Rc<dyn Tool>>,
    stream_fn: Option<Rc<dyn StreamFn>>,
    hooks: Rc<dyn Hooks>,
    patterns: Rc<dyn Patterns>,
    now: Rc<dyn Fn() -> f64>,
    sequential: bool,
    tool_boundary: bool,
    session_id: Option<String>,
    steering_mode: QueueMode,
    follow_up_mode: QueueMode,
    profile: Profile,
}

impl AgentBuilder {
    /// The system prompt.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = prompt.into();
        self
    }

    /// The model to ask.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = Some(model);
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
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Rc::new(tool));
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

    /// Regular expressions for `pattern` in tool schemas. Native builds have a default; a page gives `RegExp`.
    #[must_use]
    pub fn patterns(mut self, patterns: impl Patterns + 'static) -> Self {
        self.patterns = Rc::new(patterns);
        self
    }

    /// The clock for timestamps: milliseconds since 1970. Without it every timestamp is 0.
    #[must_use]
    pub fn clock(mut self, now: impl Fn() -> f64 + 'static) -> Self {
        self.now = Rc::new(now);
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

    /// Session id for the provider's caches.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
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
    /// No stream function, or a tool whose parameters are no JSON Schema.
    pub fn build(self) -> Result<Agent, Error> {
        let stream_fn =
            self.stream_fn.ok_or_else(|| Error::new(ErrorKind::InvalidRequest, "an agent needs a stream function"))?;
        let tools = self.tools.into_iter().map(Registered::new).collect::<Result<Vec<_>, _>>()?;
        let mut messages = self.messages;
        let leads = matches!(messages.first().map(|message| &**message), Some(AgentMessage::System(_)));
        if !leads && !(self.system_prompt.is_empty() && tools.is_empty()) {
            let tools_added = tools.iter().map(|entry| entry.tool.declaration().clone()).collect();
            let system = SystemMessage { content: self.system_prompt, tools_added, ..SystemMessage::default() };
            messages.insert(0, Rc::new(AgentMessage::System(system)));
        }
        let config = Config {
            hooks: self.hooks,
            stream_fn,
            patterns: self.patterns,
            now: self.now,
            sequential: self.sequential,
            tool_boundary: self.tool_boundary,
            session_id: self.session_id,
            profile: self.profile,
        };
        let state = State {
            messages: Rc::new(Slot::new(messages)),
            tools: Slot::new(tools),
            model: Slot::new(Rc::new(self.model.unwrap_or_else(|| Model::openai_compatible("", "unknown")))),
            thinking_level: Slot::new(self.thinking_level),
            streaming: Slot::new(None),
            pending_calls: Slot::new(Vec::new()),
            error_message: Slot::new(None),
        };
        Ok(Agent(Rc::new(Inner {
            config,
            state,
            steering: MessageQueue::new(self.steering_mode),
            follow_ups: MessageQueue::new(self.follow_up_mode),
            listeners: Rc::default(),
            streams: EventQueues::default(),
            active: Slot::new(None),
            idle: Slot::new(Vec::new()),
        })))
    }
}

impl Agent {
    /// Begin to describe an agent.
    pub fn builder() -> AgentBuilder {
        AgentBuilder {
            system_prompt: String::new(),
            model: None,
            thinking_level: "off".into(),
            messages: Vec::new(),
            tools: Vec::new(),
            stream_fn: None,
            hooks: Rc::new(NoHooks),
            patterns: default_patterns(),
            now: Rc::new(|| 0.0),
            sequential: false,
            tool_boundary: false,
            session_id: None,
            steering_mode: QueueMode::default(),
            follow_up_mode: QueueMode::default(),
            profile: Profile::V1_6,
        }
    }

    /// Ask with a text; resolves when the run is over, whatever came of it: look at
    /// [`Agent::error_message`] or at the last message.
    ///
    /// # Errors
    /// Misuse: a run is in progress.
    pub async fn prompt(&self, text: impl Into<String>) -> Result<(), Error> {
        let mut message = AgentMessage::user(text);
        if let AgentMessage::User(user) = &mut message {
            user.timestamp = (self.0.config.now)();
        }
        self.prompt_with(vec![Rc::new(message)]).await
    }

    /// Ask with messages.
    ///
    /// # Errors
    /// As [`Agent::prompt`].
    pub async fn prompt_with(&self, messages: Vec<Rc<AgentMessage>>) -> Result<(), Error> {
        if self.is_running() {
            return Err(Error::new(
                ErrorKind::Busy,
                "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
            ));
        }
        self.run(Some(messages), false).await
    }

    /// Go on from the transcript as it is, for instance after an error. After an answer, queued steering or follow-up
    /// messages become the prompt.
    ///
    /// # Errors
    /// Misuse: a run is in progress, or there is nothing to go on from.
    pub async fn continue_run(&self) -> Result<(), Error> {
        if self.is_running() {
            return Err(Error::new(
                ErrorKind::Busy,
                "Agent is already processing. Wait for completion before continuing.",
            ));
        }
        let messages = self.messages();
        let nothing = || Error::new(ErrorKind::NothingToContinue, "No messages to continue from");
        let last =
            messages.iter().rfind(|message| message.role() != "system").and(messages.last()).ok_or_else(nothing)?;
        if last.role() != "assistant" {
            return self.run(None, false).await;
        }
        let steering = self.0.steering.drain();
        if !steering.is_empty() {
            return self.run(Some(steering), true).await;
        }
        let follow_ups = self.0.follow_ups.drain();
        if !follow_ups.is_empty() {
            return self.run(Some(follow_ups), false).await;
        }
        Err(Error::new(ErrorKind::NothingToContinue, "Cannot continue from message role: assistant"))
    }

    /// Queue a message that enters the run after the current turn.
    pub fn steer(&self, message: Rc<AgentMessage>) {
        self.0.steering.enqueue(message);
    }

    /// Queue a message that enters when the run would end.
    pub fn follow_up(&self, message: Rc<AgentMessage>) {
        self.0.follow_ups.enqueue(message);
    }

    /// Forget all queued messages.
    pub fn clear_queues(&self) {
        drop(self.0.steering.clear());
        drop(self.0.follow_ups.clear());
    }

    /// Whether messages are queued.
    pub fn has_queued_messages(&self) -> bool {
        self.0.steering.has_items() || self.0.follow_ups.has_items()
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

    /// Change how queues are drained.
    pub fn set_queue_modes(&self, steering: QueueMode, follow_ups: QueueMode) {
        self.0.steering.set_mode(steering);
        self.0.follow_ups.set_mode(follow_ups);
    }

    /// Stop the run in progress, if any. The run ends in order, with a message that says `aborted`.
    pub fn abort(&self) {
        if let Some(abort) = self.0.active.get() {
            abort.abort("aborted");
        }
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
            self.0.idle.push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Start a new conversation with the same prompt and tools.
    ///
    /// # Errors
    /// Misuse: a run is in progress.
    pub fn reset(&self) -> Result<(), Error> {
        if self.is_running() {
            return Err(Error::new(
                ErrorKind::Busy,
                "Agent is already processing. Wait for completion before resetting.",
            ));
        }
        let kept = match system::baseline(&self.messages()) {
            Some(base) if self.0.config.profile.has(Profile::SYSTEM_MESSAGES) => {
                vec![Rc::new(AgentMessage::System(base))]
            }
            _ => Vec::new(),
        };
        drop(self.0.state.messages.replace(kept));
        self.0.state.error_message.replace(None);
        self.clear_queues();
        Ok(())
    }

    /// Be told about every event, in order; the run waits for what the listener gives back.
    pub fn subscribe(&self, listener: impl Listener + 'static) -> Subscription {
        self.0.listeners.add(Rc::new(listener))
    }

    /// Every event from now on as a `Stream`, which never holds the run up.
    pub fn events(&self) -> Events {
        let queue = Rc::new(EventQueue::default());
        self.0.streams.add(&queue);
        let into = queue.clone();
        let subscription = self.subscribe(move |event: &AgentEvent| into.push(event.clone()));
        Events::new(queue, subscription)
    }

    /// The transcript.
    pub fn messages(&self) -> Vec<Rc<AgentMessage>> {
        self.0.state.messages.get()
    }

    /// Replace the transcript. A run in progress keeps its own.
    pub fn set_messages(&self, messages: Vec<Rc<AgentMessage>>) {
        drop(self.0.state.messages.replace(messages));
    }

    /// The system prompt that all system messages come to.
    pub fn system_prompt(&self) -> String {
        system::prompt(&self.messages())
    }

    /// Replace the tools; the model is told before the next request. A run in progress keeps its own.
    ///
    /// # Errors
    /// A tool whose parameters are no JSON Schema; nothing is replaced then.
    pub fn set_tools(&self, tools: Vec<Rc<dyn Tool>>) -> Result<(), Error> {
        let tools = tools.into_iter().map(Registered::new).collect::<Result<Vec<_>, _>>()?;
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

    /// Change the thinking level of the next run.
    pub fn set_thinking_level(&self, level: &str) {
        drop(self.0.state.thinking_level.replace(level.into()));
    }

    /// The thinking level of the next run.
    pub fn thinking_level(&self) -> Rc<str> {
        self.0.state.thinking_level.get()
    }

    /// The answer that is streaming, if one is.
    pub fn streaming_message(&self) -> Option<Live> {
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

    /// One run: prompts, or `None` to go on from the transcript.
    async fn run(&self, prompts: Option<Vec<Rc<AgentMessage>>>, skip_first_poll: bool) -> Result<(), Error> {
        let abort = Abort::default();
        self.0.active.replace(Some(abort.clone()));
        let _over = Over(self.0.clone());
        let state = &self.0.state;
        drop(state.streaming.take());
        state.error_message.replace(None);
        let shell = Rc::new(RunShell { agent: self.0.clone(), abort: abort.clone(), skip: Slot::new(skip_first_poll) });
        let host = Native {
            config: self.0.config.clone(),
            shell,
            abort: abort.clone(),
            model: Slot::new(state.model.get()),
            thinking_level: Slot::new(state.thinking_level.get()),
            api_key: Slot::new(None),
        };
        let context = Rc::new(Context {
            messages: Rc::new(Slot::new(state.messages.get())),
            tools: Slot::new(state.tools.get()),
        });
        let ended = match prompts {
            Some(prompts) => agent_loop::run(&host, &Rc::new(Slot::new(prompts)), &context).await,
            None => agent_loop::run_continue(&host, &context).await,
        };
        match ended {
            Ok(_) => Ok(()),
            Err(error) => self.fail(&host, &error).await,
        }
    }

    /// Something failed that should not have: the run still ends with every closing event, and the failure is a
    /// message. Fails only when a listener fails again.
    async fn fail(&self, host: &Native, error: &Error) -> Result<(), Error> {
        let model = self.model();
        let message = Rc::new(AgentMessage::Assistant(AssistantMessage {
            content: vec![Content::text("")],
            api: model.text("api").into(),
            provider: model.text("provider").into(),
            model: model.text("id").into(),
            usage: Usage::default(),
            stop_reason: if host.abort.aborted() { StopReason::Aborted } else { StopReason::Error },
            error_message: Some(error.message.clone()),
            timestamp: (self.0.config.now)(),
            ..AssistantMessage::default()
        }));
        let (results, added) = (host.list(), host.list());
        added.push(message.clone());
        host.emit(Event::MessageStart(&message)).await?;
        host.emit(Event::MessageEnd(&message)).await?;
        host.emit(Event::TurnEnd { message: &message, results: &results }).await?;
        host.emit(Event::AgentEnd { messages: &added }).await
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

/// The end of a run, also when its future is dropped.
struct Over(Rc<Inner>);

impl Drop for Over {
    fn drop(&mut self) {
        let state = &self.0.state;
        drop(state.streaming.take());
        drop(state.pending_calls.take());
        if let Some(abort) = self.0.active.take() {
            drop(abort);
        }
        self.0.listeners.tidy();
        for waker in self.0.idle.take() {
            waker.wake();
        }
    }
}

struct RunShell {
    agent: Rc<Inner>,
    abort: Abort,
    /// The steering that became the prompt counts as the first poll.
    skip: Slot<bool>,
}

impl RunShell {
    /// State first, listeners after it.
    fn reduce(&self, event: &AgentEvent) {
        let state = &self.agent.state;
        match event {
            AgentEvent::MessageStart { message } => {
                if let AgentMessage::Partial(live) = &**message {
                    drop(state.streaming.replace(Some(live.clone())));
                }
            }
            AgentEvent::MessageUpdate { message, .. } => drop(state.streaming.replace(Some(message.clone()))),
            AgentEvent::MessageEnd { message } => {
                drop(state.streaming.take());
                state.messages.push(message.clone());
            }
            AgentEvent::ToolExecutionStart { call } => state.pending_calls.push(call.id.clone()),
            AgentEvent::ToolExecutionEnd { call, .. } => {
                state.pending_calls.change(|pending| pending.retain(|id| *id != call.id));
            }
            AgentEvent::TurnEnd { message, .. } => {
                if let Some(error) = message.as_assistant().and_then(|answer| answer.error_message.clone()) {
                    state.error_message.replace(Some(error));
                }
            }
            AgentEvent::AgentEnd { .. } => drop(state.streaming.take()),
            AgentEvent::AgentStart | AgentEvent::TurnStart | AgentEvent::ToolExecutionUpdate { .. } => {}
        }
    }
}

impl Shell for RunShell {
    fn deliver(&self, event: AgentEvent) -> LocalBoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            self.reduce(&event);
            self.agent.listeners.deliver(&event, &self.abort).await
        })
    }

    fn steering(&self) -> Vec<Rc<AgentMessage>> {
        if self.skip.replace(false) {
            return Vec::new();
        }
        self.agent.steering.drain()
    }

    fn steering_waits(&self) -> bool {
        self.agent.steering.has_items()
    }

    fn follow_ups(&self) -> Vec<Rc<AgentMessage>> {
        self.agent.follow_ups.drain()
    }
}
