//! Limits of the Rust shell, where an application in Rust sees more of them than the scenarios of both shells say.
#![allow(clippy::disallowed_types, clippy::indexing_slicing, clippy::unwrap_used)] // rules of the library

use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures::executor::{block_on, LocalPool};
use futures::future::{join, FutureExt, LocalBoxFuture};
use futures::task::LocalSpawnExt;
use steersman::abort::Abort;
use steersman::agent::{Agent, AgentBuilder};
use steersman::error::{Error, ErrorKind};
use steersman::model::Model;
use steersman::native::{
    tool_fn, AfterToolCall, AgentEvent, AgentMessage, AssistantMessage, Content, Cost, Hook, Hooks, Limits, Listener,
    Request, ResponseEvent, ResponseSink, StopReason, StreamFn, ToolCall, ToolCallFacts, ToolOutput, ToolResultFacts,
    Usage,
};
use steersman_wire::json::{parse, to_text, Value};

/// Time that stands still until a test lets it pass.
#[derive(Clone, Default)]
struct Time(Rc<Inner>);

#[derive(Default)]
struct Inner {
    now: Cell<f64>,
    /// When they ring, and whom they wake.
    timers: RefCell<Vec<(f64, Bell)>>,
}

type Bell = Rc<RefCell<Option<Waker>>>;

impl Time {
    fn now(&self) -> f64 {
        self.0.now.get()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let (time, at, waker) = (self.clone(), self.now() + ms, Rc::new(RefCell::new(None)));
        self.0.timers.borrow_mut().push((at, waker.clone()));
        Box::pin(poll_fn(move |cx| {
            if time.now() >= at {
                return Poll::Ready(());
            }
            waker.replace(Some(cx.waker().clone()));
            Poll::Pending
        }))
    }

    /// Lets milliseconds pass.
    fn pass(&self, pool: &mut LocalPool, ms: f64) {
        pool.run_until_stalled();
        self.0.now.set(self.now() + ms);
        let rung = self.0.timers.borrow().iter().filter(|(at, _)| *at <= self.now()).cloned().collect::<Vec<_>>();
        self.0.timers.borrow_mut().retain(|(at, _)| *at > self.now());
        rung.iter().filter_map(|(_, waker)| waker.take()).for_each(Waker::wake);
        pool.run_until_stalled();
    }
}

type Turn = Rc<dyn for<'a> Fn(Request, &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage>>;

/// Plays one turn after the other, the last one again and again.
struct Turns(Vec<Turn>, Rc<Cell<usize>>);

impl StreamFn for Turns {
    fn stream<'a>(&'a self, request: Request, response: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        let turn = self.1.replace(self.1.get() + 1);
        self.0[turn.min(self.0.len() - 1)](request, response)
    }
}

fn turn(play: impl for<'a> Fn(Request, &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> + 'static) -> Turn {
    Rc::new(play)
}

fn answers(message: AssistantMessage) -> Turn {
    turn(move |_, _| Box::pin(std::future::ready(message.clone())))
}

fn says(text: &str) -> AssistantMessage {
    let stop_reason = StopReason::Stop;
    AssistantMessage { content: vec![Content::text(text)], stop_reason, ..AssistantMessage::default() }
}

fn calls(ids: &[&str]) -> AssistantMessage {
    let call = |id: &&str| {
        let arguments = parse("{}").unwrap();
        Content::ToolCall(Rc::new(ToolCall { id: (*id).into(), name: "t".into(), arguments, ..ToolCall::default() }))
    };
    let content = ids.iter().map(call).collect();
    AssistantMessage { content, stop_reason: StopReason::ToolUse, ..AssistantMessage::default() }
}

fn agent(turns: Vec<Turn>) -> (AgentBuilder, Rc<Cell<usize>>) {
    let asked = Rc::new(Cell::new(0));
    (Agent::builder().stream_fn(Turns(turns, asked.clone())), asked)
}

