//! Waiting, and letting the page breathe: a body that is buffered already is read in microtasks only, so that a long one
//! would block painting, input and timers until its end.

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

/// Longest stretch of work without a break, in milliseconds.
const STRETCH: f64 = 8.0;

/// A wait longer than this was a real one: others had their turn. In milliseconds.
const REAL_WAIT: f64 = 1.0;

/// The longest delay a timer takes, in milliseconds; a longer one would ring at once.
const LONGEST: f64 = 2_147_483_647.0;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_name = setTimeout)]
    fn set_timeout(done: &Function, ms: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(catch, js_namespace = performance, js_name = now)]
    fn performance_now() -> Result<f64, JsValue>;
}

fn now() -> f64 {
    performance_now().unwrap_or_default()
}

/// Measures the work of one response.
pub(super) struct Pace {
    since: f64,
}

impl Pace {
    pub fn new() -> Self {
        Pace { since: now() }
    }

    /// Take a break if it is time for one.
    pub async fn breathe(&mut self) {
        if now() - self.since > STRETCH {
            next_turn().await;
            self.since = now();
        }
    }

    /// Wait for something of the browser's, which may be a break by itself.
    pub async fn wait<T>(&mut self, work: impl std::future::Future<Output = T>) -> T {
        let begun = now();
        let done = work.await;
        let ended = now();
        if ended - begun > REAL_WAIT {
            self.since = ended;
        }
        done
    }
}

/// A new task, behind what is waiting. Not `setTimeout`, which hidden pages slow down to a second and more, and not
/// `scheduler.yield`, which goes before timers.
async fn next_turn() {
    let turn = Promise::new(&mut |resolve: Function, _| {
        let Ok(channel) = MessageChannel::new() else {
            drop(set_timeout(&resolve, 0.0));
            return;
        };
        let port = channel.port1();
        // An open port is never collected.
        let come = Closure::once_into_js(move || {
            port.close();
            drop(resolve.call0(&JsValue::UNDEFINED));
        });
        channel.port1().set_onmessage(come.dyn_ref());
        drop(channel.port2().post_message(&JsValue::UNDEFINED));
    });
    drop(JsFuture::from(turn).await);
}

/// Some milliseconds. Dropping the future calls the timer off.
pub(super) async fn sleep(ms: f64) {
    let mut left = ms;
    while left > 0.0 {
        let step = left.min(LONGEST);
        let mut timer = Timer(JsValue::UNDEFINED);
        let rung = Promise::new(&mut |resolve: Function, _| timer.0 = set_timeout(&resolve, step).unwrap_or_default());
        drop(JsFuture::from(rung).await);
        left -= step;
    }
}

/// A timer that has not rung, or has.
struct Timer(JsValue);

impl Drop for Timer {
    fn drop(&mut self) {
        drop(clear_timeout(&self.0));
    }
}
