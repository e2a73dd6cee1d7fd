//! How JavaScript plays the engine's [`Host`]: every value is the JS object itself, every method one call of a method
//! of the run object (`npm/src/engine/run.ts`), which knows the object surgery and the hooks.

use wasm_bindgen::prelude::*;

use super::executor::wait;
use crate::event::Event;
use crate::host::{Before, CallFacts, Decision, Executed, Finished, Host, Outcome, Problem, Turn, TurnUpdate};
use crate::profile::Profile;

#[wasm_bindgen]
extern "C" {
    /// The run object of the TypeScript side.
    #[derive(Clone)]
    pub type Run;

    #[wasm_bindgen(method, catch)]
    fn aborted(this: &Run) -> Result<bool, JsValue>;

    #[wasm_bindgen(method, catch, js_name = agentStart)]
    fn agent_start(this: &Run) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = turnStart)]
    fn turn_start(this: &Run) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = messageStart)]
    fn message_start(this: &Run, message: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = messageEnd)]
    fn message_end(this: &Run, message: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = toolStart)]
    fn tool_start(this: &Run, call: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = toolEnd)]
    fn tool_end(
        this: &Run,
        call: &JsValue,
        result: &JsValue,
        is_error: bool,
        duration_ms: Option<f64>,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = turnEnd)]
    fn turn_end(this: &Run, message: &JsValue, results: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = agentEnd)]
    fn agent_end(this: &Run, messages: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn list(this: &Run) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = lengthOf)]
    fn length_of(this: &Run, list: &JsValue) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn item(this: &Run, list: &JsValue, index: u32) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn push(this: &Run, list: &JsValue, message: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn append(this: &Run, context: &JsValue, message: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn extended(this: &Run, context: &JsValue, more: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn shared(this: &Run, context: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn declared(this: &Run, context: &JsValue, prepared: &JsValue, pending: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = chooseStreamFn)]
    fn choose_stream_fn(this: &Run) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = transformContext)]
    fn transform_context(this: &Run, context: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = convertToLlm)]
    fn convert_to_llm(this: &Run, messages: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = resolveApiKey)]
    fn resolve_api_key(this: &Run) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn stream(this: &Run, context: &JsValue, messages: &JsValue) -> Result<JsValue, JsValue>;
    /// 0 complete, 1 truncated, 2 failed.
    #[wasm_bindgen(method, catch, js_name = outcomeOf)]
    fn outcome_of(this: &Run, message: &JsValue) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch, js_name = toolCalls)]
    fn tool_calls(this: &Run, message: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn steering(this: &Run) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = followUps)]
    fn follow_ups(this: &Run) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = prepareNextTurn)]
    fn prepare_next_turn(
        this: &Run,
        message: &JsValue,
        results: &JsValue,
        context: &JsValue,
        added: &JsValue,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = prepareRequest)]
    fn prepare_request(this: &Run, context: &JsValue) -> Result<JsValue, JsValue>;
    /// 0 normal, 1 continue, 2 end.
    #[wasm_bindgen(method, catch, js_name = finishTurn)]
    fn finish_turn(
        this: &Run,
        message: &JsValue,
        results: &JsValue,
        context: &JsValue,
        added: &JsValue,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = shouldStop)]
    fn should_stop(
        this: &Run,
        message: &JsValue,
        results: &JsValue,
        context: &JsValue,
        added: &JsValue,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn sequential(this: &Run) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn interrupted(this: &Run) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, catch, js_name = findTool)]
    fn find_tool(this: &Run, context: &JsValue, call: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = toolSequential)]
    fn tool_sequential(this: &Run, tool: &JsValue) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn arguments(this: &Run, tool: &JsValue, call: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = beforeToolCall)]
    fn before_tool_call(
        this: &Run,
        context: &JsValue,
        message: &JsValue,
        call: &JsValue,
        args: &JsValue,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn execute(this: &Run, tool: &JsValue, call: &JsValue, args: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = reportsError)]
    fn reports_error(this: &Run, result: &JsValue) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, catch, js_name = afterToolCall)]
    fn after_tool_call(
        this: &Run,
        context: &JsValue,
        message: &JsValue,
        call: &JsValue,
        args: &JsValue,
        result: &JsValue,
        is_error: bool,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn terminates(this: &Run, result: &JsValue) -> Result<bool, JsValue>;
    /// `kind`: 0 aborted, 1 unknown tool (call), 2 truncated (call), 3 blocked (reason), 4 thrown (value), 5 skipped.
    #[wasm_bindgen(method, catch, js_name = errorResult)]
    fn error_result(this: &Run, kind: u32, subject: &JsValue, terminate: bool) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = resultMessage)]
    fn result_message(
        this: &Run,
        call: &JsValue,
        result: &JsValue,
        is_error: bool,
        duration_ms: Option<f64>,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(super) fn outcome(
        this: &Run,
        call: &JsValue,
        result: &JsValue,
        is_error: bool,
        duration_ms: Option<f64>,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(super) fn finish(this: &Run, ok: bool, value: &JsValue) -> Result<(), JsValue>;

    /// Answers of the methods above: literals made by our own TypeScript, whose fields cannot throw.
    type Answer;
    #[wasm_bindgen(method, getter)]
    fn context(this: &Answer) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn messages(this: &Answer) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn block(this: &Answer) -> bool;
    #[wasm_bindgen(method, getter)]
    fn reason(this: &Answer) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn terminate(this: &Answer) -> bool;
    #[wasm_bindgen(method, getter)]
    fn ok(this: &Answer) -> bool;
    #[wasm_bindgen(method, getter)]
    fn value(this: &Answer) -> JsValue;
    #[wasm_bindgen(method, getter, js_name = durationMs)]
    fn duration_ms(this: &Answer) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = isError)]
    fn is_error(this: &Answer) -> bool;
}

