//! How JavaScript plays the engine's [`Host`]: every value is the JS object itself, every method one operation of the
//! run object (`npm/src/engine/run.ts`), which knows the object surgery and the hooks.

use std::convert::{identity, Infallible};
use std::future::{poll_fn, Future};
use std::pin::pin;
use std::task::Poll;

use wasm_bindgen::prelude::*;

use super::executor::wait;
use super::promised::{Held, Sure, Tried};
use crate::event::Event;
use crate::host::{Before, CallFacts, Decision, Executed, Finished, Host, Outcome, Problem, Turn, TurnUpdate};
use crate::profile::Profile;
use crate::slot::Slot;

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

    /// A number that our own TypeScript gives; NaN for `undefined`.
    #[wasm_bindgen(js_name = Number)]
    fn double(value: &JsValue) -> f64;
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
    /// What was thrown where nothing may be: it ends the run at its next wait. Until then nothing more is asked, so that
    /// the loop needs no code for it.
    failure: Slot<Option<JsValue>>,
}

impl JsHost {
    pub(super) fn new(run: Run, profile: Profile) -> Self {
        JsHost { run, profile, failure: Slot::new(None) }
    }

    /// What a tool call outside a batch came to.
    pub(super) fn outcome_of(&self, done: &Finished<Self>) -> JsValue {
        self.done(Op::Outcome, done)
    }

    /// Does the work of the run, up to its end or to the first failure, and tells of it.
    pub(super) async fn see_through(&self, work: impl Future<Output = Result<JsValue, Infallible>>) {
        let mut work = pin!(work);
        let outcome = poll_fn(|cx| match (work.as_mut().poll(cx), self.failure.take()) {
            (_, Some(thrown)) => Poll::Ready((false, thrown)),
            (polled, None) => polled.map(|Ok(value)| (true, value)),
        });
        let (ok, value) = outcome.await;
        self.ask(Op::Finish, &ok.into(), &value);
    }

    /// Most operations are told of two things at most: two arguments take less code than a list, at every call.
    fn ask(&self, op: Op, a: &JsValue, b: &JsValue) -> JsValue {
        self.ask_more(op, a, b, &[])
    }

    fn ask_more(&self, op: Op, a: &JsValue, b: &JsValue, more: &[&JsValue]) -> JsValue {
        self.attempt(op, a, b, more).unwrap_or_else(|thrown| {
            self.fail(thrown);
            JsValue::UNDEFINED
        })
    }

    pub(super) fn fail(&self, thrown: JsValue) {
        drop(self.failure.replace(Some(thrown)));
    }

    /// Asks, and whoever does decides what a failure comes to.
    fn attempt(&self, op: Op, a: &JsValue, b: &JsValue, more: &[&JsValue]) -> Result<JsValue, JsValue> {
        if self.failed() {
            return Ok(JsValue::UNDEFINED);
        }
        let at = |place: usize| more.get(place).copied().unwrap_or(NONE);
        self.run.operate(op as u32, a, b, at(0), at(1), at(2), at(3))
    }

    pub(super) fn failed(&self) -> bool {
        self.failure.read(Option::is_some)
    }

    fn tell(&self, op: Op, a: &JsValue, b: &JsValue) -> Result<(), Infallible> {
        self.ask(op, a, b);
        Ok(())
    }

    fn holds(&self, op: Op, a: &JsValue) -> bool {
        self.ask(op, a, NONE).is_truthy()
    }

    fn number(&self, op: Op, a: &JsValue) -> u32 {
        number(self.ask(op, a, NONE))
    }

    fn wait<T, F: Fn(JsValue) -> T>(&self, op: Op, a: &JsValue, b: &JsValue, read: F) -> Sure<'_, F> {
        self.sure(self.ask(op, a, b), read)
    }

    fn sure<T, F: Fn(JsValue) -> T>(&self, answer: JsValue, read: F) -> Sure<'_, F> {
        Sure(self.held(Ok(answer)), read)
    }

    fn held(&self, answer: Result<JsValue, JsValue>) -> Held<'_> {
        Box::new((wait(answer), self))
    }

    /// Asks about a turn.
    fn of_turn<T, F: Fn(JsValue) -> T>(&self, op: Op, turn: &Turn<Self>, read: F) -> Sure<'_, F> {
        self.sure(self.ask_more(op, &turn.message, &turn.results, &[&turn.context, &turn.new_messages]), read)
    }

    /// Asks about a call that may run.
    fn of_call(&self, op: Op, call: &CallFacts<'_, Self>, result: &JsValue, is_error: &JsValue) -> Held<'_> {
        self.held(self.attempt(op, call.context, call.message, &[call.call, call.args, result, is_error]))
    }

    /// Asks about a call that is over.
    fn done(&self, op: Op, done: &Finished<Self>) -> JsValue {
        self.ended(op, &done.call, &done.result, done.is_error, &done.duration)
    }

    fn ended(&self, op: Op, call: &JsValue, result: &JsValue, is_error: bool, duration: &JsValue) -> JsValue {
        self.ask_more(op, call, result, &[&is_error.into(), duration])
    }
}

