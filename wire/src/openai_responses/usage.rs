//! Token counts (PROVIDERS 6.2).

use crate::source::Source;
use crate::usage::{Usage, UNKNOWN};

const NAMES: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "input_tokens_details.cached_tokens",
    "input_tokens_details.cache_write_tokens",
    "output_tokens_details.reasoning_tokens",
    "total_tokens",
];

/// Reads `usage`, if it is there.
pub(super) fn read(source: &Source<'_>) -> Option<Usage> {
    if !source.is(b'{') {
        return None;
    }
    let mut numbers = [0.0; 6];
    source.numbers(&NAMES, &mut numbers);
    let [input, output, cached, kept, reasoning, total] = numbers;
    Some(Usage::of([(input - cached - kept).max(0.0), output, cached, kept, UNKNOWN, reasoning, total]))
}
