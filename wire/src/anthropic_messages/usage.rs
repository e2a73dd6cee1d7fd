//! Token counts (PROVIDERS 4.2).

use crate::source::names;

/// Names of the counts, in the order of [`Usage::counts`](crate::usage::Usage).
pub(super) const NAMES: &[u8] = names![
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cache_creation.ephemeral_1h_input_tokens",
    "output_tokens_details.thinking_tokens",
];
