//! Virtual time: a timer fires when nothing else can happen.

use std::cell::{Cell, RefCell};
use std::future::{poll_fn, Future};
use std::rc::Rc;
use std::task::{Poll, Waker};

use steersman::abort::Abort;

#[derive(Default)]
pub struct Clock {
    now: Cell<f64>,
    made: Cell<u64>,
    timers: RefCell<Vec<Timer>>,
}

struct Timer {
    at: f64,
    number: u64,
    fire: Box<dyn FnOnce()>,
}

#[derive(Default)]
struct Bell {
    rung: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Clock {
    /// Milliseconds since the scenario began.
    pub fn now(&self) -> f64 {
        self.now.get()
    }

    /// Call `fire` after some milliseconds; gives the number for [`Clock::cancel`].
    pub fn after(&self, ms: f64, fire: impl FnOnce() + 'static) -> u64 {
        let number = self.made.replace(self.made.get() + 1);
        self.timers.borrow_mut().push(Timer { at: self.now() + ms, number, fire: Box::new(fire) });
        number
    }

    fn cancel(&self, number: u64) {
        self.timers.borrow_mut().retain(|timer| timer.number != number);
    }

    /// Wait, from the moment of the call.
    pub fn sleep(&self, ms: f64) -> impl Future<Output = ()> + 'static {
        self.bell(ms).1
    }

    fn bell(&self, ms: f64) -> (u64, impl Future<Output = ()> + 'static) {
        let bell = Rc::new(Bell::default());
        let ring = bell.clone();
        let number = self.after(ms, move || {
            ring.rung.set(true);
            if let Some(waker) = ring.waker.take() {
                waker.wake();
            }
        });
        let wait = poll_fn(move |cx| {
            if bell.rung.get() {
                return Poll::Ready(());
            }
            bell.waker.replace(Some(cx.waker().clone()));
            Poll::Pending
        });
        (number, wait)
    }

    /// Wait until the time is up or the run is aborted; says whether it was aborted.
    pub async fn sleep_unless(&self, ms: f64, abort: &Abort) -> bool {
        let (number, wait) = self.bell(ms);
        let aborted = abort.race(wait).await.is_none();
        if aborted {
            self.cancel(number);
        }
        aborted
    }

    /// Fire the earliest timer; says whether there was one.
    pub fn fire_next(&self) -> bool {
        let next = {
            let mut timers = self.timers.borrow_mut();
            let order = |timer: &Timer| (timer.at, timer.number);
            let next = (0..timers.len()).min_by(|a, b| {
                let (a, b) = (order(&timers[*a]), order(&timers[*b]));
                a.partial_cmp(&b).unwrap()
            });
            next.map(|index| timers.remove(index))
        };
        let Some(next) = next else { return false };
        self.now.set(self.now().max(next.at));
        (next.fire)();
        true
    }
}
