//! A page or worker in Rust (Leptos, Yew, Dioxus, plain wasm-bindgen): what the engine asks of its host, by the browser.
//! Feature `web`.
//!
//! ```no_run
//! # async fn ask() -> Result<(), steersman::error::Error> {
//! use steersman::model::Model;
//!
//! let agent = steersman::web::agent()
//!     .model(Model::openai_compatible("https://models.example/v1", "some-model"))
//!     .api_key("of the user")
//!     .build()?;
//! agent.prompt("What time is it?").await?;
//! # Ok(())
//! # }
//! ```
//!
//! A run goes on while its future is polled: give it to the `spawn_local` of the front end. Dropping it closes the
//! connection.
//!
//! | file | what it holds |
//! |---|---|
//! | `fetch` | [`Fetch`]: requests, and which of them are repeated |
//! | `body` | a response that comes in, and how it ends |
//! | `turns` | waiting, and letting the page breathe |
//! | `regexps` | [`RegExps`]: `pattern` and `format` of schemas |

mod body;
mod fetch;
mod regexps;
mod turns;

pub use fetch::Fetch;
pub use regexps::RegExps;

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use crate::agent::{Agent, AgentBuilder};
use crate::native::Wires;

/// An agent to describe that has what the browser gives: the built-in protocols over [`Fetch`], [`RegExps`], the
/// clock, and a timer. Each can be given anew, for instance `stream_fn(Wires::new(Fetch::default().retries(2)))`.
pub fn agent() -> AgentBuilder {
    Agent::builder()
        .stream_fn(Wires::new(Fetch::default()))
        .patterns(RegExps::default())
        .clock(js_sys::Date::now)
        .timer(turns::sleep)
}

/// What something thrown says. Total: a page may have put anything in the place of `fetch`.
fn words(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &JsValue::from_str("message"));
    let said = message.ok().and_then(|message| message.as_string()).or_else(|| thrown.as_string());
    said.unwrap_or_else(|| "the browser gives no reason".to_owned())
}
