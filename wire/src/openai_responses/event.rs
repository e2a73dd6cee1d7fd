//! Reading events and the objects inside.

use crate::draft::Source;
use crate::json::Reader;
use crate::literal::Literal;
use crate::read::{self, Read};
use crate::usage::Usage;

/// Reads the members of an event that `names` names; see [`read::spans`].
pub(super) fn event<'a>(data: &'a str, names: &[&str], found: &mut [&'a str]) -> Read<()> {
    let mut reader = Reader::new(data);
    read::spans(&mut reader, names, found)?;
    reader.finish()
}

/// A string that is plain in any case, such as a kind; empty for anything else.
pub(super) fn word(span: &str) -> &str {
    if span.starts_with('"') {
        Literal::of_span(span).inner()
    } else {
        ""
    }
}

/// A number, 0 for anything else.
pub(super) fn count(span: &str) -> f64 {
    read::number(&mut Reader::new(span)).ok().flatten().unwrap_or_default()
}

/// Reads token counts.
pub(super) fn usage(source: Source<'_>) -> Read<Option<Usage>> {
    if !source.span.starts_with('{') {
        return Ok(None);
    }
    let names = ["input_tokens", "output_tokens", "total_tokens", "input_tokens_details", "output_tokens_details"];
    let mut found = [""; 5];
    source.spans(&names, &mut found)?;
    let [input, output, total, read, written] = found;
    let mut found = [""; 3];
    for details in [read, written] {
        Source { span: details }.spans(&["cached_tokens", "cache_write_tokens", "reasoning_tokens"], &mut found)?;
    }
    let [cached, kept, reasoning] = found;
    let (cache_read, cache_write) = (count(cached), count(kept));
    let mut usage = Usage {
        input: (count(input) - cache_read - cache_write).max(0.0),
        output: count(output),
        cache_read,
        cache_write,
        reasoning: Some(count(reasoning)),
        total: count(total),
        ..Usage::default()
    };
    if usage.total == 0.0 {
        usage.total = usage.sum();
    }
    Ok(Some(usage))
}
