//! The executor: tasks, promises they wait for, and the one entry by which JavaScript wakes them.
//!
//! JavaScript watches promises (`Env.watch`) and comes back through [`settle`], which its side guards: a trap is
//! caught there, every run in flight is ended, and the module's state is reset. A promise that settles after that, or
//! after its task was dropped, finds nothing.

use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use wasm_bindgen::prelude::*;

use crate::slot::Slot;
use crate::table::{Key, Table};

#[wasm_bindgen]
extern "C" {
    /// What the JS side gives the module once, and again after a reset.
    #[derive(Clone)]
    pub type Env;

    /// Call [`settle`] with `key` once `promise` is settled.
    #[wasm_bindgen(method, catch)]
    fn watch(this: &Env, promise: &JsValue, key: f64) -> Result<(), JsValue>;

    /// Whether an ECMA-262 pattern matches somewhere in a text: 1 yes, 0 no, -1 not a pattern.
    #[wasm_bindgen(method, catch)]
    pub fn matches(this: &Env, pattern: &str, text: &str) -> Result<i32, JsValue>;

    /// Named here, because the crate that has it brings code along for every type of closure that it takes.
    type Promise;
}

thread_local! {
    // Never dropped, like the thread: else every access would ask whether it is still there.
    static EXECUTOR: ManuallyDrop<Executor> = const { ManuallyDrop::new(Executor::new()) };
}

struct Executor {
    env: Slot<Option<Env>>,
    tasks: Table<Task>,
    ready: Slot<Vec<Key>>,
    waits: Table<Wait>,
    /// How many polls are on the stack; user code called by a task may start another run.
    depth: Slot<u32>,
}

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    waker: Waker,
}

enum Wait {
    Pending(Option<Waker>),
    Settled(Result<JsValue, JsValue>),
}

struct TaskWaker(f64);

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        EXECUTOR.with(|executor| executor.ready.push(Key::from_number(self.0)));
    }
}

/// Give the module its environment; called by the JS side before anything else.
#[wasm_bindgen]
pub fn install(env: Env) {
    EXECUTOR.with(|executor| {
        drop(executor.env.replace(Some(env)));
    });
}

/// The environment, once it was given.
pub(super) fn environment() -> Option<Env> {
    EXECUTOR.with(|executor| executor.env.get())
}

/// A watched promise was settled.
#[wasm_bindgen]
pub fn settle(key: f64, ok: bool, value: JsValue) {
    EXECUTOR.with(|executor| {
        let key = Key::from_number(key);
        // A dropped wait took its key along: the value goes nowhere.
        if let Some(Wait::Pending(waker)) = executor.waits.take(key) {
            executor.waits.restore(key, Wait::Settled(if ok { Ok(value) } else { Err(value) }));
            if let Some(waker) = waker {
                waker.wake();
            }
        }
        executor.run_ready();
    });
}

/// Start a task and poll it once before this returns.
pub(super) fn spawn(future: impl Future<Output = ()> + 'static) {
    EXECUTOR.with(|executor| {
        let key = executor.tasks.insert(Task { future: Box::pin(future), waker: Waker::noop().clone() });
        if let Some(task) = executor.tasks.take(key) {
            let waker = Waker::from(Arc::new(TaskWaker(key.to_number())));
            executor.poll(key, Task { waker, ..task });
        }
        executor.run_ready();
    });
}

impl Executor {
    const fn new() -> Self {
        Executor {
            env: Slot::new(None),
            tasks: Table::new(),
            ready: Slot::new(Vec::new()),
            waits: Table::new(),
            depth: Slot::new(0),
        }
    }

    /// Poll what was woken, oldest first. Inside another poll nothing is done: the outermost one gets to it, when the
    /// task that is being polled is back in its place.
    fn run_ready(&self) {
        if self.depth.get() > 0 {
            return;
        }
        loop {
            let woken = self.ready.take();
            if woken.is_empty() {
                return;
            }
            for key in woken {
                if let Some(task) = self.tasks.take(key) {
                    self.poll(key, task);
                }
            }
        }
    }

    fn poll(&self, key: Key, mut task: Task) {
        self.depth.replace(self.depth.get() + 1);
        let poll = task.future.as_mut().poll(&mut Context::from_waker(&task.waker));
        self.depth.replace(self.depth.get() - 1);
        match poll {
            Poll::Pending => drop(self.tasks.restore(key, task)),
            Poll::Ready(()) => {
                drop(self.tasks.remove(key));
                drop(task);
            }
        }
    }
}

/// Wait for a promise; anything else is its own answer.
pub(super) async fn wait(value: JsValue) -> Result<JsValue, JsValue> {
    if !value.is_instance_of::<Promise>() {
        return Ok(value);
    }
    let key = EXECUTOR.with(|executor| executor.waits.insert(Wait::Pending(None)));
    let pending = Pending(key);
    match environment() {
        Some(env) => env.watch(&value, key.to_number())?,
        None => return Err(JsValue::from_str("the engine has no environment")),
    }
    pending.await
}

/// A promise in flight; dropping it forgets the key.
struct Pending(Key);

impl Future for Pending {
    type Output = Result<JsValue, JsValue>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        EXECUTOR.with(|executor| match executor.waits.take(self.0) {
            Some(Wait::Settled(outcome)) => Poll::Ready(outcome),
            Some(Wait::Pending(_)) => {
                drop(executor.waits.restore(self.0, Wait::Pending(Some(cx.waker().clone()))));
                Poll::Pending
            }
            // Polled again after its answer: the combinators in use never do that.
            None => Poll::Pending,
        })
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        EXECUTOR.with(|executor| drop(executor.waits.remove(self.0)));
    }
}
