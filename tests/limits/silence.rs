//! Answers that fall silent.

use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures::executor::LocalPool;
use futures::future::{FutureExt, LocalBoxFuture};
use futures::task::LocalSpawnExt;
use steersman::abort::Abort;
use steersman::error::Error;
use steersman::native::{AgentEvent, AssistantMessage, Content, Limits, Listener, ResponseEvent, StopReason, Usage};

use crate::time::Time;
use crate::world::{agent, answers, last, says, timed, turn, Turn};

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
