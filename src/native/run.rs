//! How Rust plays the engine's [`Host`].

use std::rc::Rc;

use futures::future::{join_all, LocalBoxFuture};
use steersman_wire::json::Value;
use steersman_wire::schema::{failure_text, Edit, Options, Patterns, Schema, Step};

use super::event::{AgentEvent, ResponseEvent};
use super::hooks::{AfterToolCall, Hooks, NextTurn, RequestState, ToolCallFacts, ToolResultFacts, TurnFacts};
use super::live::Live;
use super::message::{AgentMessage, AssistantMessage, Content, StopReason, ToolCall, ToolResultMessage};
use super::pretty::pretty;
use super::stream_fn::{Request, ResponseSink, StreamFn};
use super::system;
use super::tool::{Tool, ToolContext, ToolOutput};
use crate::abort::Abort;
use crate::error::Error;
use crate::event::Event;
use crate::host::{Before, CallFacts, Decision, Executed, Finished, Host, Outcome, Problem, Turn, TurnUpdate};
use crate::model::Model;
use crate::profile::Profile;
use crate::slot::Slot;

/// What the model reads of a call that steering skipped.
const SKIPPED: &str = "Tool call skipped: the user sent a message before it ran.";

/// A live list of messages.
pub(crate) type List = Rc<Slot<Vec<Rc<AgentMessage>>>>;

/// Messages and tools of a run.
pub(crate) struct Context {
    pub messages: List,
    pub tools: Slot<Vec<Registered>>,
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
    pub fn new(tool: Rc<dyn Tool>) -> Result<Self, Error> {
        let declaration = tool.declaration();
        let schema = Schema::compile(&declaration.parameters, &Options::default())
            .map_err(|error| Error::from(format!("tool {}: {error}", declaration.name)))?;
        Ok(Registered { schema: Rc::new(schema), tool })
    }
}

/// What the shell around a run does for it.
pub(crate) trait Shell {
    /// Reduce state, then tell the listeners.
    fn deliver(&self, event: AgentEvent) -> LocalBoxFuture<'_, Result<(), Error>>;
    /// Drain the steering queue.
    fn steering(&self) -> Vec<Rc<AgentMessage>>;
    /// Whether the steering queue has something.
    fn steering_waits(&self) -> bool;
    /// Drain the follow-up queue.
    fn follow_ups(&self) -> Vec<Rc<AgentMessage>>;
}

/// How a [`ResponseSink`] reaches the listeners.
pub(crate) trait Delivery {
    fn deliver<'a>(&'a self, live: &'a Live, event: ResponseEvent) -> LocalBoxFuture<'a, Result<(), Error>>;
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
    pub session_id: Option<String>,
    pub profile: Profile,
}

/// One run.
pub(crate) struct Native {
    pub config: Config,
    pub shell: Rc<dyn Shell>,
    pub abort: Abort,
    pub model: Slot<Rc<Model>>,
    pub thinking_level: Slot<Rc<str>>,
    pub api_key: Slot<Option<String>>,
}

impl Native {
    fn adopt(&self, update: &NextTurn) {
        if let Some(model) = &update.model {
            drop(self.model.replace(model.clone()));
        }
        if let Some(level) = &update.thinking_level {
            drop(self.thinking_level.replace(level.clone()));
        }
    }

    /// The context an update asks for, when it replaces anything of it.
    fn replaced(&self, context: &Rc<Context>, update: &NextTurn) -> Result<Option<Rc<Context>>, Error> {
        if update.context.is_none() && update.tools.is_none() {
            return Ok(None);
        }
        let messages = match &update.context {
            Some(messages) => Rc::new(Slot::new(messages.clone())),
            None => context.messages.clone(),
        };
        let tools = match &update.tools {
            Some(tools) => tools.iter().cloned().map(Registered::new).collect::<Result<Vec<_>, _>>()?,
            None => context.tools.get(),
        };
        Ok(Some(Rc::new(Context { messages, tools: Slot::new(tools) })))
    }

    fn facts(&self, call: &CallFacts<'_, Self>) -> ToolCallFacts {
        ToolCallFacts {
            message: call.message.clone(),
            call: call.call.clone(),
            context: call.context.messages.get(),
            args: call.args.clone(),
        }
    }