/// One run of a JavaScript host.
pub(super) struct JsHost {
    run: Run,
    profile: Profile,
}

impl JsHost {
    pub(super) fn new(run: Run, profile: Profile) -> Self {
        JsHost { run, profile }
    }
}

fn present(value: JsValue) -> Option<JsValue> {
    (!value.is_undefined()).then_some(value)
}

fn answer(value: JsValue) -> Option<Answer> {
    present(value).map(JsCast::unchecked_into)
}

impl Host for JsHost {
    type Args = JsValue;
    type Output = JsValue;
    type Message = JsValue;
    type List = JsValue;
    type Context = JsValue;
    type Tool = JsValue;
    type Call = JsValue;
    type Thrown = JsValue;

    fn profile(&self) -> Profile {
        self.profile
    }

    fn aborted(&self) -> Result<bool, JsValue> {
        self.run.aborted()
    }

    async fn emit(&self, event: Event<'_, Self>) -> Result<(), JsValue> {
        let run = &self.run;
        let delivered = match event {
            Event::AgentStart => run.agent_start(),
            Event::TurnStart => run.turn_start(),
            Event::MessageStart(message) => run.message_start(message),
            Event::MessageEnd(message) => run.message_end(message),
            Event::ToolStart(call) => run.tool_start(call),
            Event::ToolEnd { call, result, is_error, duration_ms } => run.tool_end(call, result, is_error, duration_ms),
            Event::TurnEnd { message, results } => run.turn_end(message, results),
            Event::AgentEnd { messages } => run.agent_end(messages),
        }?;
        wait(delivered).await.map(drop)
    }

    fn list(&self) -> JsValue {
        // `[]` in our own code: there is nothing to fail.
        self.run.list().unwrap_or(JsValue::UNDEFINED)
    }

    fn len(&self, list: &JsValue) -> Result<usize, JsValue> {
        Ok(self.run.length_of(list)? as usize)
    }

    fn item(&self, list: &JsValue, index: usize) -> Result<JsValue, JsValue> {
        self.run.item(list, index as u32)
    }

    fn push(&self, list: &JsValue, message: &JsValue) -> Result<(), JsValue> {
        self.run.push(list, message)
    }

    fn append(&self, context: &JsValue, message: &JsValue) -> Result<(), JsValue> {
        self.run.append(context, message)
    }

    fn extended(&self, context: &JsValue, more: &JsValue) -> Result<JsValue, JsValue> {
        self.run.extended(context, more)
    }

    fn shared(&self, context: &JsValue) -> Result<JsValue, JsValue> {
        self.run.shared(context)
    }

    fn declared(&self, context: &JsValue, prepared: Option<&JsValue>, pending: &JsValue) -> Result<JsValue, JsValue> {
        self.run.declared(context, prepared.unwrap_or(&JsValue::UNDEFINED), pending)
    }

    fn choose_stream_fn(&self) -> Result<(), JsValue> {
        self.run.choose_stream_fn()
    }

    async fn transform_context(&self, context: &JsValue) -> Result<JsValue, JsValue> {
        wait(self.run.transform_context(context)?).await
    }

    async fn convert_to_llm(&self, messages: &JsValue) -> Result<JsValue, JsValue> {
        wait(self.run.convert_to_llm(messages)?).await
    }

    async fn resolve_api_key(&self) -> Result<(), JsValue> {
        wait(self.run.resolve_api_key()?).await.map(drop)
    }

    async fn stream(&self, context: &JsValue, messages: &JsValue) -> Result<JsValue, JsValue> {
        wait(self.run.stream(context, messages)?).await
    }

    fn outcome(&self, message: &JsValue) -> Result<Outcome, JsValue> {
        Ok(match self.run.outcome_of(message)? {
            1 => Outcome::Truncated,
            2 => Outcome::Failed,
            _ => Outcome::Complete,
        })
    }

