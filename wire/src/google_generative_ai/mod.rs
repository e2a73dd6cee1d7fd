//! Google's Gemini API (PROVIDERS 7).
//!
//! | file | what |
//! |---|---|
//! | `family` | what a model takes, by its name |
//! | `request` | the body around the conversation, and the headers |
//! | `messages` | the conversation |
//! | `tools` | tool declarations |
//! | `thinking` | how much to think |
//! | `decode` | what an event does to the message |
//! | `calls` | tool calls, whole and in pieces |
//! | `usage` | token counts |

mod calls;
mod decode;
mod family;
mod messages;
mod request;
mod thinking;
mod tools;
mod usage;

pub(crate) use decode::Decoder;
pub(crate) use request::request;

/// Whether a model takes a form for its answer beside tools: Gemini 3 and later.
pub(crate) fn takes_form_beside_tools(id: &str) -> bool {
    family::Family::of(id).is_third()
}

/// Name of this API in a model.
pub(crate) const API: &str = "google-generative-ai";
