//! What tests of runs wait with.

use std::future::poll_fn;
use std::task::Poll;

/// Lets the other tasks go on first.
pub async fn yield_now() {
    let mut yielded = false;
    poll_fn(move |cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
