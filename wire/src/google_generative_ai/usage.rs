//! Token counts (PROVIDERS 7.2).

use crate::json::Reader;
use crate::read;
use crate::usage::Usage;

/// Reads `usageMetadata`. What tools put into the prompt counts apart from it, and thoughts apart from the answer; what
/// was cached is part of the prompt.
pub(super) fn read(source: &str) -> Usage {
    let names = [
        "promptTokenCount",
        "toolUsePromptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "totalTokenCount",
    ];
    // The source was checked with the event around it.
    let found = read::pick(&mut Reader::new(source), names).unwrap_or_default();
    let mut counts = [0.0; 6];
    for (count, span) in counts.iter_mut().zip(found) {
        if let Ok(Some(number)) = read::number(&mut Reader::new(span.unwrap_or("0"))) {
            *count = number;
        }
    }
    let [prompt, tools, cached, answer, thoughts, total] = counts;
    let mut usage = Usage {
        input: (prompt + tools - cached).max(0.0),
        output: answer + thoughts,
        cache_read: cached,
        reasoning: Some(thoughts),
        total,
        ..Usage::default()
    };
    if total == 0.0 {
        usage.total = usage.sum();
    }
    usage
}
