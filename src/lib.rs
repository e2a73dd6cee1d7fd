//! Agent runtime for browsers: the agent loop, streaming, tools and sessions.
#![cfg_attr(not(test), warn(missing_docs))]

pub mod abort;
pub mod agent;
pub mod agent_loop;
pub mod error;
pub mod event;
pub mod host;
#[cfg(feature = "js")]
pub mod js;
pub mod model;
pub mod native;
pub mod profile;
pub mod queue;
mod respond;
pub mod schedule;
pub mod session;
pub mod slot;
pub mod table;
mod together;
mod tool_batch;
pub mod tool_call;
