//! Time by hand.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures::executor::LocalPool;
use futures::future::LocalBoxFuture;

/// Time that stands still until a test lets it pass.
#[derive(Clone, Default)]
pub struct Time(Rc<Inner>);

#[derive(Default)]
struct Inner {
    now: Cell<f64>,
    /// When they ring, and whom they wake.
    timers: RefCell<Vec<(f64, Bell)>>,
}

type Bell = Rc<RefCell<Option<Waker>>>;

impl Time {
    pub fn now(&self) -> f64 {
        self.0.now.get()
    }

    pub fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
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
    pub fn pass(&self, pool: &mut LocalPool, ms: f64) {
        pool.run_until_stalled();
        self.0.now.set(self.now() + ms);
        let rung = self.0.timers.borrow().iter().filter(|(at, _)| *at <= self.now()).cloned().collect::<Vec<_>>();
        self.0.timers.borrow_mut().retain(|(at, _)| *at > self.now());
        rung.iter().filter_map(|(_, waker)| waker.take()).for_each(Waker::wake);
        pool.run_until_stalled();
    }
}
