//! Token counts (PROVIDERS 6.2).

use crate::source::{names, Source};
use crate::usage::Usage;

/// Names of the counts, in the order of [`Usage::counts`]; `-` for one that is not told.
const NAMES: &[u8] = names![
    "input_tokens",
    "output_tokens",
    "input_tokens_details.cached_tokens",
    "input_tokens_details.cache_write_tokens",
    "-",
    "output_tokens_details.reasoning_tokens",
    "total_tokens",
];

/// Reads `usage`. The input includes what was cached.
pub(super) fn read(source: &Source<'_>, usage: &mut Usage) {
    source.numbers(NAMES, &mut usage.counts);
    let [input, _, cached, kept, ..] = &mut usage.counts;
    *input = (*input - *cached - *kept).max(0.0);
}