    fn turn(turn: &Turn<Self>) -> TurnFacts {
        TurnFacts::new(&turn.message, &turn.results, &turn.context, &turn.new_messages)
    }
}

/// Delivers the steps of one answer; remembers a listener's failure, which fails the run whatever the stream does.
struct Streaming {
    shell: Rc<dyn Shell>,
    context: Rc<Context>,
    started: Slot<bool>,
    failure: Slot<Option<Error>>,
}

impl Delivery for Streaming {
    fn deliver<'a>(&'a self, live: &'a Live, event: ResponseEvent) -> LocalBoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            let event = if matches!(event, ResponseEvent::Start) {
                if self.started.replace(true) {
                    return Ok(());
                }
                let message = Rc::new(AgentMessage::Partial(live.clone()));
                self.context.messages.push(message.clone());
                AgentEvent::MessageStart { message }
            } else if self.started.get() {
                AgentEvent::MessageUpdate { message: live.clone(), update: event }
            } else {
                // A step before the start belongs to nothing.
                return Ok(());
            };
            let delivered = self.shell.deliver(event).await;
            if let Err(error) = &delivered {
                drop(self.failure.replace(Some(error.clone())));
            }
            delivered
        })
    }
}

impl Host for Native {
    type Args = Rc<Slot<Value>>;
    type Output = Rc<ToolOutput>;
    type Message = Rc<AgentMessage>;
    type List = List;
    type Context = Rc<Context>;
    type Tool = Registered;
    type Call = Rc<ToolCall>;
    type Thrown = Error;

    fn profile(&self) -> Profile {
        self.config.profile
    }

    fn aborted(&self) -> Result<bool, Error> {
        Ok(self.abort.aborted())
    }

    async fn emit(&self, event: Event<'_, Self>) -> Result<(), Error> {
        self.shell
            .deliver(match event {
                Event::AgentStart => AgentEvent::AgentStart,
                Event::TurnStart => AgentEvent::TurnStart,
                Event::MessageStart(message) => AgentEvent::MessageStart { message: message.clone() },
                Event::MessageEnd(message) => AgentEvent::MessageEnd { message: message.clone() },
                Event::ToolStart(call) => AgentEvent::ToolExecutionStart { call: call.clone() },
                Event::ToolEnd { call, result, is_error, .. } => {
                    AgentEvent::ToolExecutionEnd { call: call.clone(), output: result.clone(), is_error }
                }
                Event::TurnEnd { message, results } => {
                    AgentEvent::TurnEnd { message: message.clone(), tool_results: results.get() }
                }
                Event::AgentEnd { messages } => AgentEvent::AgentEnd { messages: messages.get() },
            })
            .await
    }

    fn list(&self) -> List {
        List::default()
    }

    fn len(&self, list: &List) -> Result<usize, Error> {
        Ok(list.len())
    }

    fn item(&self, list: &List, index: usize) -> Result<Rc<AgentMessage>, Error> {
        list.at(index).ok_or_else(|| Error::new(crate::error::ErrorKind::Internal, "the list became shorter"))
    }

    fn push(&self, list: &List, message: &Rc<AgentMessage>) -> Result<(), Error> {
        list.push(message.clone());
        Ok(())
    }

    fn append(&self, context: &Rc<Context>, message: &Rc<AgentMessage>) -> Result<(), Error> {
        context.messages.push(message.clone());
        Ok(())
    }

    fn extended(&self, context: &Rc<Context>, more: &List) -> Result<Rc<Context>, Error> {
        let mut messages = context.messages.get();
        messages.extend(more.get());
        Ok(Rc::new(Context { messages: Rc::new(Slot::new(messages)), tools: Slot::new(context.tools.get()) }))
    }

    fn shared(&self, context: &Rc<Context>) -> Result<Rc<Context>, Error> {
        Ok(Rc::new(Context { messages: context.messages.clone(), tools: Slot::new(context.tools.get()) }))
    }

