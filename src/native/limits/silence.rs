//! Measures how long nothing has come of a response while somebody waits for it.

use std::rc::Rc;
use std::task::{Context, Poll};

use futures::future::LocalBoxFuture;

use super::Timer;
use crate::slot::Slot;

pub(crate) struct Silence {
    idle_ms: f64,
    timer: Timer,
    now: Rc<dyn Fn() -> f64>,
    since: Slot<f64>,
    /// When what came last was handed over; `None` while somebody waits for more.
    held_since: Slot<Option<f64>>,
    /// One timer, looked after when it fires: cheaper than a new one for every delta.
    alarm: Slot<Option<LocalBoxFuture<'static, ()>>>,
}

impl Silence {
    pub fn new(idle_ms: u32, timer: &Timer, now: &Rc<dyn Fn() -> f64>) -> Self {
        Silence {
            idle_ms: f64::from(idle_ms),
            timer: timer.clone(),
            now: now.clone(),
            since: Slot::new(now()),
            held_since: Slot::new(None),
            alarm: Slot::new(None),
        }
    }

    /// Something came; time does not count until [`Silence::waiting`].
    pub fn heard(&self) {
        self.held_since.replace(Some((self.now)()));
    }

    /// Somebody waits for more. `fresh`: what came carried something, so the silence begins anew.
    pub fn waiting(&self, fresh: bool) {
        let Some(held_since) = self.held_since.take() else { return };
        let time = (self.now)();
        self.since.replace(if fresh { time } else { self.since.get() + (time - held_since) });
    }

    /// Whether it was too long; wakes the task when it may be.
    pub fn too_long(&self, cx: &mut Context<'_>) -> bool {
        loop {
            if self.held_since.get().is_some() {
                return false;
            }
            let mut alarm = match self.alarm.take() {
                Some(alarm) => alarm,
                None => {
                    let time = (self.now)();
                    // A clock that was put back makes a silence longer by the limit at most.
                    let since = self.since.get().min(time);
                    self.since.replace(since);
                    let left = since + self.idle_ms - time;
                    if left <= 0.0 {
                        return true;
                    }
                    (self.timer)(left)
                }
            };
            if alarm.as_mut().poll(cx) == Poll::Pending {
                drop(self.alarm.replace(Some(alarm)));
                return false;
            }
        }
    }
}
