//! Token counts (PROVIDERS 7.2).

use crate::source::{names, Source};
use crate::usage::Usage;

/// Names of the counts, in the order of [`Usage::counts`]; `-` for those that are not told.
const NAMES: &[u8] = names![
    "promptTokenCount",
    "candidatesTokenCount",
    "cachedContentTokenCount",
    "-",
    "-",
    "thoughtsTokenCount",
    "totalTokenCount",
];

/// Reads `usageMetadata`. What tools put into the prompt counts apart from it, and thoughts apart from the answer; what
/// was cached is part of the prompt.
pub(super) fn read(source: &Source<'_>, usage: &mut Usage) {
    source.numbers(NAMES, &mut usage.counts);
    let tools = source.member("toolUsePromptTokenCount").count();
    let [input, output, cached, _, _, thoughts, _] = &mut usage.counts;
    *input = (*input + tools - *cached).max(0.0);
    *output += *thoughts;
}
