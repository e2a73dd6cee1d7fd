//! How JavaScript plays the engine's [`Host`]: every value is the JS object itself, every method one operation of the
//! run object (`npm/src/engine/run.ts`), which knows the object surgery and the hooks.

use std::future::Future;

use wasm_bindgen::prelude::*;

use super::executor::{wait, Reading, Waiting};
use crate::event::Event;
use crate::host::{Before, CallFacts, Decision, Executed, Finished, Host, Outcome, Problem, Turn, TurnUpdate};
use crate::profile::Profile;

#[wasm_bindgen]
extern "C" {
    /// The run object of the TypeScript side.
    pub type Run;

    /// Does the operation of that number ([`Op`]) with what it is given, `undefined` for the rest.
    #[wasm_bindgen(method, catch)]
    fn operate(
        this: &Run,
        op: u32,
        a: &JsValue,
        b: &JsValue,
        c: &JsValue,
        d: &JsValue,
        e: &JsValue,
        f: &JsValue,
    ) -> Result<JsValue, JsValue>;

    /// An answer of several parts: an array made by our own TypeScript.
    type Answer;
    #[wasm_bindgen(method, structural, indexing_getter)]
    fn part(this: &Answer, index: u32) -> JsValue;
}

/// What the run object does, by number. The build names the methods of `npm/src/engine/run.ts` by this order.
#[derive(Clone, Copy)]
enum Op {
    AgentStart,
    TurnStart,
    MessageStart,
    MessageEnd,
    ToolStart,
    ToolEnd,
    TurnEnd,
    AgentEnd,
    Aborted,
    List,
    LengthOf,
    Item,
    Push,
    Append,
    Extended,
    Shared,
    Declared,
    ChooseStreamFn,
    TransformContext,
    ConvertToLlm,
    ResolveApiKey,
    Stream,
    /// 0 complete, 1 truncated, 2 failed.
    OutcomeOf,
    ToolCalls,
    Steering,
    FollowUps,
    /// Context and messages, or nothing.
    PrepareNextTurn,
    PrepareRequest,
    /// 0 normal, 1 continue, 2 end.
    FinishTurn,
    ShouldStop,
    Sequential,
    Interrupted,
    FindTool,
    ToolSequential,
    Arguments,
    /// Whether to block, the reason, whether to terminate; or nothing.
    BeforeToolCall,
    /// Whether it went well, the result or what was thrown, the milliseconds.
    Execute,
    ReportsError,
    /// The result and whether it failed, or nothing.
    AfterToolCall,
    Terminates,
    /// The kind: 0 aborted, 1 unknown tool (call), 2 truncated (call), 3 blocked (reason), 4 thrown (value), 5 skipped;
    /// what is in parentheses; whether to terminate.
    ErrorResult,
    ResultMessage,
    Outcome,
    /// Whether it went well, and the result or what was thrown. Called once, at the end.
    Finish,
}

/// `undefined`, for what an operation does not need.
const NONE: &JsValue = &JsValue::UNDEFINED;

/// One run of a JavaScript host.
pub(super) struct JsHost {
    run: Run,
    profile: Profile,
}

impl JsHost {
    pub(super) fn new(run: Run, profile: Profile) -> Self {
        JsHost { run, profile }
    }

    /// What a tool call outside a batch came to.
    pub(super) fn outcome_of(&self, done: &Finished<Self>) -> Result<JsValue, JsValue> {
        self.done(Op::Outcome, done)
    }

    /// Ends the run.
    pub(super) fn finish(&self, outcome: Result<JsValue, JsValue>) {
        let (ok, value) = match &outcome {
            Ok(value) => (true, value),
            Err(thrown) => (false, thrown),
        };
        // Our own code, which only settles a promise; there is nobody left to tell if it fails.
        drop(self.ask(Op::Finish, &ok.into(), value));
    }

    /// Most operations are told of two things at most: two arguments take less code than a list, at every call.
    fn ask(&self, op: Op, a: &JsValue, b: &JsValue) -> Result<JsValue, JsValue> {
        self.ask_more(op, a, b, &[])
    }

    fn ask_more(&self, op: Op, a: &JsValue, b: &JsValue, more: &[&JsValue]) -> Result<JsValue, JsValue> {
        let at = |place: usize| more.get(place).copied().unwrap_or(NONE);
        self.run.operate(op as u32, a, b, at(0), at(1), at(2), at(3))
    }

    fn tell(&self, op: Op, a: &JsValue, b: &JsValue) -> Result<(), JsValue> {
        self.ask(op, a, b).map(drop)
    }

    fn holds(&self, op: Op, a: &JsValue) -> Result<bool, JsValue> {
        Ok(self.ask(op, a, NONE)?.is_truthy())
    }

    fn number(&self, op: Op, a: &JsValue) -> Result<u32, JsValue> {
        Ok(number(self.ask(op, a, NONE)?))
    }

    fn wait(&self, op: Op, a: &JsValue, b: &JsValue) -> Waiting {
        wait(self.ask(op, a, b))
    }

