//! Token counts (PROVIDERS 6.2).

use crate::source::Source;
use crate::usage::Usage;

/// Reads `usage`, if it is there.
pub(super) fn read(source: Source<'_>) -> Option<Usage> {
    if source.only(b'{').is_absent() {
        return None;
    }
    let [input, output, total, read, written] = source.pick(&[
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "input_tokens_details",
        "output_tokens_details",
    ]);
    let [cached, kept] = read.pick(&["cached_tokens", "cache_write_tokens"]);
    let [reasoning] = written.pick(&["reasoning_tokens"]);
    let (cache_read, cache_write) = (cached.count(), kept.count());
    let mut usage = Usage {
        input: (input.count() - cache_read - cache_write).max(0.0),
        output: output.count(),
        cache_read,
        cache_write,
        reasoning: Some(reasoning.count()),
        total: total.count(),
        ..Usage::default()
    };
    if usage.total == 0.0 {
        usage.total = usage.sum();
    }
    Some(usage)
}
