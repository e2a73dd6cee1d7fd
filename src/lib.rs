//! Agent runtime for browsers.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod agent_loop;
pub mod event;
pub mod host;
#[cfg(feature = "js")]
pub mod js;
pub mod profile;
mod respond;
pub mod schedule;
pub mod slot;
pub mod table;
mod tool_batch;
pub mod tool_call;
