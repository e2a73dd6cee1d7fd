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
    waiting: Slot<Waiting>,
    /// Aborted with it.
    parent: Option<Abort>,
}

/// Whom to wake. A place is used again once nobody waits there any more.
#[derive(Default)]
struct Waiting {
    wakers: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl Abort {
    /// One of its own that is aborted with this one.
    pub(crate) fn child(&self) -> Abort {
        Abort(Rc::new(State { parent: Some(self.clone()), ..State::default() }))
    }

    /// Abort. Only the first call counts.
    pub fn abort(&self, reason: &str) {
        if self.aborted() {
            return;
        }
        self.0.reason.replace(Some(reason.into()));
        for waker in self.0.waiting.take().wakers.into_iter().flatten() {
            waker.wake();
        }
    }

    /// Whether it was aborted.
    pub fn aborted(&self) -> bool {
        self.reason().is_some()
    }

    /// Why, once it was aborted.
    pub fn reason(&self) -> Option<Rc<str>> {
        let own = self.0.reason.get();
        own.or_else(|| self.0.parent.as_ref().and_then(Abort::reason))
    }

    /// Resolves when it is aborted.
    pub async fn cancelled(&self) {
        let mut place = Place::new(self);
        poll_fn(|cx| {
            if self.aborted() {
                return Poll::Ready(());
            }
            place.take(cx.waker());
            Poll::Pending
        })
        .await;
    }

    /// `work`, or `None` when it is aborted first (also when it was before); `work` is then dropped.
    pub async fn race<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let mut place = Place::new(self);
        poll_fn(|cx| {
            if self.aborted() {
                return Poll::Ready(None);
            }
            place.take(cx.waker());
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

/// Where one future waits for an abort and for those that it comes with; given back with it.
struct Place<'a> {
    abort: &'a Abort,
    index: Option<usize>,
    parent: Option<Box<Place<'a>>>,
}

impl<'a> Place<'a> {
    fn new(abort: &'a Abort) -> Self {
        let parent = abort.0.parent.as_ref().map(|parent| Box::new(Place::new(parent)));
        Place { abort, index: None, parent }
    }

    fn take(&mut self, waker: &Waker) {
        let index = self.index;
        let (index, before) = self.abort.0.waiting.change(|waiting| {
            let index = index.or_else(|| waiting.free.pop()).unwrap_or(waiting.wakers.len());
            if index == waiting.wakers.len() {
                waiting.wakers.push(None);
            }
            let place = waiting.wakers.get_mut(index);
            let before = place.and_then(|place| match place {
                Some(known) if known.will_wake(waker) => None,
                place => place.replace(waker.clone()),
            });
            (index, before)
        });
        self.index = Some(index);
        drop(before);
        if let Some(parent) = &mut self.parent {
            parent.take(waker);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Some(index) = self.index else { return };
        let waker = self.abort.0.waiting.change(|waiting| {
            // Once it was aborted there are no places any more, and nobody takes one.
            let waker = waiting.wakers.get_mut(index)?.take();
            waiting.free.push(index);
            waker
        });
        drop(waker);
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

    #[test]
    fn a_child_is_aborted_with_its_parent_and_not_the_other_way_round() {
        let parent = Abort::default();
        let (one, other) = (parent.child(), parent.child());
        one.abort("late");
        assert_eq!((one.aborted(), other.aborted(), parent.aborted()), (true, false, false));
        let waiting = async {
            let stop = async {
                parent.abort("stop");
                pending::<()>().await;
            };
            futures::future::select(Box::pin(other.cancelled()), Box::pin(stop)).await;
        };
        block_on(waiting);
        assert_eq!(other.reason().as_deref(), Some("stop"));
        assert_eq!(one.reason().as_deref(), Some("late"));
    }

    #[test]
    fn nothing_is_left_of_those_who_waited() {
        let parent = Abort::default();
        let child = parent.child();
        for _ in 0..3 {
            let both = futures::future::select(Box::pin(child.cancelled()), Box::pin(child.race(async { 1 })));
            assert!(matches!(block_on(both), futures::future::Either::Right((Some(1), _))));
        }
        for abort in [&parent, &child] {
            let (places, taken) = abort
                .0
                .waiting
                .read(|waiting| (waiting.wakers.len(), waiting.wakers.iter().filter(|waker| waker.is_some()).count()));
            assert_eq!((places, taken), (2, 0));
        }
    }
}
