//! Work that is given so much time and no more.

use std::future::{pending, poll_fn, Future};
use std::pin::pin;
use std::task::Poll;

use super::Timer;
use crate::abort::Abort;

/// What may end the waiting for some work.
#[derive(Clone)]
pub(crate) struct Bound {
    /// Without it times do not end.
    pub timer: Option<Timer>,
    /// Time for the work, in milliseconds.
    pub ms: Option<u32>,
    /// Time that is left after an abort, in milliseconds. `None`: aborts do not count.
    pub grace_ms: Option<u32>,
}

/// Why the work was left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Its time is over.
    Late,
    /// So is the time after an abort.
    Aborted,
}

impl Bound {
    async fn over(&self, ms: Option<u32>) {
        match (ms, &self.timer) {
            (Some(0), _) => {}
            (Some(ms), Some(timer)) => timer(f64::from(ms)).await,
            _ => pending().await,
        }
    }

    async fn stopped(&self, abort: &Abort) {
        if self.grace_ms.is_none() {
            return pending().await;
        }
        abort.cancelled().await;
        self.over(self.grace_ms).await;
    }
}

/// What `work` gives, unless a bound comes first: it is left then, and dropped with this.
pub(crate) async fn within<T>(work: impl Future<Output = T>, bound: &Bound, abort: &Abort) -> Result<T, Cut> {
    let (mut work, mut late, mut stopped) = (pin!(work), pin!(bound.over(bound.ms)), pin!(bound.stopped(abort)));
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Ok(done));
        }
        if stopped.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(Cut::Aborted));
        }
        let cut = if abort.aborted() { Cut::Aborted } else { Cut::Late };
        late.as_mut().poll(cx).map(|()| Err(cut))
    })
    .await
}
