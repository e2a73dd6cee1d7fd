//! How Rust plays the engine's [`Host`].

use std::rc::Rc;

use steersman_wire::json::Value;

use super::arguments::valid_arguments;
use super::context::{Config, Context, List, Registered, Shell};
use super::event::AgentEvent;
use super::execute::execute;
use super::hooks::{Arguments, NextTurn, RequestState, ToolCallFacts, ToolResultFacts, TurnFacts};
use super::limits::{failure_message, CallFailure, Limiter, Place};
use super::message::{AgentMessage, Content, StopReason, SystemMessage, ToolCall};
use super::result;
use super::stream_fn::Request;
use super::streaming::Streaming;
use super::system;
use super::tool::ToolOutput;
use crate::abort::Abort;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::host::{Before, CallFacts, Decision, Executed, Finished, Host, Outcome, Problem, Turn, TurnUpdate};
use crate::model::Model;
use crate::profile::Profile;
use crate::slot::Slot;

/// One run.
pub(crate) struct Native {
    pub config: Config,
    pub shell: Rc<dyn Shell>,
    pub abort: Abort,
    pub model: Slot<Rc<Model>>,
    pub thinking_level: Slot<Rc<str>>,
    /// A prompt that goes with every request, in profiles that have no other place for it.
    pub system_prompt: Rc<str>,
    pub limiter: Rc<Limiter>,
    api_key: Slot<Option<String>>,
}

impl Native {
    pub fn new(
        config: Config,
        limiter: Rc<Limiter>,
        shell: Rc<dyn Shell>,
        abort: Abort,
        model: Rc<Model>,
        thinking_level: Rc<str>,
    ) -> Self {
        Native {
            limiter,
            config,
            shell,
            abort,
            model: Slot::new(model),
            thinking_level: Slot::new(thinking_level),
            system_prompt: "".into(),
            api_key: Slot::new(None),
        }
    }

    fn has(&self, rule: Profile) -> bool {
        self.config.profile.has(rule)
    }

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
        if update.context.is_none() && update.tools.is_none() && update.system_prompt.is_none() {
            return Ok(None);
        }
        let messages = match &update.context {
            Some(messages) => Rc::new(Slot::new(messages.clone())),
            None => context.messages.clone(),
        };
        let tools = match &update.tools {
            Some(tools) => Registered::all(tools, self.config.profile)?,
            None => context.tools.get(),
        };
        let prompt = update.system_prompt.clone().unwrap_or_else(|| context.system_prompt.get());
        Ok(Some(Rc::new(Context::new(messages, tools, prompt))))
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

    /// What counts before a tool may run: its call, and a place.
    async fn admit(&self) -> Result<Option<Place>, CallFailure> {
        self.limiter.budget.call()?;
        match &self.limiter.slots {
            Some(slots) => Ok(Some(slots.enter(&self.abort).await?)),
            None => Ok(None),
        }
    }

    fn request(&self, context: &Context, mut messages: Vec<Rc<AgentMessage>>) -> Request {
        let (mut system_prompt, mut tools) = (None, None);
        if !self.has(Profile::SYSTEM_MESSAGES) {
            system_prompt = Some(context.system_prompt.get());
            tools = Some(context.tools.get().iter().map(|entry| entry.tool.declaration().clone()).collect());
        } else if !self.system_prompt.is_empty() {
            let content = self.system_prompt.to_string();
            let prompt = SystemMessage { content, ..SystemMessage::default() };
            messages.insert(0, Rc::new(AgentMessage::System(prompt)));
        }
        Request {
            model: self.model.get(),
            messages,
            system_prompt,
            tools,
            thinking_level: self.thinking_level.get(),
            api_key: self.api_key.get(),
            session_id: self.config.session_id.as_deref().map(str::to_owned),
            abort: self.abort.clone(),
            now: self.config.now.clone(),
        }
    }
}

