//! Anthropic Messages (PROVIDERS 4).
//!
//! | file | what |
//! |---|---|
//! | `request` | the body around the messages, thinking, and the headers |
//! | `messages` | the conversation |
//! | `tools` | tool declarations |
//! | `decode` | what an event does to the message |
//! | `usage` | token counts |
//!
//! Not spoken: message threads, system messages and effort in mid-conversation, and fallback models, all of which are
//! optional. A later system message is folded into the prompt.

mod decode;
mod messages;
mod request;
mod tools;
mod usage;

pub(crate) use decode::Decoder;
pub(crate) use request::request;

/// Name of this API in a model.
pub(crate) const API: &str = "anthropic-messages";
