//! OpenAI Responses (PROVIDERS 6).
//!
//! | file | what |
//! |---|---|
//! | `request` | the body around the conversation |
//! | `input` | the conversation as a list of items |
//! | `event` | reads one event and what is inside of it |
//! | `decode` | what an event does to the message |

mod decode;
mod event;
mod input;
mod request;

pub(crate) use decode::Decoder;
pub(crate) use request::request;

/// Name of this API in a model.
pub(crate) const API: &str = "openai-responses";