impl Host for Native {
    type Args = Rc<Arguments>;
    type Output = Rc<ToolOutput>;
    type Message = Rc<AgentMessage>;
    type List = List;
    type Context = Rc<Context>;
    type Tool = Registered;
    type Call = Rc<ToolCall>;
    type Reason = String;
    type Duration = Option<f64>;
    type Thrown = CallFailure;
    type Failure = Error;

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
                Event::ToolEnd { call, result, is_error, duration } => AgentEvent::ToolExecutionEnd {
                    call: call.clone(),
                    output: result.clone(),
                    is_error,
                    duration_ms: *duration,
                },
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
        list.at(index).ok_or_else(|| Error::new(ErrorKind::Internal, "the list became shorter"))
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
        let messages = Rc::new(Slot::new(messages));
        Ok(Rc::new(Context::new(messages, context.tools.get(), context.system_prompt.get())))
    }

    fn shared(&self, context: &Rc<Context>) -> Result<Rc<Context>, Error> {
        let (tools, prompt) = (context.tools.get(), context.system_prompt.get());
        Ok(Rc::new(Context::new(context.messages.clone(), tools, prompt)))
    }

    fn declared(&self, context: &Rc<Context>, prepared: Option<&List>, pending: &List) -> Result<List, Error> {
        let mut entering = prepared.map(|list| list.get()).unwrap_or_default();
        entering.extend(pending.get());
        if self.has(Profile::SYSTEM_MESSAGES) {
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
        let said = self.config.hooks.api_key(model.text("provider")).await?;
        let key = said.filter(|key| !key.is_empty()).or_else(|| self.config.api_key.as_deref().map(str::to_owned));
        drop(self.api_key.replace(key.filter(|key| !key.is_empty())));
        Ok(())
    }

    async fn stream(&self, context: &Rc<Context>, messages: &List) -> Result<Rc<AgentMessage>, Error> {
        let request = self.request(context, messages.get());
        let thinking_level = request.thinking_level.clone();
        let streaming = Streaming::new(&self.shell, context, self.silence());
        // An aborted run ends as aborted, whatever it has used.
        let budget = if self.abort.aborted() { Ok(()) } else { self.limiter.budget.request() };
        let mut answer = match budget {
            Ok(()) => self.ask(request, &streaming).await?,
            Err(over) => failure_message(&request.model, &over, (self.config.now)()),
        };
        if self.has(Profile::RECORD_THINKING_LEVEL) {
            answer.thinking_level = Some(thinking_level.to_string());
        }
        let answer = Rc::new(AgentMessage::Assistant(answer));
        if streaming.started.get() {
            context.put_last(answer.clone());
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
        Ok(Rc::new(Slot::new(self.shell.steering().await?)))
    }

    async fn follow_ups(&self) -> Result<List, Error> {
        Ok(Rc::new(Slot::new(self.shell.follow_ups().await?)))
    }

    async fn prepare_next_turn(&self, turn: &Turn<Self>) -> Result<TurnUpdate<Self>, Error> {
        let update = self.config.hooks.prepare_next_turn(Native::turn(turn), &self.abort).await?;
        self.adopt(&update);
        let context = self.replaced(&turn.context, &update)?;
        let adds = self.has(Profile::NEXT_TURN_MESSAGES) && !update.messages.is_empty();
        Ok(TurnUpdate { context, messages: adds.then(|| Rc::new(Slot::new(update.messages))) })
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

    async fn arguments(&self, tool: &Registered, call: &Rc<ToolCall>) -> Result<Rc<Arguments>, CallFailure> {
        let args = valid_arguments(tool, call, &*self.config.patterns, self.config.profile)?;
        Ok(Rc::new(Arguments { value: Slot::new(args), refused: Slot::new(false) }))
    }

    async fn before_tool_call(&self, call: &CallFacts<'_, Self>) -> Result<Before<Self>, CallFailure> {
        Ok(match self.config.hooks.before_tool_call(&self.facts(call), &self.abort).await? {
            Some(said) if said.block => Before::Block { reason: said.reason, terminate: said.terminate },
            _ => Before::Proceed,
        })
    }

    async fn execute(
        &self,
        tool: &Registered,
        call: &Rc<ToolCall>,
        args: &Rc<Arguments>,
    ) -> Result<Executed<Self>, Error> {
        let _place = match self.admit().await {
            Ok(place) => place,
            Err(refused) => {
                args.refused.replace(true);
                return Ok(Executed { outcome: Err(refused), duration: None });
            }
        };
        let now = &*self.config.now;
        let time = self.config.bounds.tool_time();
        let started = now();
        let (outcome, ended) = execute(tool, call, args.value.get(), &self.shell, &self.abort, &time, now).await?;
        let duration = self.has(Profile::DURATION_MS).then(|| (ended - started).max(0.0).round());
        Ok(Executed { outcome, duration })
    }

    fn reports_error(&self, result: &Rc<ToolOutput>) -> Result<bool, CallFailure> {
        Ok(result.is_error)
    }

    async fn after_tool_call(
        &self,
        call: &CallFacts<'_, Self>,
        result: &Rc<ToolOutput>,
        is_error: bool,
    ) -> Result<Option<(Rc<ToolOutput>, bool)>, CallFailure> {
        if call.args.refused.get() {
            // What never ran has nothing to show.
            return Ok(None);
        }
        let result_facts = ToolResultFacts { output: result.clone(), is_error };
        let said = self.config.hooks.after_tool_call(&self.facts(call), result_facts, &self.abort).await?;
        Ok(said.map(|said| result::merged(result, is_error, said, self.config.profile)))
    }

    fn terminates(&self, result: &Rc<ToolOutput>) -> Result<bool, Error> {
        Ok(result.terminate)
    }

    fn error_result(&self, problem: Problem<'_, Self>, terminate: bool) -> Result<Rc<ToolOutput>, Error> {
        let mut output = ToolOutput { terminate, ..ToolOutput::text(result::problem_text(&problem)) };
        if let Problem::Thrown(failure) = problem {
            output.details = Some(Value::Object(failure.details.clone()));
        }
        Ok(Rc::new(output))
    }

    fn result_message(&self, done: &Finished<Self>) -> Result<Rc<AgentMessage>, Error> {
        let message = result::message(done, (self.config.now)(), self.config.profile);
        Ok(Rc::new(AgentMessage::ToolResult(message)))
    }
}
