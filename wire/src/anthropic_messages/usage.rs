//! Token counts (PROVIDERS 4.2).

use crate::source::Source;
use crate::usage::Usage;

/// Takes over the counts that a `usage` object has.
pub(super) fn count(usage: &mut Usage, source: Source<'_>) {
    let [input, output, read, written, details, thoughts] = source.pick(&[
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cache_creation",
        "output_tokens_details",
    ]);
    let [long] = details.pick(&["ephemeral_1h_input_tokens"]);
    let [thinking] = thoughts.pick(&["thinking_tokens"]);
    usage.input = input.number().unwrap_or(usage.input);
    usage.output = output.number().unwrap_or(usage.output);
    usage.cache_read = read.number().unwrap_or(usage.cache_read);
    usage.cache_write = written.number().unwrap_or(usage.cache_write);
    usage.cache_write_1h = long.number().or(usage.cache_write_1h);
    usage.reasoning = thinking.number().or(usage.reasoning);
    usage.total = usage.sum();
}
