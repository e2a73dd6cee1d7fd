//! Breaking the module on purpose, so that an application (and our tests) can see what a crash of the engine does.

use std::hint::black_box;

use wasm_bindgen::prelude::*;

use crate::slot::Slot;

thread_local! {
    /// The next piece of a response body breaks the module.
    static ARMED: Slot<bool> = const { Slot::new(false) };
}

/// Break the module: 0 by a panic, 1 by a stack overflow, 2 by a panic inside the next piece of a response body.
#[wasm_bindgen(js_name = breakDown)]
#[allow(clippy::panic)] // its only purpose
pub fn break_down(how: u32) {
    match how {
        0 => panic!("broken on purpose"),
        1 => _ = black_box(deeper(0)),
        _ => _ = ARMED.with(|armed| armed.replace(true)),
    }
}

/// Called with every piece of a response body.
#[allow(clippy::panic)]
pub(super) fn checkpoint() {
    if ARMED.with(Slot::take) {
        panic!("broken on purpose");
    }
}

#[allow(unconditional_recursion)]
fn deeper(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    deeper(depth + 1) + frame.iter().sum::<u64>()
}
