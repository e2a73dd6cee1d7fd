//! What a run waits for: answers of its host.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use wasm_bindgen::prelude::*;

use super::executor::Waiting;
use super::host::JsHost;

/// An answer to come, of that host. One word, because the states of the loop are full of them.
pub(super) type Held<'a> = Box<(Waiting, &'a JsHost)>;

/// An answer, or what was thrown instead, and how to read it.
pub(super) struct Tried<'a, F>(pub Held<'a>, pub F);

impl<T, F: Fn(JsValue) -> T + Unpin> Future for Tried<'_, F> {
    type Output = Result<T, JsValue>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0 .0).poll(cx).map_ok(&self.1)
    }
}

/// An answer, and how to read it. When the run has failed, by what is thrown here or elsewhere, there is none: this is
/// dropped with everything else that the run waits for.
pub(super) struct Sure<'a, F>(pub Held<'a>, pub F);

impl<T, F: Fn(JsValue) -> T + Unpin> Future for Sure<'_, F> {
    type Output = Result<T, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match answered(&mut self.0, cx) {
            Some(answer) => Poll::Ready(Ok((self.1)(answer))),
            None => Poll::Pending,
        }
    }
}

/// The part of it that is the same for all.
fn answered((waiting, host): &mut (Waiting, &JsHost), cx: &mut Context<'_>) -> Option<JsValue> {
    if !host.failed() {
        match Pin::new(waiting).poll(cx) {
            Poll::Ready(Ok(answer)) => return Some(answer),
            Poll::Ready(Err(thrown)) => host.fail(thrown),
            Poll::Pending => {}
        }
    }
    None
}