    fn tool_calls(&self, message: &JsValue) -> Result<Vec<JsValue>, JsValue> {
        let list = self.run.tool_calls(message)?;
        let mut calls = Vec::new();
        for index in 0..self.len(&list)? {
            calls.push(self.item(&list, index)?);
        }
        Ok(calls)
    }

    async fn steering(&self) -> Result<JsValue, JsValue> {
        wait(self.run.steering()?).await
    }

    async fn follow_ups(&self) -> Result<JsValue, JsValue> {
        wait(self.run.follow_ups()?).await
    }

    async fn prepare_next_turn(&self, turn: &Turn<Self>) -> Result<TurnUpdate<Self>, JsValue> {
        let asked = self.run.prepare_next_turn(&turn.message, &turn.results, &turn.context, &turn.new_messages)?;
        Ok(match answer(wait(asked).await?) {
            Some(update) => TurnUpdate { context: present(update.context()), messages: present(update.messages()) },
            None => TurnUpdate { context: None, messages: None },
        })
    }

    async fn prepare_request(&self, context: &JsValue) -> Result<Option<JsValue>, JsValue> {
        wait(self.run.prepare_request(context)?).await.map(present)
    }

    async fn finish_turn(&self, turn: &Turn<Self>) -> Result<Decision, JsValue> {
        let asked = self.run.finish_turn(&turn.message, &turn.results, &turn.context, &turn.new_messages)?;
        let decided = wait(asked).await?.as_f64();
        Ok(if decided == Some(1.0) {
            Decision::Continue
        } else if decided == Some(2.0) {
            Decision::End
        } else {
            Decision::Normal
        })
    }

    async fn should_stop(&self, turn: &Turn<Self>) -> Result<bool, JsValue> {
        let asked = self.run.should_stop(&turn.message, &turn.results, &turn.context, &turn.new_messages)?;
        Ok(wait(asked).await?.is_truthy())
    }

    fn sequential(&self) -> Result<bool, JsValue> {
        self.run.sequential()
    }

    fn interrupted(&self) -> Result<bool, JsValue> {
        self.run.interrupted()
    }

    fn find_tool(&self, context: &JsValue, call: &JsValue) -> Result<Option<JsValue>, JsValue> {
        self.run.find_tool(context, call).map(present)
    }

    fn tool_sequential(&self, tool: &JsValue) -> Result<bool, JsValue> {
        self.run.tool_sequential(tool)
    }

    async fn arguments(&self, tool: &JsValue, call: &JsValue) -> Result<JsValue, JsValue> {
        wait(self.run.arguments(tool, call)?).await
    }

    async fn before_tool_call(&self, call: &CallFacts<'_, Self>) -> Result<Before, JsValue> {
        let asked = self.run.before_tool_call(call.context, call.message, call.call, call.args)?;
        Ok(match answer(wait(asked).await?) {
            None => Before::Absent,
            Some(said) if said.block() => {
                Before::Block { reason: said.reason().as_string(), terminate: said.terminate() }
            }
            Some(_) => Before::Proceed,
        })
    }

    async fn execute(&self, tool: &JsValue, call: &JsValue, args: &JsValue) -> Result<Executed<Self>, JsValue> {
        let done: Answer = wait(self.run.execute(tool, call, args)?).await?.unchecked_into();
        let outcome = if done.ok() { Ok(done.value()) } else { Err(done.value()) };
        Ok(Executed { outcome, duration_ms: done.duration_ms() })
    }

    fn reports_error(&self, result: &JsValue) -> Result<bool, JsValue> {
        self.run.reports_error(result)
    }

    async fn after_tool_call(
        &self,
        call: &CallFacts<'_, Self>,
        result: &JsValue,
        is_error: bool,
    ) -> Result<Option<(JsValue, bool)>, JsValue> {
        let asked = self.run.after_tool_call(call.context, call.message, call.call, call.args, result, is_error)?;
        Ok(answer(wait(asked).await?).map(|changed| (changed.value(), changed.is_error())))
    }

    fn terminates(&self, result: &JsValue) -> Result<bool, JsValue> {
        self.run.terminates(result)
    }

    fn error_result(&self, problem: Problem<'_, Self>, terminate: bool) -> Result<JsValue, JsValue> {
        let run = &self.run;
        match problem {
            Problem::Aborted => run.error_result(0, &JsValue::UNDEFINED, terminate),
            Problem::UnknownTool(call) => run.error_result(1, call, terminate),
            Problem::Truncated(call) => run.error_result(2, call, terminate),
            Problem::Blocked(reason) => {
                run.error_result(3, &reason.map_or(JsValue::UNDEFINED, JsValue::from), terminate)
            }
            Problem::Thrown(thrown) => run.error_result(4, thrown, terminate),
            Problem::Skipped => run.error_result(5, &JsValue::UNDEFINED, terminate),
        }
    }

    fn result_message(&self, done: &Finished<Self>) -> Result<JsValue, JsValue> {
        self.run.result_message(&done.call, &done.result, done.is_error, done.duration_ms)
    }
}
