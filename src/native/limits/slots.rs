//! So many places and no more; who comes first is served first.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use super::CallFailure;
use crate::abort::Abort;
use crate::slot::Slot;

pub(crate) struct Slots {
    free: Slot<usize>,
    waiting: Slot<VecDeque<Rc<Ticket>>>,
}

/// One that waits.
struct Ticket {
    has_place: Slot<bool>,
    left: Slot<bool>,
    waker: Slot<Option<Waker>>,
}

/// A place that is taken; goes to the next one when it is dropped.
pub(crate) struct Place(Rc<Slots>);

impl Slots {
    pub fn new(count: usize) -> Rc<Self> {
        Rc::new(Slots { free: Slot::new(count), waiting: Slot::new(VecDeque::new()) })
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// The run was aborted before there was one.
    pub async fn enter(self: &Rc<Self>, abort: &Abort) -> Result<Place, CallFailure> {
        let free = self.free.get();
        if free > 0 {
            self.free.replace(free - 1);
            return Ok(Place(self.clone()));
        }
        let ticket = Rc::new(Ticket { has_place: Slot::new(false), left: Slot::new(false), waker: Slot::new(None) });
        self.waiting.change(|waiting| waiting.push_back(ticket.clone()));
        let leaving = Leaving { slots: self, ticket: &ticket };
        let turn = poll_fn(|cx| {
            if ticket.has_place.get() {
                return Poll::Ready(());
            }
            drop(ticket.waker.replace(Some(cx.waker().clone())));
            Poll::Pending
        });
        let came = abort.race(turn).await;
        if came.is_none() {
            return Err(CallFailure::aborted());
        }
        // The place is this one's from here on.
        ticket.has_place.replace(false);
        drop(leaving);
        Ok(Place(self.clone()))
    }

    /// Hands a place to the next one that still wants it.
    fn leave(&self) {
        while let Some(next) = self.waiting.change(VecDeque::pop_front) {
            if next.left.get() {
                continue;
            }
            next.has_place.replace(true);
            if let Some(waker) = next.waker.take() {
                waker.wake();
            }
            return;
        }
        self.free.replace(self.free.get() + 1);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// One that does not wait any more, also because its future was dropped.
struct Leaving<'a> {
    slots: &'a Rc<Slots>,
    ticket: &'a Ticket,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.ticket.left.replace(true);
        // A place that came too late goes on.
        if self.ticket.has_place.replace(false) {
            self.slots.leave();
        }
    }
}
