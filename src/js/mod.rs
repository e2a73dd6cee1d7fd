//! The npm exports: plain functions over JavaScript objects, no classes, no policy.
//!
//! TypeScript (`npm/src/engine`) passes in objects whose methods this layer calls (structural imports), so no snippet
//! files exist and no user code is called without `catch`.

mod answer;
mod executor;
mod host;
mod kept;
mod probe;
mod promised;
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
pub use kept::forget;
pub use probe::break_down;
pub use schema::{check_arguments, compile_schema};
pub use session::{drop_session, session_call};
pub use stream::{
    message_is_overflow, message_is_retryable, response_end, response_fail, response_head, response_open,
    response_push, wire_request,
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

/// Start a run with prompts (`given`: an array of messages) on a context, or without (`undefined`) one that goes on from
/// it. With a `call` only that tool call of the message `given` is done, outside a batch. The loop is polled once before
/// this returns; the run's `finish` is called at the end, exactly once unless the module traps.
#[wasm_bindgen(js_name = startRun)]
pub fn start_run(run: Run, given: JsValue, context: JsValue, call: JsValue, profile: u32) {
    let host = JsHost::new(run, Profile::from_bits(profile));
    executor::spawn(Box::pin(async move {
        let work = async {
            if call.is_undefined() {
                let prompts = (!given.is_undefined()).then_some(&given);
                agent_loop::start(&host, prompts, &context).await
            } else {
                Ok(host.outcome_of(&run_tool_call(&host, &context, &given, &call).await?))
            }
        };
        host.see_through(work).await;
    }));
}
