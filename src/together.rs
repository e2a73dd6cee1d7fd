//! [`Together`]: futures that run at the same time. Each is polled only when it was woken, in that order, so tools that
//! end in the same tick are reported in the order in which they ended.

use std::future::{poll_fn, Future};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Futures of one kind.
pub(crate) struct Together<F> {
    /// By number; `None` when it is over.
    futures: Vec<Option<Pin<Box<F>>>>,
    /// How many are not over.
    left: usize,
    woken: Arc<Woken>,
}

#[derive(Default)]
struct Woken(Mutex<State>);

#[derive(Default)]
struct State {
    /// Who was woken, by number.
    numbers: Vec<usize>,
    /// How many of them have had their turn.
    done: usize,
    /// Whoever waits for one.
    waiting: Option<Waker>,
}

impl Woken {
    /// Notes who was woken, and wakes whoever waits for any.
    fn note(&self, number: usize) {
        let waiting = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.numbers.push(number);
            state.waiting.take()
        };
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }

    /// Who was woken first; without any, `waker` is the one to wake.
    fn next(&self, waker: &Waker) -> Option<usize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.numbers.get(state.done).copied();
        state.done += 1;
        if number.is_none() {
            *state = State { waiting: Some(waker.clone()), ..State::default() };
        }
        number
    }
}

struct Alarm {
    number: usize,
    woken: Arc<Woken>,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.woken.note(self.number);
    }
}

impl<F: Future> Together<F> {
    pub fn new() -> Self {
        Together { futures: Vec::new(), left: 0, woken: Arc::default() }
    }

    /// Adds a future; it is first polled by [`Together::next`].
    pub fn add(&mut self, future: F) {
        self.woken.note(self.futures.len());
        self.futures.push(Some(Box::pin(future)));
        self.left += 1;
    }

    /// What the next one that ends comes to; `None` when all are over.
    pub async fn next(&mut self) -> Option<F::Output> {
        poll_fn(|context| {
            while self.left > 0 {
                let Some(number) = self.woken.next(context.waker()) else {
                    return Poll::Pending;
                };
                let Some(place) = self.futures.get_mut(number) else {
                    continue;
                };
                let Some(future) = place else {
                    continue;
                };
                let alarm = Waker::from(Arc::new(Alarm { number, woken: self.woken.clone() }));
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&alarm)) {
                    *place = None;
                    self.left -= 1;
                    return Poll::Ready(Some(output));
                }
            }
            Poll::Ready(None)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::channel::oneshot;
    use futures::executor::block_on;

    #[test]
    fn what_ends_first_comes_first() {
        let mut together = Together::new();
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..3).map(|_| oneshot::channel()).unzip();
        for receiver in receivers {
            together.add(receiver);
        }
        let mut senders = senders.into_iter().map(Some).collect::<Vec<_>>();
        block_on(async {
            let mut order = Vec::new();
            // All are under way, and two of them end before anybody looks again.
            let mut next = Box::pin(together.next());
            assert!(poll_fn(|context| Poll::Ready(next.as_mut().poll(context))).await.is_pending());
            drop(next);
            for number in [2, 0] {
                senders[number].take().unwrap().send(number).unwrap();
            }
            order.push(together.next().await);
            order.push(together.next().await);
            senders[1].take().unwrap().send(1).unwrap();
            order.push(together.next().await);
            assert_eq!(order, [Some(Ok(2)), Some(Ok(0)), Some(Ok(1))]);
            assert_eq!(together.next().await, None);
        });
    }
}
