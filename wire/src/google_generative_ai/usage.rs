//! Token counts (PROVIDERS 7.2).

use crate::source::Source;
use crate::usage::Usage;

/// Reads `usageMetadata`. What tools put into the prompt counts apart from it, and thoughts apart from the answer; what
/// was cached is part of the prompt.
pub(super) fn read(source: Source<'_>) -> Usage {
    let [prompt, tools, cached, answer, thoughts, total] = source.pick(&[
        "promptTokenCount",
        "toolUsePromptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "totalTokenCount",
    ]);
    let (cached, thoughts) = (cached.count(), thoughts.count());
    let mut usage = Usage {
        input: (prompt.count() + tools.count() - cached).max(0.0),
        output: answer.count() + thoughts,
        cache_read: cached,
        reasoning: Some(thoughts),
        total: total.count(),
        ..Usage::default()
    };
    if usage.total == 0.0 {
        usage.total = usage.sum();
    }
    usage
}
