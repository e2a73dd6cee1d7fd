//! The npm exports: plain functions over JavaScript objects, no classes, no policy.
//!
//! TypeScript (`npm/src/engine`) passes in objects whose methods this layer calls (structural imports), so no snippet
//! files exist and no user code is called without `catch`.

mod answer;
mod executor;
mod host;
mod probe;
mod schema;
mod session;
mod session_ops;
mod session_read;
mod stream;

use wasm_bindgen::prelude::*;

use crate::agent_loop;
use crate::profile::Profile;
use crate::tool_call::run_tool_call;
use host::{JsHost, Run};

pub use executor::{install, settle};
pub use probe::break_down;
pub use schema::{check_arguments, compile_schema, drop_schema};
pub use session::{drop_session, session_call};
pub use stream::{
    message_is_overflow, message_is_retryable, response_close, response_end, response_fail, response_head,
    response_open, response_push, wire_request,
};

/// A fifth of the size of the standard library's allocator. Neighbours that are free become one, so that what a long
/// event leaves behind serves again: the memory of a module never shrinks.
#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
#[global_allocator]
static ALLOCATOR: talc::cell::TalcSyncCell<talc::wasm::WasmGrowAndExtend, Bins> =
    talc::cell::TalcSyncCell::new_wasm(talc::wasm::WasmGrowAndExtend::new());

/// What is free, by size: the last bin holds everything from a megabyte on and is searched for what fits, where another
/// would give only what is in the next larger one.
#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
struct Bins;

#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
impl talc::base::binning::Binning for Bins {
    type AvailabilityBitField = u64;
    const BIN_COUNT: u32 = 40;

    fn size_to_bin(size: usize) -> u32 {
        talc::wasm::WasmBinning::size_to_bin(size)
    }
}

/// Start a run with prompts (an array of messages) on a context, or without (`undefined`) one that goes on from it. The
/// loop is polled once before this returns; the run's `finish` is called at the end, exactly once unless the module
/// traps.
#[wasm_bindgen(js_name = startRun)]
pub fn start_run(run: Run, prompts: JsValue, context: JsValue, profile: u32) {
    let host = JsHost::new(run.clone(), Profile::from_bits(profile));
    executor::spawn(async move {
        let prompts = (!prompts.is_undefined()).then_some(&prompts);
        finish(&run, agent_loop::start(&host, prompts, &context).await);
    });
}

/// Run one tool call outside a batch; `finish` gets what the run's `outcome` made of it.
#[wasm_bindgen(js_name = startToolCall)]
pub fn start_tool_call(run: Run, context: JsValue, message: JsValue, call: JsValue, profile: u32) {
    let host = JsHost::new(run.clone(), Profile::from_bits(profile));
    executor::spawn(async move {
        let outcome = match run_tool_call(&host, &context, &message, &call).await {
            Ok(done) => run.outcome(&done.call, &done.result, done.is_error, done.duration_ms),
            Err(thrown) => Err(thrown),
        };
        finish(&run, outcome);
    });
}

fn finish(run: &Run, outcome: Result<JsValue, JsValue>) {
    // `finish` is our own code and only settles a promise; there is nobody left to tell if it fails.
    let _ = match outcome {
        Ok(value) => run.finish(true, &value),
        Err(thrown) => run.finish(false, &thrown),
    };
}
