//! The feature `web` in a worker.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, missing_docs)]

mod support;
mod transport;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
