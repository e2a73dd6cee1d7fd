//! Wire layer of steersman: bytes in, events out. No I/O, no clock, no executor.

pub mod batch;
mod body;
mod context;
mod draft;
mod estimate;
mod failure;
mod http;
mod ids;
pub mod json;
mod literal;
mod mistral_conversations;
mod model;
mod openai_completions;
mod order;
mod pi_messages;
mod proxy;
mod read;
mod request;
mod response;
pub mod schema;
pub mod sniff;
pub mod sse;
mod strict_schema;
mod template;
mod text;
mod tool_args;
mod tools;
mod transcript;
mod usage;
mod verdict;
mod write;

pub use batch::Batch;
pub use http::{HttpRequest, WireError};
pub use request::request;
pub use response::Response;
pub use verdict::{is_context_overflow, is_retryable, Ended};