fn present(value: JsValue) -> Option<JsValue> {
    (!value.is_undefined()).then_some(value)
}

fn number(value: JsValue) -> u32 {
    double(&value) as u32
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
    type Reason = JsValue;
    type Duration = JsValue;
    type Thrown = JsValue;
    type Failure = Infallible;

    fn profile(&self) -> Profile {
        self.profile
    }

    fn aborted(&self) -> Result<bool, Infallible> {
        Ok(self.holds(Op::Aborted, NONE))
    }

    fn emit(&self, event: Event<'_, Self>) -> impl Future<Output = Result<(), Infallible>> {
        let delivered = match event {
            Event::AgentStart => self.ask(Op::AgentStart, NONE, NONE),
            Event::TurnStart => self.ask(Op::TurnStart, NONE, NONE),
            Event::MessageStart(message) => self.ask(Op::MessageStart, message, NONE),
            Event::MessageEnd(message) => self.ask(Op::MessageEnd, message, NONE),
            Event::ToolStart(call) => self.ask(Op::ToolStart, call, NONE),
            Event::ToolEnd { call, result, is_error, duration } => {
                self.ended(Op::ToolEnd, call, result, is_error, duration)
            }
            Event::TurnEnd { message, results } => self.ask(Op::TurnEnd, message, results),
            Event::AgentEnd { messages } => self.ask(Op::AgentEnd, messages, NONE),
        };
        self.sure(delivered, drop)
    }

    fn list(&self) -> JsValue {
        self.ask(Op::List, NONE, NONE)
    }

    fn len(&self, list: &JsValue) -> Result<usize, Infallible> {
        Ok(self.number(Op::LengthOf, list) as usize)
    }

    fn item(&self, list: &JsValue, index: usize) -> Result<JsValue, Infallible> {
        Ok(self.ask(Op::Item, list, &(index as f64).into()))
    }

    fn push(&self, list: &JsValue, message: &JsValue) -> Result<(), Infallible> {
        self.tell(Op::Push, list, message)
    }

    fn append(&self, context: &JsValue, message: &JsValue) -> Result<(), Infallible> {
        self.tell(Op::Append, context, message)
    }

    fn extended(&self, context: &JsValue, more: &JsValue) -> Result<JsValue, Infallible> {
        Ok(self.ask(Op::Extended, context, more))
    }

    fn shared(&self, context: &JsValue) -> Result<JsValue, Infallible> {
        Ok(self.ask(Op::Shared, context, NONE))
    }

    fn declared(
        &self,
        context: &JsValue,
        prepared: Option<&JsValue>,
        pending: &JsValue,
    ) -> Result<JsValue, Infallible> {
        Ok(self.ask_more(Op::Declared, context, prepared.unwrap_or(NONE), &[pending]))
    }

    fn choose_stream_fn(&self) -> Result<(), Infallible> {
        self.tell(Op::ChooseStreamFn, NONE, NONE)
    }

    fn transform_context(&self, context: &JsValue) -> impl Future<Output = Result<JsValue, Infallible>> {
        self.wait(Op::TransformContext, context, NONE, identity)
    }

    fn convert_to_llm(&self, messages: &JsValue) -> impl Future<Output = Result<JsValue, Infallible>> {
        self.wait(Op::ConvertToLlm, messages, NONE, identity)
    }

    fn resolve_api_key(&self) -> impl Future<Output = Result<(), Infallible>> {
        self.wait(Op::ResolveApiKey, NONE, NONE, drop)
    }

    fn stream(&self, context: &JsValue, messages: &JsValue) -> impl Future<Output = Result<JsValue, Infallible>> {
        self.wait(Op::Stream, context, messages, identity)
    }

    fn outcome(&self, message: &JsValue) -> Result<Outcome, Infallible> {
        Ok(match self.number(Op::OutcomeOf, message) {
            1 => Outcome::Truncated,
            2 => Outcome::Failed,
            _ => Outcome::Complete,
        })
    }

    fn tool_calls(&self, message: &JsValue) -> Result<Vec<JsValue>, Infallible> {
        let list = self.ask(Op::ToolCalls, message, NONE);
        let mut calls = Vec::new();
        for index in 0..self.len(&list)? {
            calls.push(self.item(&list, index)?);
        }
        Ok(calls)
    }

    fn steering(&self) -> impl Future<Output = Result<JsValue, Infallible>> {
        self.wait(Op::Steering, NONE, NONE, identity)
    }

    fn follow_ups(&self) -> impl Future<Output = Result<JsValue, Infallible>> {
        self.wait(Op::FollowUps, NONE, NONE, identity)
    }

    fn prepare_next_turn(&self, turn: &Turn<Self>) -> impl Future<Output = Result<TurnUpdate<Self>, Infallible>> {
        self.of_turn(Op::PrepareNextTurn, turn, |said| match answer(said) {
            Some(update) => TurnUpdate { context: present(update.part(0)), messages: present(update.part(1)) },
            None => TurnUpdate { context: None, messages: None },
        })
    }

    fn prepare_request(&self, context: &JsValue) -> impl Future<Output = Result<Option<JsValue>, Infallible>> {
        self.wait(Op::PrepareRequest, context, NONE, present)
    }

    fn finish_turn(&self, turn: &Turn<Self>) -> impl Future<Output = Result<Decision, Infallible>> {
        self.of_turn(Op::FinishTurn, turn, |said| match number(said) {
            1 => Decision::Continue,
            2 => Decision::End,
            _ => Decision::Normal,
        })
    }

    fn should_stop(&self, turn: &Turn<Self>) -> impl Future<Output = Result<bool, Infallible>> {
        self.of_turn(Op::ShouldStop, turn, |said| said.is_truthy())
    }

    fn sequential(&self) -> Result<bool, Infallible> {
        Ok(self.holds(Op::Sequential, NONE))
    }

    fn interrupted(&self) -> Result<bool, Infallible> {
        Ok(self.holds(Op::Interrupted, NONE))
    }

    fn find_tool(&self, context: &JsValue, call: &JsValue) -> Result<Option<JsValue>, Infallible> {
        Ok(present(self.ask(Op::FindTool, context, call)))
    }

    fn tool_sequential(&self, tool: &JsValue) -> Result<bool, Infallible> {
        Ok(self.holds(Op::ToolSequential, tool))
    }

    fn arguments(&self, tool: &JsValue, call: &JsValue) -> impl Future<Output = Result<JsValue, JsValue>> {
        Tried(self.held(self.attempt(Op::Arguments, tool, call, &[])), identity)
    }

    fn before_tool_call(&self, call: &CallFacts<'_, Self>) -> impl Future<Output = Result<Before<Self>, JsValue>> {
        Tried(self.of_call(Op::BeforeToolCall, call, NONE, NONE), |said| match answer(said) {
            None => Before::Absent,
            Some(said) if said.part(0).is_truthy() => {
                Before::Block { reason: present(said.part(1)), terminate: said.part(2).is_truthy() }
            }
            Some(_) => Before::Proceed,
        })
    }

    fn execute(
        &self,
        tool: &JsValue,
        call: &JsValue,
        args: &JsValue,
    ) -> impl Future<Output = Result<Executed<Self>, Infallible>> {
        self.sure(self.ask_more(Op::Execute, tool, call, &[args]), |done| {
            let done: Answer = done.unchecked_into();
            let value = done.part(1);
            let outcome = if done.part(0).is_truthy() { Ok(value) } else { Err(value) };
            Executed { outcome, duration: done.part(2) }
        })
    }

    fn reports_error(&self, result: &JsValue) -> Result<bool, JsValue> {
        self.attempt(Op::ReportsError, result, NONE, &[]).map(|said| said.is_truthy())
    }

    fn after_tool_call(
        &self,
        call: &CallFacts<'_, Self>,
        result: &JsValue,
        is_error: bool,
    ) -> impl Future<Output = Result<Option<(JsValue, bool)>, JsValue>> {
        Tried(self.of_call(Op::AfterToolCall, call, result, &is_error.into()), |said| {
            answer(said).map(|changed| (changed.part(0), changed.part(1).is_truthy()))
        })
    }

    fn terminates(&self, result: &JsValue) -> Result<bool, Infallible> {
        Ok(self.holds(Op::Terminates, result))
    }

    fn error_result(&self, problem: Problem<'_, Self>, terminate: bool) -> Result<JsValue, Infallible> {
        let mut text = JsValue::UNDEFINED;
        let (kind, subject) = match problem {
            Problem::Aborted => (0, &text),
            Problem::UnknownTool(call) => (1, call),
            Problem::Truncated(call) => (2, call),
            Problem::Blocked(reason) => {
                text = reason.unwrap_or(JsValue::UNDEFINED);
                (3, &text)
            }
            Problem::Thrown(thrown) => (4, thrown),
            Problem::Skipped => (5, &text),
        };
        Ok(self.ask_more(Op::ErrorResult, &kind.into(), subject, &[&terminate.into()]))
    }

    fn result_message(&self, done: &Finished<Self>) -> Result<JsValue, Infallible> {
        Ok(self.done(Op::ResultMessage, done))
    }
}
