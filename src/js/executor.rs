//! The executor: tasks, promises they wait for, and the one entry by which JavaScript wakes them.
//!
//! JavaScript watches promises (`Env.watch`) and comes back through [`settle`], which its side guards: a trap is
//! caught there, every run in flight is ended, and the module's state is reset. A promise that settles after that, or
//! after its task was dropped, finds nothing.

use std::future::Future;
use std::mem::{self, ManuallyDrop};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

#[cfg(target_family = "wasm")]
use steersman_wire::json::double::{set_host, Host};
use wasm_bindgen::prelude::*;

use super::kept::{forget, keep, restore, take, Kept};
use crate::slot::Slot;

#[wasm_bindgen]
extern "C" {
    /// What the JS side gives the module once, and again after a reset.
    #[derive(Clone)]
    pub type Env;

    /// Call [`settle`] with `key` once `promise` is settled.
    #[wasm_bindgen(method, catch)]
    fn watch(this: &Env, promise: &JsValue, key: f64) -> Result<(), JsValue>;

    /// Whether an ECMA-262 pattern matches somewhere in a text: 1 yes, 0 no, -1 not a pattern. It is kept by `key`, which
    /// is the pattern itself where none is given.
    #[wasm_bindgen(method, catch)]
    pub fn matches(this: &Env, key: &str, pattern: &str, text: &str) -> Result<i32, JsValue>;

    /// Puts the digits of a number into memory; gives how many.
    #[wasm_bindgen(method, catch)]
    fn digits(this: &Env, value: f64, into: &mut [u8]) -> Result<usize, JsValue>;

    /// The language's own reading of numbers.
    #[wasm_bindgen(js_name = Number)]
    fn number(text: &str) -> f64;

    /// Named here, because the crate that has it brings code along for every type of closure that it takes.
    type Promise;
}

thread_local! {
    static EXECUTOR: ManuallyDrop<Executor> = const { ManuallyDrop::new(Executor::new()) };
}

struct Executor {
    env: Slot<Option<Env>>,
    /// Tasks that were woken.
    ready: Slot<Vec<f64>>,
    /// How many polls are on the stack; user code called by a task may start another run.
    depth: Slot<u32>,
}

/// What is being done for a run.
pub(super) struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    waker: Waker,
}

struct TaskWaker(f64);

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        EXECUTOR.with(|executor| executor.ready.push(self.0));
    }
}

/// Give the module its environment; called by the JS side before anything else.
#[wasm_bindgen]
pub fn install(env: Env) {
    #[cfg(target_family = "wasm")]
    set_host(Host { read: number, write: digits });
    EXECUTOR.with(|executor| {
        drop(executor.env.replace(Some(env)));
    });
}

/// The language's own writing of numbers: 25 characters at most.
#[cfg(target_family = "wasm")]
fn digits(value: f64) -> String {
    let mut text = [0; 32];
    // Our own code, which cannot fail.
    let length = environment().and_then(|env| env.digits(value, &mut text).ok()).unwrap_or_default();
    let text = text.get(..length).unwrap_or_default();
    std::str::from_utf8(text).unwrap_or_default().to_owned()
}

/// The environment, once it was given.
pub(super) fn environment() -> Option<Env> {
    EXECUTOR.with(|executor| executor.env.get())
}

/// A watched promise was settled.
#[wasm_bindgen]
pub fn settle(key: f64, ok: bool, value: JsValue) {
    // A dropped wait took its key along: the value goes nowhere.
    if let Some(Kept::Pending(waker)) = take(key) {
        restore(key, Kept::Settled(if ok { Ok(value) } else { Err(value) }));
        if let Some(waker) = waker {
            waker.wake();
        }
    }
    EXECUTOR.with(|executor| executor.run_ready());
}

/// Start a task and poll it once before this returns.
pub(super) fn spawn(future: Pin<Box<dyn Future<Output = ()>>>) {
    let key = keep(Kept::Pending(None));
    let waker = Waker::from(Arc::new(TaskWaker(key)));
    EXECUTOR.with(|executor| {
        executor.poll(key, Task { future, waker });
        executor.run_ready();
    });
}

impl Executor {
    const fn new() -> Self {
        Executor { env: Slot::new(None), ready: Slot::new(Vec::new()), depth: Slot::new(0) }
    }

    /// Poll what was woken, oldest first. Inside another poll nothing is done: the outermost one gets to it, when the
    /// task that is being polled is back in its place.
    fn run_ready(&self) {
        while self.depth.get() == 0 && !self.ready.is_empty() {
            for key in self.ready.take() {
                if let Some(Kept::Task(task)) = take(key) {
                    self.poll(key, task);
                }
            }
        }
    }

    fn poll(&self, key: f64, mut task: Task) {
        self.depth.replace(self.depth.get() + 1);
        let poll = task.future.as_mut().poll(&mut Context::from_waker(&task.waker));
        self.depth.replace(self.depth.get() - 1);
        match poll {
            Poll::Pending => restore(key, Kept::Task(task)),
            Poll::Ready(()) => forget(key),
        }
    }
}

/// The answer of JavaScript to an operation, once it is there.
pub(super) enum Waiting {
    Known(Result<JsValue, JsValue>),
    Promised(Pending),
    /// It was given.
    Over,
}

/// A promise in flight; dropping it forgets the key.
pub(super) struct Pending(f64);

impl Drop for Pending {
    fn drop(&mut self) {
        forget(self.0);
    }
}

/// Waits for an answer that is a promise; anything else is known at once.
pub(super) fn wait(answer: Result<JsValue, JsValue>) -> Waiting {
    let promise = match answer {
        Ok(promise) if promise.is_instance_of::<Promise>() => promise,
        known => return Waiting::Known(known),
    };
    let pending = Pending(keep(Kept::Pending(None)));
    match environment().map(|env| env.watch(&promise, pending.0)) {
        Some(Ok(())) => Waiting::Promised(pending),
        Some(Err(thrown)) => Waiting::Known(Err(thrown)),
        None => Waiting::Known(Err(JsValue::from_str("the engine has no environment"))),
    }
}

impl Future for Waiting {
    type Output = Result<JsValue, JsValue>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match mem::replace(&mut *self, Waiting::Over) {
            Waiting::Known(answer) => Poll::Ready(answer),
            Waiting::Promised(pending) => {
                if let Some(Kept::Settled(answer)) = take(pending.0) {
                    return Poll::Ready(answer);
                }
                restore(pending.0, Kept::Pending(Some(cx.waker().clone())));
                *self = Waiting::Promised(pending);
                Poll::Pending
            }
            // The combinators in use never poll again after the answer.
            Waiting::Over => Poll::Pending,
        }
    }
}
