//! What lives in the module under numbers that JavaScript holds: tasks, promises in flight, schemas, responses.

use std::any::Any;
use std::mem::ManuallyDrop;
use std::task::Waker;

use wasm_bindgen::prelude::*;

use super::executor::Task;
use crate::table::{Key, Table};

thread_local! {
    // Never dropped, like the thread: else every access would ask whether it is still there.
    static KEPT: ManuallyDrop<Table<Kept>> = const { ManuallyDrop::new(Table::new()) };
}

/// One table holds all of it, so that its code is there once.
pub(super) enum Kept {
    /// A task that is not being polled.
    Task(Task),
    /// A promise in flight, and whom to wake.
    Pending(Option<Waker>),
    /// What a promise came to.
    Settled(Result<JsValue, JsValue>),
    /// Something of an export's own.
    Value(Box<dyn Any>),
}

/// Keeps something. Numbers begin at 1, so that 0 can stand for none.
pub(super) fn keep(value: Kept) -> f64 {
    KEPT.with(|kept| kept.insert(value)).to_number() + 1.0
}

/// Takes it out; its number stays in use until [`forget`].
pub(super) fn take(number: f64) -> Option<Kept> {
    KEPT.with(|kept| kept.take(key(number)))
}

/// Puts it, or what it became, back. When its number was forgotten meanwhile it is dropped.
pub(super) fn restore(number: f64, value: Kept) {
    drop(KEPT.with(|kept| kept.restore(key(number), value)));
}

/// Forgets a number and drops what it stands for.
#[wasm_bindgen]
pub fn forget(number: f64) {
    drop(KEPT.with(|kept| kept.remove(key(number))));
}

/// Lets `work` use a [`Kept::Value`]; nothing happens when the number stands for none of that type. The value is out
/// meanwhile: host code may be called, and nothing may be borrowed then.
pub(super) fn lend<T: 'static>(number: f64, work: &mut dyn FnMut(&mut T)) {
    let Some(mut kept) = take(number) else {
        return;
    };
    if let Kept::Value(value) = &mut kept {
        if let Some(value) = value.downcast_mut() {
            work(value);
        }
    }
    restore(number, kept);
}

fn key(number: f64) -> Key {
    Key::from_number(number - 1.0)
}
