//! Token counts (PROVIDERS 7.2).

use crate::source::Source;
use crate::usage::{Usage, UNKNOWN};

const NAMES: [&str; 6] = [
    "promptTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
];

/// Reads `usageMetadata`. What tools put into the prompt counts apart from it, and thoughts apart from the answer; what
/// was cached is part of the prompt.
pub(super) fn read(source: &Source<'_>) -> Usage {
    let mut numbers = [0.0; 6];
    source.numbers(&NAMES, &mut numbers);
    let [prompt, tools, cached, answer, thoughts, total] = numbers;
    let input = (prompt + tools - cached).max(0.0);
    Usage::of([input, answer + thoughts, cached, 0.0, UNKNOWN, thoughts, total])
}