    /// Asks about a turn.
    fn of_turn(&self, op: Op, turn: &Turn<Self>) -> Waiting {
        wait(self.ask_more(op, &turn.message, &turn.results, &[&turn.context, &turn.new_messages]))
    }

    /// Asks about a call that may run.
    fn of_call(&self, op: Op, call: &CallFacts<'_, Self>, result: &JsValue, is_error: &JsValue) -> Waiting {
        wait(self.ask_more(op, call.context, call.message, &[call.call, call.args, result, is_error]))
    }

    /// Asks about a call that is over.
    fn done(&self, op: Op, done: &Finished<Self>) -> Result<JsValue, JsValue> {
        self.ended(op, &done.call, &done.result, done.is_error, done.duration_ms)
    }

    fn ended(
        &self,
        op: Op,
        call: &JsValue,
        result: &JsValue,
        is_error: bool,
        duration_ms: Option<f64>,
    ) -> Result<JsValue, JsValue> {
        let duration = duration_ms.map_or(JsValue::UNDEFINED, JsValue::from_f64);
        self.ask_more(op, call, result, &[&is_error.into(), &duration])
    }
}

fn present(value: JsValue) -> Option<JsValue> {
    (!value.is_undefined()).then_some(value)
}

fn number(value: JsValue) -> u32 {
    value.as_f64().unwrap_or_default() as u32
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
        self.holds(Op::Aborted, NONE)
    }

    fn emit(&self, event: Event<'_, Self>) -> impl Future<Output = Result<(), JsValue>> {
        let delivered = match event {
            Event::AgentStart => self.ask(Op::AgentStart, NONE, NONE),
            Event::TurnStart => self.ask(Op::TurnStart, NONE, NONE),
            Event::MessageStart(message) => self.ask(Op::MessageStart, message, NONE),
            Event::MessageEnd(message) => self.ask(Op::MessageEnd, message, NONE),
            Event::ToolStart(call) => self.ask(Op::ToolStart, call, NONE),
            Event::ToolEnd { call, result, is_error, duration_ms } => {
                self.ended(Op::ToolEnd, call, result, is_error, duration_ms)
            }
            Event::TurnEnd { message, results } => self.ask(Op::TurnEnd, message, results),
            Event::AgentEnd { messages } => self.ask(Op::AgentEnd, messages, NONE),
        };
        Reading(wait(delivered), drop)
    }

    fn list(&self) -> JsValue {
        // `[]` in our own code: there is nothing to fail.
        self.ask(Op::List, NONE, NONE).unwrap_or(JsValue::UNDEFINED)
    }

    fn len(&self, list: &JsValue) -> Result<usize, JsValue> {
        Ok(self.number(Op::LengthOf, list)? as usize)
    }

    fn item(&self, list: &JsValue, index: usize) -> Result<JsValue, JsValue> {
        self.ask(Op::Item, list, &(index as f64).into())
    }

    fn push(&self, list: &JsValue, message: &JsValue) -> Result<(), JsValue> {
        self.tell(Op::Push, list, message)
    }

    fn append(&self, context: &JsValue, message: &JsValue) -> Result<(), JsValue> {
        self.tell(Op::Append, context, message)
    }

    fn extended(&self, context: &JsValue, more: &JsValue) -> Result<JsValue, JsValue> {
        self.ask(Op::Extended, context, more)
    }

    fn shared(&self, context: &JsValue) -> Result<JsValue, JsValue> {
        self.ask(Op::Shared, context, NONE)
    }

    fn declared(&self, context: &JsValue, prepared: Option<&JsValue>, pending: &JsValue) -> Result<JsValue, JsValue> {
        self.ask_more(Op::Declared, context, prepared.unwrap_or(NONE), &[pending])
    }

    fn choose_stream_fn(&self) -> Result<(), JsValue> {
        self.tell(Op::ChooseStreamFn, NONE, NONE)
    }

    fn transform_context(&self, context: &JsValue) -> impl Future<Output = Result<JsValue, JsValue>> {
        self.wait(Op::TransformContext, context, NONE)
    }

    fn convert_to_llm(&self, messages: &JsValue) -> impl Future<Output = Result<JsValue, JsValue>> {
        self.wait(Op::ConvertToLlm, messages, NONE)
    }

    fn resolve_api_key(&self) -> impl Future<Output = Result<(), JsValue>> {
        Reading(self.wait(Op::ResolveApiKey, NONE, NONE), drop)
    }

    fn stream(&self, context: &JsValue, messages: &JsValue) -> impl Future<Output = Result<JsValue, JsValue>> {
        self.wait(Op::Stream, context, messages)
    }

    fn outcome(&self, message: &JsValue) -> Result<Outcome, JsValue> {
        Ok(match self.number(Op::OutcomeOf, message)? {
            1 => Outcome::Truncated,
            2 => Outcome::Failed,
            _ => Outcome::Complete,
        })
    }

    fn tool_calls(&self, message: &JsValue) -> Result<Vec<JsValue>, JsValue> {
        let list = self.ask(Op::ToolCalls, message, NONE)?;
        let mut calls = Vec::new();
        for index in 0..self.len(&list)? {
            calls.push(self.item(&list, index)?);
        }
        Ok(calls)
    }

    fn steering(&self) -> impl Future<Output = Result<JsValue, JsValue>> {
        self.wait(Op::Steering, NONE, NONE)
    }

    fn follow_ups(&self) -> impl Future<Output = Result<JsValue, JsValue>> {
        self.wait(Op::FollowUps, NONE, NONE)
    }

    fn prepare_next_turn(&self, turn: &Turn<Self>) -> impl Future<Output = Result<TurnUpdate<Self>, JsValue>> {
        Reading(self.of_turn(Op::PrepareNextTurn, turn), |said| match answer(said) {
            Some(update) => TurnUpdate { context: present(update.part(0)), messages: present(update.part(1)) },
            None => TurnUpdate { context: None, messages: None },
        })
    }

    fn prepare_request(&self, context: &JsValue) -> impl Future<Output = Result<Option<JsValue>, JsValue>> {
        Reading(self.wait(Op::PrepareRequest, context, NONE), present)
    }

    fn finish_turn(&self, turn: &Turn<Self>) -> impl Future<Output = Result<Decision, JsValue>> {
        Reading(self.of_turn(Op::FinishTurn, turn), |said| match number(said) {
            1 => Decision::Continue,
            2 => Decision::End,
            _ => Decision::Normal,
        })
    }

    fn should_stop(&self, turn: &Turn<Self>) -> impl Future<Output = Result<bool, JsValue>> {
        Reading(self.of_turn(Op::ShouldStop, turn), |said| said.is_truthy())
    }

    fn sequential(&self) -> Result<bool, JsValue> {
        self.holds(Op::Sequential, NONE)
    }

    fn interrupted(&self) -> Result<bool, JsValue> {
        self.holds(Op::Interrupted, NONE)
    }

    fn find_tool(&self, context: &JsValue, call: &JsValue) -> Result<Option<JsValue>, JsValue> {
        self.ask(Op::FindTool, context, call).map(present)
    }

    fn tool_sequential(&self, tool: &JsValue) -> Result<bool, JsValue> {
        self.holds(Op::ToolSequential, tool)
    }

    fn arguments(&self, tool: &JsValue, call: &JsValue) -> impl Future<Output = Result<JsValue, JsValue>> {
        self.wait(Op::Arguments, tool, call)
    }

    fn before_tool_call(&self, call: &CallFacts<'_, Self>) -> impl Future<Output = Result<Before, JsValue>> {
        Reading(self.of_call(Op::BeforeToolCall, call, NONE, NONE), |said| match answer(said) {
            None => Before::Absent,
            Some(said) if said.part(0).is_truthy() => {
                Before::Block { reason: said.part(1).as_string(), terminate: said.part(2).is_truthy() }
            }
            Some(_) => Before::Proceed,
        })
    }

    fn execute(
        &self,
        tool: &JsValue,
        call: &JsValue,
        args: &JsValue,
    ) -> impl Future<Output = Result<Executed<Self>, JsValue>> {
        Reading(wait(self.ask_more(Op::Execute, tool, call, &[args])), |done| {
            let done: Answer = done.unchecked_into();
            let value = done.part(1);
            let outcome = if done.part(0).is_truthy() { Ok(value) } else { Err(value) };
            Executed { outcome, duration_ms: done.part(2).as_f64() }
        })
    }

    fn reports_error(&self, result: &JsValue) -> Result<bool, JsValue> {
        self.holds(Op::ReportsError, result)
    }

    fn after_tool_call(
        &self,
        call: &CallFacts<'_, Self>,
        result: &JsValue,
        is_error: bool,
    ) -> impl Future<Output = Result<Option<(JsValue, bool)>, JsValue>> {
        Reading(self.of_call(Op::AfterToolCall, call, result, &is_error.into()), |said| {
            answer(said).map(|changed| (changed.part(0), changed.part(1).is_truthy()))
        })
    }

    fn terminates(&self, result: &JsValue) -> Result<bool, JsValue> {
        self.holds(Op::Terminates, result)
    }

    fn error_result(&self, problem: Problem<'_, Self>, terminate: bool) -> Result<JsValue, JsValue> {
        let mut text = JsValue::UNDEFINED;
        let (kind, subject) = match problem {
            Problem::Aborted => (0, &text),
            Problem::UnknownTool(call) => (1, call),
            Problem::Truncated(call) => (2, call),
            Problem::Blocked(reason) => {
                text = reason.map_or(JsValue::UNDEFINED, JsValue::from);
                (3, &text)
            }
            Problem::Thrown(thrown) => (4, thrown),
            Problem::Skipped => (5, &text),
        };
        self.ask_more(Op::ErrorResult, &kind.into(), subject, &[&terminate.into()])
    }

    fn result_message(&self, done: &Finished<Self>) -> Result<JsValue, JsValue> {
        self.done(Op::ResultMessage, done)
    }
}