fn timed(builder: AgentBuilder, time: &Time) -> AgentBuilder {
    let (now, sleep) = (time.clone(), time.clone());
    builder.clock(move || now.now()).timer(move |ms| sleep.sleep(ms))
}

fn any() -> Value {
    parse(r#"{"type":"object"}"#).unwrap()
}

/// The last answer, and the code of what went wrong with it.
fn last(agent: &Agent) -> (AssistantMessage, String) {
    let messages = agent.messages();
    let answer = messages.iter().rev().find_map(|message| message.as_assistant()).unwrap().clone();
    let diagnostics = answer.extra.get("diagnostics").and_then(Value::as_array);
    let code = diagnostics.and_then(|list| list.first()).and_then(|first| first.get("code")).and_then(Value::as_str);
    let code = code.unwrap_or_default().to_owned();
    (answer, code)
}

fn results(agent: &Agent) -> Vec<(String, bool, String)> {
    let results = agent.messages().into_iter().filter_map(|message| match &*message {
        AgentMessage::ToolResult(result) => {
            let details = result.details.as_ref().map(to_text).unwrap_or_default();
            Some((message.text(), result.is_error, details))
        }
        _ => None,
    });
    results.collect()
}

#[test]
fn limits_that_make_no_sense_or_that_nobody_measures_are_refused_by_name() {
    let make = || agent(vec![answers(says("a"))]).0;
    let measured = || timed(make(), &Time::default());
    let limits = |limits| move |builder: AgentBuilder| builder.limits(limits);
    let idle = Limits { idle_ms: Some(5), ..Limits::default() };
    let tool = Limits { tool_ms: Some(5), ..Limits::default() };
    let refused = |builder: AgentBuilder, words: &str| {
        let error = builder.build().err().unwrap();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::InvalidRequest, words));
    };
    refused(limits(tool)(make()), "limits.toolMs needs a timer: AgentBuilder::timer");
    refused(limits(idle)(make()), "limits.idleMs needs a timer: AgentBuilder::timer");
    refused(limits(idle)(make().timer(|_| pending())), "limits.idleMs needs a clock: AgentBuilder::clock");
    refused(make().tool_abort_grace_ms(5), "toolAbortGraceMs needs a timer: AgentBuilder::timer");
    let zero = Limits { tool_ms: Some(0), ..Limits::default() };
    refused(limits(zero)(measured()), "limits.toolMs must be a number of milliseconds above 0, not 0");
    let no_number = Limits { max_cost: Some(f64::NAN), ..Limits::default() };
    refused(limits(no_number)(measured()), "limits.maxCost must be a number, not NaN");
    refused(measured().tool_concurrency(0), "toolConcurrency must be a number of at least 1, not 0");
    assert!(limits(idle)(measured()).tool_abort_grace_ms(5).build().is_ok());
    assert!(make().tool_abort_grace_ms(0).build().is_ok());

    let agent = make().build().unwrap();
    assert!(agent.set_limits(tool).is_err());
    assert_eq!(agent.limits(), Limits::default());
    agent.set_limits(Limits { max_turns: Some(0), ..Limits::default() }).unwrap();
    block_on(agent.prompt("a")).unwrap();
    assert_eq!(last(&agent).1, "limit_turns");
}

