//! Wire layer of steersman: bytes in, events out. No I/O, no clock, no executor.

pub mod json;
pub mod schema;
pub mod sniff;
pub mod sse;
