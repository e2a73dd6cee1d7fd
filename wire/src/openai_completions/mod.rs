//! OpenAI Chat Completions and its many dialects (PROVIDERS 5).
//!
//! | file | what |
//! |---|---|
//! | `request` | the body around the messages, and the headers |
//! | `messages` | the conversation |
//! | `thinking` | how each dialect is told to think |
//! | `tools` | tool declarations |
//! | `decode` | what an event does to the message |
//! | `calls` | which call a delta belongs to |
//! | `reasoning` | reasoning details that go back to the provider |
//! | `usage` | token counts |

mod calls;
mod decode;
mod messages;
mod reasoning;
mod request;
mod thinking;
mod tools;
mod usage;

pub(crate) use decode::Decoder;
pub(crate) use messages::function_call;
pub(crate) use request::{headers, request};
pub(crate) use tools::write as write_tools;

/// Name of this API in a model.
pub(crate) const API: &str = "openai-completions";
