//! Mistral's own API (PROVIDERS 8): Chat Completions in most respects, and built from its parts; responses
//! are read by its decoder.
//!
//! | file | what |
//! |---|---|
//! | `request` | the body around the messages |
//! | `messages` | the conversation |

mod messages;
mod request;

pub(crate) use request::request;

/// Name of this API in a model.
pub(crate) const API: &str = "mistral-conversations";
