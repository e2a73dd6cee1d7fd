//! The time, the number and the concurrency of tool calls.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::rc::Rc;

use futures::executor::{block_on, LocalPool};
use futures::future::join;
use futures::task::LocalSpawnExt;
use steersman::abort::Abort;
use steersman::error::Error;
use steersman::native::{
    tool_fn, AfterToolCall, AgentEvent, Hook, Hooks, Limits, ToolCallFacts, ToolOutput, ToolResultFacts,
};

use crate::time::Time;
use crate::world::{agent, answers, any, calls, last, results, says, timed};
use crate::yield_now::yield_now;

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