    fn declared(&self, context: &Rc<Context>, prepared: Option<&List>, pending: &List) -> Result<List, Error> {
        let mut entering = prepared.map(|list| list.get()).unwrap_or_default();
        entering.extend(pending.get());
        if self.config.profile.has(Profile::SYSTEM_MESSAGES) {
            let tools: Vec<_> = context.tools.get();
            let tools: Vec<_> = tools.iter().map(|entry| entry.tool.declaration()).collect();
            entering = system::declare_changes(&context.messages.get(), entering, &tools, (self.config.now)());
        }
        Ok(Rc::new(Slot::new(entering)))
    }

    fn choose_stream_fn(&self) -> Result<(), Error> {
        Ok(())
    }

    async fn transform_context(&self, context: &Rc<Context>) -> Result<List, Error> {
        let messages = self.config.hooks.transform_context(context.messages.get(), &self.abort).await?;
        Ok(Rc::new(Slot::new(messages)))
    }

    async fn convert_to_llm(&self, messages: &List) -> Result<List, Error> {
        Ok(Rc::new(Slot::new(self.config.hooks.convert_to_llm(messages.get()).await?)))
    }

    async fn resolve_api_key(&self) -> Result<(), Error> {
        let model = self.model.get();
        let key = self.config.hooks.api_key(model.text("provider")).await?;
        self.api_key.replace(key);
        Ok(())
    }

    async fn stream(&self, context: &Rc<Context>, messages: &List) -> Result<Rc<AgentMessage>, Error> {
        let (model, thinking_level) = (self.model.get(), self.thinking_level.get());
        let live = Live::new(AssistantMessage {
            api: model.text("api").into(),
            provider: model.text("provider").into(),
            model: model.text("id").into(),
            timestamp: (self.config.now)(),
            ..AssistantMessage::default()
        });
        let streaming = Rc::new(Streaming {
            shell: self.shell.clone(),
            context: context.clone(),
            started: Slot::new(false),
            failure: Slot::new(None),
        });
        let request = Request {
            model,
            messages: messages.get(),
            thinking_level: thinking_level.clone(),
            api_key: self.api_key.get(),
            session_id: self.config.session_id.clone(),
            abort: self.abort.clone(),
        };
        let sink = ResponseSink::new(live, streaming.clone());
        let mut answer = self.config.stream_fn.stream(request, &sink).await;
        if let Some(failure) = streaming.failure.take() {
            return Err(failure);
        }
        if self.config.profile.has(Profile::RECORD_THINKING_LEVEL) {
            answer.thinking_level = Some(thinking_level.to_string());
        }
        let answer = Rc::new(AgentMessage::Assistant(answer));
        if streaming.started.get() {
            let last = context.messages.len().saturating_sub(1);
            drop(context.messages.put(last, answer.clone()));
        } else {
            context.messages.push(answer.clone());
            self.shell.deliver(AgentEvent::MessageStart { message: answer.clone() }).await?;
        }
        self.shell.deliver(AgentEvent::MessageEnd { message: answer.clone() }).await?;
        Ok(answer)
    }

    fn outcome(&self, message: &Rc<AgentMessage>) -> Result<Outcome, Error> {
        Ok(match message.as_assistant().map(|answer| answer.stop_reason) {
            Some(StopReason::Error | StopReason::Aborted) => Outcome::Failed,
            Some(StopReason::Length) => Outcome::Truncated,
            _ => Outcome::Complete,
        })
    }

    fn tool_calls(&self, message: &Rc<AgentMessage>) -> Result<Vec<Rc<ToolCall>>, Error> {
        let content = message.as_assistant().map(|answer| answer.content.as_slice()).unwrap_or_default();
        let calls = content.iter().filter_map(|block| match block {
            Content::ToolCall(call) => Some(call.clone()),
            _ => None,
        });
        Ok(calls.collect())
    }

    async fn steering(&self) -> Result<List, Error> {
        Ok(Rc::new(Slot::new(self.shell.steering())))
    }

    async fn follow_ups(&self) -> Result<List, Error> {
        Ok(Rc::new(Slot::new(self.shell.follow_ups())))
    }

