//! [`Abort`]: the application stops a run, and everything that waits on our side is dropped.
//!
//! Waiting for *us* (a response, a delay) is [`Abort::race`]: the losing future is dropped, which undoes its effect.
//! Waiting for *them* (a tool, a hook) cannot be cut short, so they get the [`Abort`] and are expected to look.

use std::future::{poll_fn, Future};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use crate::slot::Slot;

/// Whether and why a run was aborted; clones share one state. The default was never aborted.
#[derive(Clone, Default)]
pub struct Abort(Rc<State>);

#[derive(Default)]
struct State {
    reason: Slot<Option<Rc<str>>>,
    wakers: Slot<Vec<Waker>>,
}

impl Abort {
    /// Abort. Only the first call counts.
    pub fn abort(&self, reason: &str) {
        if self.aborted() {
            return;
        }
        self.0.reason.replace(Some(reason.into()));
        for waker in self.0.wakers.take() {
            waker.wake();
        }
    }

    /// Whether it was aborted.
    pub fn aborted(&self) -> bool {
        self.0.reason.get().is_some()
    }

    /// Why, once it was aborted.
    pub fn reason(&self) -> Option<Rc<str>> {
        self.0.reason.get()
    }

    /// Resolves when it is aborted.
    pub async fn cancelled(&self) {
        poll_fn(|cx| {
            if self.aborted() {
                return Poll::Ready(());
            }
            self.0.wakers.remember(cx.waker());
            Poll::Pending
        })
        .await;
    }

    /// `work`, or `None` when it is aborted first (also when it was before); `work` is then dropped.
    pub async fn race<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|cx| {
            if self.aborted() {
                return Poll::Ready(None);
            }
            self.0.wakers.remember(cx.waker());
            match work.as_mut().poll(cx) {
                Poll::Ready(done) => Poll::Ready(Some(done)),
                // The work itself may have aborted.
                Poll::Pending if self.aborted() => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;
    use futures::future::pending;

    struct Undo(Rc<Slot<Vec<&'static str>>>);

    impl Drop for Undo {
        fn drop(&mut self) {
            self.0.push("undone");
        }
    }

    #[test]
    fn the_loser_of_a_race_is_dropped() {
        let log = Rc::new(Slot::new(Vec::new()));
        let abort = Abort::default();
        let work = async {
            let _undo = Undo(log.clone());
            abort.abort("stop");
            pending::<()>().await;
        };
        assert_eq!(block_on(abort.race(work)), None);
        assert_eq!(log.take(), ["undone"]);
        assert_eq!(abort.reason().as_deref(), Some("stop"));
    }

    #[test]
    fn the_first_reason_counts() {
        let abort = Abort::default();
        abort.abort("first");
        abort.abort("second");
        assert_eq!(abort.reason().as_deref(), Some("first"));
        block_on(abort.cancelled());
    }
}