/// Its own abort is aborted, the run's is not; the future is dropped; late reports are ignored.
#[test]
fn a_tool_that_takes_too_long_is_dropped_and_what_it_started_elsewhere_is_told() {
    struct Dropped(Rc<Cell<bool>>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }
    let (time, dropped, kept) = (Time::default(), Rc::new(Cell::new(false)), Rc::new(RefCell::new(None)));
    let (on_drop, keep) = (dropped.clone(), kept.clone());
    let tool = tool_fn("t", "", any(), move |_, context| {
        let guard = Dropped(on_drop.clone());
        keep.replace(Some(context));
        async move {
            let _guard = guard;
            pending::<()>().await;
            Ok(ToolOutput::text("never"))
        }
    });
    let (builder, _) = agent(vec![answers(calls(&["k1"])), answers(says("end"))]);
    let limits = Limits { tool_ms: Some(100), ..Limits::default() };
    let agent = timed(builder, &time).tool(tool).limits(limits).build().unwrap();
    let mut events = agent.events();
    let mut pool = LocalPool::new();
    let handle = agent.clone();
    pool.spawner().spawn_local(async move { handle.prompt("a").await.unwrap() }).unwrap();
    time.pass(&mut pool, 99.0);
    let context = kept.take().unwrap();
    assert!(!context.abort.aborted() && !dropped.get());
    let run = agent.run_abort().unwrap();
    time.pass(&mut pool, 1.0);
    assert!(context.abort.aborted() && !run.aborted() && dropped.get());
    context.update(ToolOutput::text("late"));
    pool.run_until_stalled();
    assert!(!agent.is_running());
    let text = "Tool timed out after 100 ms (limits.toolMs)".to_owned();
    assert_eq!(results(&agent), [(text, true, r#"{"code":"tool_timeout"}"#.to_owned())]);
    drop((agent, context));
    while let Some(event) = block_on(events.next()) {
        assert!(!matches!(event, AgentEvent::ToolExecutionUpdate { .. }));
        if let AgentEvent::ToolExecutionEnd { duration_ms, .. } = event {
            assert_eq!(duration_ms, Some(100.0));
        }
    }
}

#[test]
fn with_a_time_of_its_own_a_tool_still_hears_an_abort_of_the_run() {
    let tool = tool_fn("t", "", any(), |_, context| async move {
        context.abort.cancelled().await;
        Ok(ToolOutput::text(&*context.abort.reason().unwrap()))
    });
    let (builder, _) = agent(vec![answers(calls(&["k1"])), answers(says("end"))]);
    let limits = Limits { tool_ms: Some(100), ..Limits::default() };
    let agent = timed(builder, &Time::default()).tool(tool).limits(limits).build().unwrap();
    let stop = async {
        while agent.pending_tool_calls().is_empty() {
            yield_now().await;
        }
        agent.abort();
    };
    block_on(join(agent.prompt("a"), stop)).0.unwrap();
    assert_eq!(results(&agent)[0].0, "aborted");
}

/// Calls that could not run do not count, and the hook after a call sees only what ran.
#[test]
fn calls_beyond_the_limit_are_refused_without_the_hook_that_comes_after() {
    struct Seen(Rc<RefCell<Vec<String>>>);
    impl Hooks for Seen {
        fn after_tool_call<'a>(
            &'a self,
            call: &'a ToolCallFacts,
            _result: ToolResultFacts,
            _abort: &'a Abort,
        ) -> Hook<'a, Option<AfterToolCall>> {
            self.0.borrow_mut().push(call.call.id.clone());
            Box::pin(std::future::ready(Ok(None)))
        }
    }
    let seen = Rc::new(RefCell::new(Vec::new()));
    let tool = tool_fn("t", "", any(), |_, _| async { Ok(ToolOutput::text("ok")) });
    let (builder, asked) = agent(vec![answers(calls(&["k1", "k2", "k3"])), answers(says("end"))]);
    let limits = Limits { max_tool_calls: Some(2), ..Limits::default() };
    let agent = builder.tool(tool).hooks(Seen(seen.clone())).limits(limits).build().unwrap();
    block_on(agent.prompt("a")).unwrap();
    assert_eq!(*seen.borrow(), ["k1", "k2"]);
    assert_eq!(results(&agent)[2].2, r#"{"code":"limit_tool_calls"}"#);
    assert_eq!((asked.get(), last(&agent).1.as_str()), (1, "limit_tool_calls"));
}

#[test]
fn what_is_queued_when_the_run_ends_belongs_to_it_and_the_next_run_has_everything_unused() {
    let (builder, asked) = agent(vec![answers(says("a"))]);
    let agent = builder.limits(Limits { max_turns: Some(2), ..Limits::default() }).build().unwrap();
    let (handle, left) = (agent.clone(), Cell::new(3));
    let _more = agent.subscribe(move |event: &AgentEvent| {
        if matches!(event, AgentEvent::AgentEnd { .. }) && left.replace(left.get() - 1) > 0 {
            handle.follow_up(Rc::new(AgentMessage::user("more")));
        }
    });
    block_on(agent.prompt("a")).unwrap();
    assert_eq!((asked.get(), last(&agent).1.as_str()), (2, "limit_turns"));
    agent.clear_queues();
    block_on(agent.prompt("b")).unwrap();
    assert_eq!((asked.get(), last(&agent).1.as_str()), (3, ""));
}

/// By the rule: four characters are a token, an image is 1200, at the prices of the model.
#[test]
fn usage_that_nobody_reports_is_estimated() {
    let run = |limits: Limits, text: &str, image: bool, price: &str| {
        let tool = tool_fn("t", "", any(), |_, _| async { Ok(ToolOutput::text("ok")) });
        let (builder, asked) = agent(vec![answers(calls(&["k1"]))]);
        let model = Model::from_json(&format!(r#"{{"id":"m","cost":{price}}}"#)).unwrap();
        let agent = builder.tool(tool).model(model).limits(limits).build().unwrap();
        let mut message = AgentMessage::user(text);
        if let (AgentMessage::User(user), true) = (&mut message, image) {
            user.content.push(Content::Image { data: "A".repeat(100_000), mime_type: "image/png".into() });
        }
        block_on(agent.prompt_with(vec![Rc::new(message)])).unwrap();
        (asked.get(), last(&agent).1)
    };
    let text = "x".repeat(4000);
    let free = r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}"#;
    let dear = r#"{"input":1000,"output":0,"cacheRead":0,"cacheWrite":0}"#;
    let tokens = |most| Limits { max_tokens: Some(most), ..Limits::default() };
    let dollars = |most| Limits { max_cost: Some(most), ..Limits::default() };
    // Every request carries the thousand tokens of the prompt again, and a little more.
    assert_eq!(run(tokens(2000), &text, false, free), (2, "limit_tokens".into()));
    assert_eq!(run(dollars(2.0), &text, false, dear), (2, "limit_cost".into()));
    assert_eq!(run(tokens(2400), "a", true, free), (2, "limit_tokens".into()));
}

#[test]
fn a_price_that_nobody_reports_follows_from_the_tokens_and_one_of_zero_counts_as_it_is() {
    let run = |input: f64, total_from_provider| {
        let tool = tool_fn("t", "", any(), |_, _| async { Ok(ToolOutput::text("ok")) });
        let cost = Cost { total_from_provider, ..Cost::default() };
        let usage = Usage { input, output: 1e5, total_tokens: input + 1e5, cost, ..Usage::default() };
        let paid = answers(AssistantMessage { usage, ..calls(&["k1"]) });
        let (builder, asked) = agent(vec![paid.clone(), paid.clone(), paid.clone(), paid, answers(says("end"))]);
        let prices = r#"{"input":1,"output":10,"cacheRead":0,"cacheWrite":0,"tiers":[{"input":2,"output":10,"cacheRead":0,"cacheWrite":0,"inputTokensAbove":1000000}]}"#;
        let model = Model::from_json(&format!(r#"{{"id":"m","cost":{prices}}}"#)).unwrap();
        let limits = Limits { max_cost: Some(6.0), ..Limits::default() };
        let agent = builder.tool(tool).model(model).limits(limits).build().unwrap();
        block_on(agent.prompt("a")).unwrap();
        asked.get()
    };
    assert_eq!(run(1e6, None), 3);
    assert_eq!(run(2e6, None), 2);
    assert_eq!(run(2e6, Some(true)), 5);
}

/// A stream that pushes what a test gives it.
fn by_hand(steps: Rc<RefCell<Vec<ResponseEvent>>>, waker: Rc<RefCell<Option<Waker>>>) -> Turn {
    turn(move |request, response| {
        let (steps, waker) = (steps.clone(), waker.clone());
        Box::pin(async move {
            loop {
                let next = poll_fn(|cx| {
                    if request.abort.aborted() {
                        return Poll::Ready(None);
                    }
                    let mut steps = steps.borrow_mut();
                    if !steps.is_empty() {
                        return Poll::Ready(Some(steps.remove(0)));
                    }
                    waker.replace(Some(cx.waker().clone()));
                    Poll::Pending
                });
                let Some(step) = next.await else { break };
                let _ = response.push(step).await;
            }
            // Late, and what only the stream knows.
            let _ = response.push(ResponseEvent::TextDelta { index: 0, delta: "late".into() }).await;
            let usage = Usage { input: 7.0, total_tokens: 7.0, ..Usage::default() };
            AssistantMessage { usage, stop_reason: StopReason::Aborted, ..response.partial() }
        })
    })
}

#[test]
fn silence_begins_anew_with_what_carries_something_and_not_while_listeners_work() {
    /// Holds deltas for 5 s.
    struct Slow(Time);
    impl Listener for Slow {
        fn on_event(&self, event: &AgentEvent, _: &Abort) -> Option<LocalBoxFuture<'static, Result<(), Error>>> {
            let slow = matches!(event, AgentEvent::MessageUpdate { update: ResponseEvent::TextEnd { .. }, .. });
            let wait = self.0.sleep(5000.0);
            slow.then(|| Box::pin(wait.map(Ok)) as LocalBoxFuture<'static, _>)
        }
    }
    let (time, mut pool) = (Time::default(), LocalPool::new());
    let (steps, waker) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(None::<Waker>)));
    let (builder, _) = agent(vec![by_hand(steps.clone(), waker.clone()), answers(says("end"))]);
    let limits = Limits { idle_ms: Some(300), ..Limits::default() };
    let agent = timed(builder, &time).limits(limits).build().unwrap();
    let _slow = agent.subscribe(Slow(time.clone()));
    let push = |step| {
        steps.borrow_mut().push(step);
        waker.take().unwrap().wake();
    };
    let handle = agent.clone();
    pool.spawner().spawn_local(async move { handle.prompt("a").await.unwrap() }).unwrap();
    let delta = |delta: &str| ResponseEvent::TextDelta { index: 0, delta: delta.into() };
    pool.run_until_stalled();
    push(ResponseEvent::Start);
    push_all(&steps, [ResponseEvent::TextStart { index: 0 }, delta("Hel")]);
    time.pass(&mut pool, 299.0);
    push(delta("lo"));
    time.pass(&mut pool, 299.0);
    push(ResponseEvent::TextEnd { index: 0 });
    // Of the listener.
    time.pass(&mut pool, 5000.0);
    time.pass(&mut pool, 299.0);
    assert!(agent.is_running());
    push(delta(""));
    time.pass(&mut pool, 1.0);
    assert!(!agent.is_running());
    let (answer, code) = last(&agent);
    assert_eq!((answer.stop_reason, code.as_str()), (StopReason::Error, "stream_idle"));
    assert!(answer.content == [Content::text("Hello")]);
    // What was used is known from the stream's last word.
    assert_eq!(answer.usage.input, 7.0);
}

fn push_all<const N: usize>(steps: &Rc<RefCell<Vec<ResponseEvent>>>, more: [ResponseEvent; N]) {
    steps.borrow_mut().extend(more);
}

#[test]
fn an_aborted_run_does_not_wait_for_a_deaf_stream_longer_than_the_limit() {
    let deaf = turn(|_, response| {
        Box::pin(async move {
            response.push(ResponseEvent::Start).await.unwrap();
            pending::<()>().await;
            response.partial()
        })
    });
    let (time, mut pool) = (Time::default(), LocalPool::new());
    let (builder, _) = agent(vec![deaf]);
    let agent = timed(builder, &time).limits(Limits { idle_ms: Some(300), ..Limits::default() }).build().unwrap();
    let handle = agent.clone();
    pool.spawner().spawn_local(async move { handle.prompt("a").await.unwrap() }).unwrap();
    time.pass(&mut pool, 100.0);
    agent.abort();
    time.pass(&mut pool, 199.0);
    assert!(agent.is_running());
    time.pass(&mut pool, 1.0);
    assert_eq!((last(&agent).0.stop_reason, agent.is_running()), (StopReason::Aborted, false));
}

/// A clock that is put back makes no silence last longer than the limit after it was noticed.
#[test]
fn a_clock_that_is_put_back_does_not_keep_a_silent_answer() {
    let silent = turn(|_, _| Box::pin(pending()));
    let (time, mut pool) = (Time::default(), LocalPool::new());
    let (now, sleep, back) = (time.clone(), time.clone(), Rc::new(Cell::new(0.0)));
    let put_back = back.clone();
    let (builder, _) = agent(vec![silent]);
    let builder = builder.clock(move || now.now() - put_back.get()).timer(move |ms| sleep.sleep(ms));
    let agent = builder.limits(Limits { idle_ms: Some(300), ..Limits::default() }).build().unwrap();
    let handle = agent.clone();
    pool.spawner().spawn_local(async move { handle.prompt("a").await.unwrap() }).unwrap();
    time.pass(&mut pool, 100.0);
    back.set(3_600_000.0);
    time.pass(&mut pool, 200.0);
    assert!(agent.is_running());
    time.pass(&mut pool, 300.0);
    assert_eq!(last(&agent).1, "stream_idle");
}

#[test]
fn so_many_tools_at_once_in_the_order_of_the_calls() {
    let (running, started) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(Vec::new())));
    let most = Rc::new(Cell::new(0));
    let (now, log, peak) = (running.clone(), started.clone(), most.clone());
    let tool = tool_fn("t", "", any(), move |_, context| {
        log.borrow_mut().push(context.id.clone());
        now.set(now.get() + 1);
        peak.set(peak.get().max(now.get()));
        let now = now.clone();
        async move {
            for _ in 0..context.id.len() {
                yield_now().await;
            }
            now.set(now.get() - 1);
            Err::<ToolOutput, _>(Error::application("broken"))
        }
    });
    let (builder, _) = agent(vec![answers(calls(&["long one", "k2", "k3", "k4", "k5"])), answers(says("end"))]);
    let agent = builder.tool(tool).tool_concurrency(2).build().unwrap();
    block_on(agent.prompt("a")).unwrap();
    assert_eq!(*started.borrow(), ["long one", "k2", "k3", "k4", "k5"]);
    assert_eq!((most.get(), running.get()), (2, 0));
}

#[test]
fn calls_that_wait_for_their_turn_are_aborted_without_being_started() {
    let started = Rc::new(RefCell::new(Vec::new()));
    let log = started.clone();
    let tool = tool_fn("t", "", any(), move |_, context| {
        log.borrow_mut().push(context.id.clone());
        async move {
            context.abort.cancelled().await;
            Ok(ToolOutput::text("stopped"))
        }
    });
    let (builder, _) = agent(vec![answers(calls(&["k1", "k2", "k3"])), answers(says("end"))]);
    let agent = builder.tool(tool).tool_concurrency(1).build().unwrap();
    let stop = async {
        while started.borrow().is_empty() {
            yield_now().await;
        }
        agent.abort();
    };
    block_on(join(agent.prompt("a"), stop)).0.unwrap();
    assert_eq!(*started.borrow(), ["k1"]);
    let texts = results(&agent).into_iter().map(|(text, ..)| text).collect::<Vec<_>>();
    assert_eq!(texts, ["stopped", "Operation aborted", "Operation aborted"]);
}

async fn yield_now() {
    let mut yielded = false;
    poll_fn(move |cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
