//! Listeners: who is told about events, in order, each awaited before the next.
//!
//! The set is live, as a JavaScript `Set` is: one that is removed while an event goes round is not told any more, one
//! that is added is told about that very event.

use std::rc::{Rc, Weak};

use futures::future::LocalBoxFuture;

use super::event::AgentEvent;
use crate::abort::Abort;
use crate::error::Error;
use crate::slot::Slot;

/// Something that wants to know. A plain `Fn(&AgentEvent)` is one.
pub trait Listener {
    /// An event. `None`: done. A future is awaited before the next listener is told; an error in it fails the run.
    fn on_event(&self, event: &AgentEvent, abort: &Abort) -> Option<LocalBoxFuture<'static, Result<(), Error>>>;
}

impl<F: Fn(&AgentEvent)> Listener for F {
    fn on_event(&self, event: &AgentEvent, _abort: &Abort) -> Option<LocalBoxFuture<'static, Result<(), Error>>> {
        self(event);
        None
    }
}

/// The listeners of an agent.
#[derive(Default)]
pub(crate) struct Listeners {
    /// In order of subscription; a removed one leaves its place empty until nothing is being delivered.
    places: Slot<Vec<Place>>,
    next: Slot<u64>,
}

/// The id of a subscription and its listener.
type Place = (u64, Option<Rc<dyn Listener>>);

impl Listeners {
    pub(crate) fn add(self: &Rc<Self>, listener: Rc<dyn Listener>) -> Subscription {
        let id = self.next.get();
        self.next.replace(id + 1);
        self.places.push((id, Some(listener)));
        Subscription { id, listeners: Rc::downgrade(self) }
    }

    fn remove(&self, id: u64) {
        // The listener is dropped out here: its drop may call back in.
        let removed = self.places.change(|places| {
            let place = places.iter_mut().find(|(other, _)| *other == id)?;
            place.1.take()
        });
        drop(removed);
    }

    /// Tell everybody.
    ///
    /// # Errors
    /// Of the first listener that failed; later ones are not told.
    pub(crate) async fn deliver(&self, event: &AgentEvent, abort: &Abort) -> Result<(), Error> {
        let mut index = 0;
        while let Some((_, listener)) = self.places.at(index) {
            index += 1;
            if let Some(waiting) = listener.and_then(|listener| listener.on_event(event, abort)) {
                waiting.await?;
            }
        }
        Ok(())
    }

    /// Forget empty places; called between runs.
    pub(crate) fn tidy(&self) {
        self.places.change(|places| places.retain(|(_, listener)| listener.is_some()));
    }
}

/// Keeps a listener subscribed; dropping it unsubscribes.
#[must_use = "dropping the subscription unsubscribes"]
pub struct Subscription {
    id: u64,
    listeners: Weak<Listeners>,
}

impl Subscription {
    /// Stay subscribed as long as the agent lives.
    pub fn forever(self) {
        std::mem::forget(self);
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(listeners) = self.listeners.upgrade() {
            listeners.remove(self.id);
        }
    }
}
