//! Agent runtime for browsers.
