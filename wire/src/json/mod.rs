//! JSON core.
