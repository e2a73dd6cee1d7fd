//! Token counts (PROVIDERS 7.2).

use crate::source::{names, Source};
use crate::usage::Usage;

/// Names of the counts, in the order of [`Usage::counts`]; `-` for one that is not told. What tools put into the prompt
/// stands in the place of what went into a cache, which is not told either.
const NAMES: &[u8] = names![
    "promptTokenCount",
    "candidatesTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
    "-",
    "thoughtsTokenCount",
    "totalTokenCount",
];

/// Reads `usageMetadata`. What tools put into the prompt counts apart from it, and thoughts apart from the answer; what
/// was cached is part of the prompt.
pub(super) fn read(source: &Source<'_>, usage: &mut Usage) {
    source.numbers(NAMES, &mut usage.counts);
    let [input, output, cached, tools, _, thoughts, _] = &mut usage.counts;
    *input = (*input + *tools - *cached).max(0.0);
    *output += *thoughts;
    *tools = 0.0;
}
