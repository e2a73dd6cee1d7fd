//! What reading gives.

use crate::json::JsonError;

/// What was read, or why it is no good JSON.
pub(crate) type Read<T> = Result<T, JsonError>;