    async fn prepare_next_turn(&self, turn: &Turn<Self>) -> Result<TurnUpdate<Self>, Error> {
        let update = self.config.hooks.prepare_next_turn(Native::turn(turn), &self.abort).await?;
        self.adopt(&update);
        let context = self.replaced(&turn.context, &update)?;
        let messages = (!update.messages.is_empty()).then(|| Rc::new(Slot::new(update.messages)));
        Ok(TurnUpdate { context, messages })
    }

    async fn prepare_request(&self, context: &Rc<Context>) -> Result<Option<Rc<Context>>, Error> {
        let state = RequestState {
            messages: context.messages.get(),
            model: self.model.get(),
            thinking_level: self.thinking_level.get(),
        };
        let update = self.config.hooks.prepare_request(state, &self.abort).await?;
        self.adopt(&update);
        self.replaced(context, &update)
    }

    async fn finish_turn(&self, turn: &Turn<Self>) -> Result<Decision, Error> {
        self.config.hooks.finish_turn(Native::turn(turn), &self.abort).await
    }

    async fn should_stop(&self, turn: &Turn<Self>) -> Result<bool, Error> {
        self.config.hooks.should_stop_after_turn(Native::turn(turn), &self.abort).await
    }

    fn sequential(&self) -> Result<bool, Error> {
        Ok(self.config.sequential)
    }

    fn interrupted(&self) -> Result<bool, Error> {
        Ok(self.config.tool_boundary && self.shell.steering_waits())
    }

    fn find_tool(&self, context: &Rc<Context>, call: &Rc<ToolCall>) -> Result<Option<Registered>, Error> {
        Ok(context.tools.get().into_iter().find(|entry| entry.tool.declaration().name == call.name))
    }

    fn tool_sequential(&self, tool: &Registered) -> Result<bool, Error> {
        Ok(tool.tool.sequential())
    }

    async fn arguments(&self, tool: &Registered, call: &Rc<ToolCall>) -> Result<Rc<Slot<Value>>, Error> {
        let mut args = tool.tool.prepare_arguments(call.arguments.clone())?;
        if let Some(problem) = &call.arguments_error {
            return Err(Error::from(format!("Invalid arguments for tool \"{}\": {problem}", call.name)));
        }
        match tool.schema.parse(&args, &*self.config.patterns) {
            Ok(edits) => edits.into_iter().for_each(|edit| apply(edit, &mut args)),
            Err(issues) => return Err(Error::from(failure_text(&call.name, &issues, &pretty(&call.arguments)))),
        }
        Ok(Rc::new(Slot::new(args)))
    }

    async fn before_tool_call(&self, call: &CallFacts<'_, Self>) -> Result<Before, Error> {
        Ok(match self.config.hooks.before_tool_call(&self.facts(call), &self.abort).await? {
            None => Before::Absent,
            Some(said) if said.block => Before::Block { reason: said.reason, terminate: said.terminate },
            Some(_) => Before::Proceed,
        })
    }

