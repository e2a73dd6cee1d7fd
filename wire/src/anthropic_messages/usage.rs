//! Token counts (PROVIDERS 4.2).

use crate::source::Source;
use crate::usage::Usage;

/// Names of the counts, in the order of [`Usage::counts`].
const NAMES: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cache_creation.ephemeral_1h_input_tokens",
    "output_tokens_details.thinking_tokens",
];

/// Takes over the counts that a `usage` object has.
pub(super) fn count(usage: &mut Usage, source: &Source<'_>) {
    source.numbers(&NAMES, &mut usage.counts);
    usage.add_up();
}
