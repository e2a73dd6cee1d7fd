//! OpenAI Responses (PROVIDERS 6).
//!
//! | file | what |
//! |---|---|
//! | `request` | the body around the conversation |
//! | `input` | the conversation as a list of items |
//! | `decode` | what an event does to the message |
//! | `usage` | token counts |

mod decode;
mod input;
mod request;
mod usage;

pub(crate) use decode::Decoder;
pub(crate) use request::request;

/// Name of this API in a model.
pub(crate) const API: &str = "openai-responses";