    async fn execute(
        &self,
        tool: &Registered,
        call: &Rc<ToolCall>,
        args: &Rc<Slot<Value>>,
    ) -> Result<Executed<Self>, Error> {
        let updates: Rc<Slot<Option<Vec<LocalBoxFuture<'static, Result<(), Error>>>>>> =
            Rc::new(Slot::new(Some(vec![])));
        let context = ToolContext {
            id: call.id.clone(),
            arguments_text: call.arguments_text.clone(),
            abort: self.abort.clone(),
            updates: {
                let (shell, call, updates) = (self.shell.clone(), call.clone(), updates.clone());
                Rc::new(move |partial| {
                    // Once the tool has ended there is no list any more.
                    if updates.read(Option::is_none) {
                        return;
                    }
                    let event = AgentEvent::ToolExecutionUpdate { call: call.clone(), partial };
                    let shell = shell.clone();
                    let mut delivery: LocalBoxFuture<'static, _> = Box::pin(async move { shell.deliver(event).await });
                    // The first listener hears of it at once, the others when the tool's end waits for them.
                    let waker = std::task::Waker::noop();
                    let polled = delivery.as_mut().poll(&mut std::task::Context::from_waker(waker));
                    let delivery: LocalBoxFuture<'static, _> = match polled {
                        std::task::Poll::Ready(done) => Box::pin(std::future::ready(done)),
                        std::task::Poll::Pending => delivery,
                    };
                    updates.change(|list| list.as_mut().map(|list| list.push(delivery)));
                })
            },
        };
        let started = (self.config.now)();
        let outcome = tool.tool.execute(args.get(), context).await;
        let duration_ms = Some(((self.config.now)() - started).max(0.0));
        let delivered = updates.replace(None).unwrap_or_default();
        for update in join_all(delivered).await {
            update?;
        }
        Ok(Executed { outcome: outcome.map(Rc::new), duration_ms })
    }

    fn reports_error(&self, result: &Rc<ToolOutput>) -> Result<bool, Error> {
        Ok(result.is_error)
    }

    async fn after_tool_call(
        &self,
        call: &CallFacts<'_, Self>,
        result: &Rc<ToolOutput>,
        is_error: bool,
    ) -> Result<Option<(Rc<ToolOutput>, bool)>, Error> {
        let result_facts = ToolResultFacts { output: result.clone(), is_error };
        let said = self.config.hooks.after_tool_call(&self.facts(call), result_facts, &self.abort).await?;
        Ok(said.map(|said| {
            let AfterToolCall { content, details, is_error: flag, usage, terminate } = said;
            let before = (**result).clone();
            let changed = ToolOutput {
                content: content.unwrap_or(before.content),
                details: details.or(before.details),
                is_error: before.is_error,
                terminate: terminate.unwrap_or(before.terminate),
                usage: usage.or(before.usage),
            };
            (Rc::new(changed), flag.unwrap_or(is_error))
        }))
    }

    fn terminates(&self, result: &Rc<ToolOutput>) -> Result<bool, Error> {
        Ok(result.terminate)
    }

    fn error_result(&self, problem: Problem<'_, Self>, terminate: bool) -> Result<Rc<ToolOutput>, Error> {
        let text = match problem {
            Problem::Aborted => "Operation aborted".to_owned(),
            Problem::UnknownTool(call) => format!("Tool {} not found", call.name),
            Problem::Truncated(call) => format!(
                "Tool call \"{}\" was not executed: the response hit the output token limit, so its arguments may be \
                 truncated. Re-issue the tool call with complete arguments.",
                call.name
            ),
            Problem::Skipped => SKIPPED.to_owned(),
            Problem::Blocked(reason) => {
                reason.filter(|reason| !reason.is_empty()).unwrap_or_else(|| "Tool execution was blocked".to_owned())
            }
            Problem::Thrown(error) => error.message.clone(),
        };
        Ok(Rc::new(ToolOutput { terminate, ..ToolOutput::text(text) }))
    }

    fn result_message(&self, done: &Finished<Self>) -> Result<Rc<AgentMessage>, Error> {
        Ok(Rc::new(AgentMessage::ToolResult(ToolResultMessage {
            tool_call_id: done.call.id.clone(),
            tool_name: done.call.name.clone(),
            content: done.result.content.clone(),
            details: done.result.details.clone(),
            usage: done.result.usage,
            is_error: done.is_error,
            duration_ms: done.duration_ms,
            timestamp: (self.config.now)(),
        })))
    }
}

/// Make one change of the validator. A path that leads nowhere changes nothing.
fn apply(edit: Edit, root: &mut Value) {
    let Edit { mut path, new } = edit;
    let Some(last) = path.pop() else {
        if let Some(new) = new {
            *root = new;
        }
        return;
    };
    let mut place = root;
    for step in path {
        let inner = match (place, step) {
            (Value::Object(object), Step::Key(key)) => object.get_mut(&key),
            (Value::Array(items), Step::Index(index)) => items.get_mut(index),
            _ => None,
        };
        let Some(inner) = inner else { return };
        place = inner;
    }
    match (place, last, new) {
        (Value::Object(object), Step::Key(key), Some(new)) => drop(object.insert(key, new)),
        (Value::Object(object), Step::Key(key), None) => drop(object.remove(&key)),
        (Value::Array(items), Step::Index(index), Some(new)) => {
            if let Some(item) = items.get_mut(index) {
                *item = new;
            }
        }
        _ => {}
    }
}
