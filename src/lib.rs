//! Agent runtime for browsers: the agent loop, streaming, tools and sessions.
//!
//! Rust front ends begin at [`agent::Agent`]: pure Rust, no browser, no executor. In a page or worker the feature `web`
//! adds what the browser has, and `web::agent()` begins an agent with it. The feature `js` is for the npm package.
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
#[cfg(feature = "web")]
pub mod web;

/// The protocols of providers, JSON Schema, server-sent events: what transports and expressions of your own are made of.
pub use steersman_wire as wire;
/// JSON: arguments of tools, schemas, details of results.
pub use steersman_wire::json;
