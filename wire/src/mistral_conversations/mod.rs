//! Mistral's own API (PROVIDERS 8): Chat Completions in most respects, and built from its parts.
//!
//! | file | what |
//! |---|---|
//! | `request` | the body around the messages |
//! | `messages` | the conversation |
//! | `decode` | how a stream ends; everything before that is Chat Completions |

mod decode;
mod messages;
mod request;

pub(crate) use decode::Decoder;
pub(crate) use request::request;

/// Name of this API in a model.
pub(crate) const API: &str = "mistral-conversations";
