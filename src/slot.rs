//! [`Slot`]: the only interior mutability of the crate.
//!
//! A slot lends no reference to users of the crate and runs no code of theirs, so nothing can be called while it is
//! borrowed. What it held is handed back rather than dropped inside, because a drop may call user code.

#![allow(clippy::disallowed_types)] // this is the one place

use std::cell::RefCell;
use std::mem;
use std::task::Waker;

/// A shared, replaceable value.
#[derive(Default)]
pub struct Slot<T>(RefCell<T>);

impl<T> Slot<T> {
    /// A slot that holds `value`.
    pub const fn new(value: T) -> Self {
        Slot(RefCell::new(value))
    }

    /// Put `value` in and hand back what was there.
    pub fn replace(&self, value: T) -> T {
        // The borrow ends inside the call: `replace` moves, it neither drops nor calls.
        self.0.replace(value)
    }

    /// Hand back the value and leave the default.
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// A copy of the value. `T::clone` must not call user code: handles (`Rc`, `JsValue`) and plain data only.
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.0.borrow().clone()
    }
}

impl<T> Slot<T> {
    /// Read in place. For this crate only: `read` must neither call out nor drop anything of the caller's.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.0.borrow())
    }

    /// Change in place, under the same rule as [`Slot::read`].
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut self.0.borrow_mut())
    }
}

impl<T> Slot<Vec<T>> {
    /// Append.
    pub fn push(&self, value: T) {
        self.0.borrow_mut().push(value);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Take the last one.
    pub fn pop(&self) -> Option<T> {
        self.0.borrow_mut().pop()
    }

    /// Change the element at `index` in place, under the same rule as [`Slot::read`].
    pub(crate) fn with_at<R>(&self, index: usize, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.borrow_mut().get_mut(index).map(change)
    }

    /// A copy of the element at `index`.
    pub fn at(&self, index: usize) -> Option<T>
    where
        T: Clone,
    {
        self.0.borrow().get(index).cloned()
    }

    /// Replace the element at `index`; gives the value back when there is no such place.
    pub fn put(&self, index: usize, value: T) -> Option<T> {
        match self.0.borrow_mut().get_mut(index) {
            Some(place) => Some(mem::replace(place, value)),
            None => Some(value),
        }
    }
}

impl Slot<Vec<Waker>> {
    /// Keep who waits: one entry per task, however often it polls.
    pub(crate) fn remember(&self, waker: &Waker) {
        if !self.read(|wakers| wakers.iter().any(|other| other.will_wake(waker))) {
            self.push(waker.clone());
        }
    }
}
