//! The built-in wires for the transport in `npm/src/stream`: it moves the bytes, this side knows the protocols.
//!
//! Every call that makes something hands it over by one method of the sink, which only stores it; the transport reads
//! it after the call has returned. So no user code runs with Rust on the stack.

use steersman_wire::{is_context_overflow, is_retryable, request, Ended, Response, WireError};
use wasm_bindgen::prelude::*;

use super::kept::{keep, lend, Kept};
use super::probe;

#[wasm_bindgen]
extern "C" {
    /// Takes what an export made. All slices are views into the module's memory, to be copied.
    pub type WireSink;

    /// Records and text of a [`steersman_wire::Batch`].
    #[wasm_bindgen(method, catch)]
    fn batch(this: &WireSink, records: &[u32], text: &str) -> Result<(), JsValue>;

    /// The same for a batch of one record whose range is the whole text: the usual case when a model is slow.
    #[wasm_bindgen(method, catch)]
    fn one(this: &WireSink, kind: u32, a: u32, text: &str) -> Result<(), JsValue>;

    /// A request: headers as a JSON list of pairs, body, and what [`response_open`] needs.
    #[wasm_bindgen(method, catch)]
    fn request(this: &WireSink, url: &str, headers: &str, body: &[u8], reply: &str) -> Result<(), JsValue>;

    /// Nothing could be made: an error code and a text.
    #[wasm_bindgen(method, catch)]
    fn refuse(this: &WireSink, code: &str, message: &str) -> Result<(), JsValue>;
}

/// Build a request from `{ model, context, options }` as JSON. The sink's `request` or `refuse` is called.
#[wasm_bindgen(js_name = wireRequest)]
pub fn wire_request(sink: &WireSink, input: &str) {
    // The sink is our own code and only stores; there is nobody left to tell if it fails.
    let _ = match request(input) {
        Ok(made) => sink.request(&made.url, &header_list(&made.headers), &made.body, &made.reply),
        Err(error) => refuse(sink, &error),
    };
}

/// Start a response. Gives its number, for [`forget`](super::forget) too; 0 after a `refuse`.
#[wasm_bindgen(js_name = responseOpen)]
pub fn response_open(sink: &WireSink, reply: &str) -> f64 {
    match Response::new(reply) {
        Ok(response) => keep(Kept::Value(Box::new(response))),
        Err(error) => {
            let _ = refuse(sink, &error);
            0.0
        }
    }
}

/// Status, content type (empty when missing) and status text are there.
#[wasm_bindgen(js_name = responseHead)]
pub fn response_head(sink: &WireSink, key: f64, status: u16, content_type: &str, status_text: &str) {
    step(sink, key, &mut |response| response.head(status, content_type, status_text));
}

/// A piece of the body.
#[wasm_bindgen(js_name = responsePush)]
pub fn response_push(sink: &WireSink, key: f64, chunk: &[u8]) {
    probe::checkpoint();
    step(sink, key, &mut |response| response.push(chunk));
}

/// The body is complete.
#[wasm_bindgen(js_name = responseEnd)]
pub fn response_end(sink: &WireSink, key: f64) {
    step(sink, key, &mut Response::end);
}

/// The response cannot go on: `aborted`, `network`, `stream_idle` or another error code, and the message for it.
#[wasm_bindgen(js_name = responseFail)]
pub fn response_fail(sink: &WireSink, key: f64, code: &str, message: &str) {
    step(sink, key, &mut |response| response.give_up(code, message));
}

/// Whether a finished message is worth another try. See [`is_retryable`].
#[wasm_bindgen(js_name = messageIsRetryable)]
pub fn message_is_retryable(stop_reason: &str, error_message: &str) -> bool {
    is_retryable(&Ended { stop_reason, error_message, ..Ended::default() })
}

/// Whether a finished message says that the input was too long. `window` is 0 when it is not known. See
/// [`is_context_overflow`].
#[wasm_bindgen(js_name = messageIsOverflow)]
#[allow(clippy::too_many_arguments)] // The members of a message, flat: an object would cost a read each.
pub fn message_is_overflow(
    stop_reason: &str,
    error_message: &str,
    provider: &str,
    input: f64,
    cache_read: f64,
    output: f64,
    window: f64,
) -> bool {
    let ended = Ended { stop_reason, error_message, provider, input, cache_read, output };
    is_context_overflow(&ended, Some(window))
}

/// Let a response do a step, and hand over what it made. A key that is not in use makes nothing.
fn step(sink: &WireSink, key: f64, act: &mut dyn FnMut(&mut Response)) {
    lend(key, &mut |response: &mut Response| {
        act(response);
        let batch = response.batch();
        if !batch.is_empty() {
            let _ = match batch.single() {
                Some(record) => sink.one(record.kind, record.a, record.text),
                None => sink.batch(batch.records(), batch.text()),
            };
            response.clear();
        }
    });
}

fn refuse(sink: &WireSink, error: &WireError) -> Result<(), JsValue> {
    sink.refuse(error.code, &error.message)
}

fn header_list(headers: &[(String, String)]) -> String {
    use steersman_wire::json::{to_text, Value};
    let pair = |(name, value): &(String, String)| Value::Array(vec![name.as_str().into(), value.as_str().into()]);
    to_text(&Value::Array(headers.iter().map(pair).collect()))
}
