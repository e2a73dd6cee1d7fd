//! Running a tool while its progress reports go round.

use std::future::{poll_fn, Future};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures::future::LocalBoxFuture;

use super::context::{Registered, Shell};
use super::event::AgentEvent;
use super::limits::{within, Bound, CallFailure, Cut};
use super::message::ToolCall;
use super::tool::{ToolContext, ToolOutput};
use crate::abort::Abort;
use crate::error::{Error, ErrorKind};
use crate::slot::Slot;
use crate::together::Together;
use steersman_wire::json::Value;

type Delivery = LocalBoxFuture<'static, Result<(), Error>>;

/// Reports of a running tool that are being delivered.
struct Updates {
    /// New ones; `None` once the tool has ended, so that later ones are ignored.
    fresh: Slot<Option<Vec<Delivery>>>,
    /// Whoever runs the tool.
    waker: Slot<Option<Waker>>,
}

/// Ends the reports of a tool that is dropped with its run.
struct Closed(Rc<Updates>);

impl Drop for Closed {
    fn drop(&mut self) {
        drop(self.0.fresh.replace(None));
    }
}

impl Updates {
    /// Deliver a report. The first listener hears of it before this returns; the rest while the tool goes on.
    fn send(&self, shell: &Rc<dyn Shell>, call: &Rc<ToolCall>, partial: Rc<ToolOutput>) {
        if self.fresh.read(Option::is_none) {
            return;
        }
        let event = AgentEvent::ToolExecutionUpdate { call: call.clone(), partial };
        let shell = shell.clone();
        let mut delivery: Delivery = Box::pin(async move { shell.deliver(event).await });
        // Whoever runs the tool polls it again with a waker of its own.
        let delivery = match delivery.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Box::pin(std::future::ready(done)),
            Poll::Pending => delivery,
        };
        self.fresh.change(|fresh| fresh.as_mut().map(|fresh| fresh.push(delivery)));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// Run a tool to its end and wait until all its reports are delivered. Gives its outcome and the time it ended.
///
/// # Errors
/// The outer one: a listener of a report failed. The tool is awaited all the same.
pub(super) async fn execute(
    tool: &Registered,
    call: &Rc<ToolCall>,
    args: Value,
    shell: &Rc<dyn Shell>,
    abort: &Abort,
    time: &Bound,
    now: &dyn Fn() -> f64,
) -> Result<(Result<Rc<ToolOutput>, CallFailure>, f64), Error> {
    // With a time of its own it has an abort of its own.
    let own = if time.ms.is_some() { abort.child() } else { abort.clone() };
    let updates = Rc::new(Updates { fresh: Slot::new(Some(Vec::new())), waker: Slot::new(None) });
    let _closed = Closed(updates.clone());
    let context = ToolContext {
        id: call.id.clone(),
        arguments_text: call.arguments_text.clone(),
        abort: own.clone(),
        updates: {
            let (shell, call, updates) = (shell.clone(), call.clone(), updates.clone());
            Rc::new(move |partial| updates.send(&shell, &call, partial))
        },
    };
    let mut running = Box::pin(within(tool.tool.execute(args, context), time, abort));
    let mut under_way = Together::new();
    let mut failure = None;
    let outcome = poll_fn(|cx| {
        drop(updates.waker.replace(Some(cx.waker().clone())));
        let outcome = running.as_mut().poll(cx);
        let fresh = updates.fresh.change(|fresh| fresh.as_mut().map(std::mem::take)).unwrap_or_default();
        fresh.into_iter().for_each(|delivery| under_way.add(delivery));
        let _ = drain(&mut under_way, &mut failure, cx);
        outcome
    })
    .await;
    let outcome = match outcome {
        Ok(outcome) => outcome.map(Rc::new).map_err(CallFailure::from),
        Err(cut) => {
            let failure = left(cut, time);
            own.abort(&failure.message);
            Err(failure)
        }
    };
    // A tool that is left ends here; what it has started elsewhere was told.
    drop(running);
    // A tool that never waited has the others of its batch started first.
    let mut yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    // What the tool reports from here on is late.
    let last = updates.fresh.replace(None).unwrap_or_default();
    last.into_iter().for_each(|delivery| under_way.add(delivery));
    let ended = now();
    poll_fn(|cx| drain(&mut under_way, &mut failure, cx)).await;
    match failure {
        Some(failure) => Err(failure),
        None => Ok((outcome, ended)),
    }
}

/// Why a tool has no result that was left.
fn left(cut: Cut, time: &Bound) -> CallFailure {
    if cut == Cut::Aborted {
        return CallFailure::aborted();
    }
    let ms = time.ms.unwrap_or_default().to_string();
    let message = ["Tool timed out after ", &ms, " ms (limits.toolMs)"].concat();
    CallFailure::new(message, "code", ErrorKind::ToolTimeout.code())
}

/// Go on with the deliveries; ready when there is none left. Keeps the first failure.
fn drain(under_way: &mut Together<Delivery>, failure: &mut Option<Error>, cx: &mut Context<'_>) -> Poll<()> {
    loop {
        match pin!(under_way.next()).poll(cx) {
            Poll::Ready(Some(Ok(()))) => {}
            Poll::Ready(Some(Err(error))) => drop(failure.get_or_insert(error)),
            Poll::Ready(None) => return Poll::Ready(()),
            Poll::Pending => return Poll::Pending,
        }
    }
}
