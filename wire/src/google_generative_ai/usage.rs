//! Token counts (PROVIDERS 7.2).

use crate::draft::Source;
use crate::read;
use crate::usage::Usage;

const COUNTS: [&str; 6] = [
    "promptTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
];

/// Reads `usageMetadata`. What tools put into the prompt counts apart from it, and thoughts apart from the answer; what
/// was cached is part of the prompt.
pub(super) fn read(source: Source<'_>) -> Usage {
    let mut counts = [0.0; 6];
    for (count, span) in counts.iter_mut().zip(source.pick(&COUNTS)) {
        if let Ok(Some(number)) = read::number(&mut source.part(span).reader()) {
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
