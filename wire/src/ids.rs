//! Tool-call ids in the forms that providers take.

use crate::text::decimal;
use crate::transcript::CallIds;

/// Letters, digits, `_` and `-`, at most 64: what several providers take.
pub(crate) struct Word;

impl CallIds for Word {
    fn adapt(&self, id: &str, _own: bool, attempt: u32) -> String {
        let suffix = if attempt > 0 { ["_", &decimal(attempt.into())].concat() } else { String::new() };
        let mut adapted = cleaned(if id.is_empty() { "call" } else { id }, b"_-");
        adapted.truncate(64 - suffix.len());
        adapted + &suffix
    }
}

/// `id` with everything replaced that is no ASCII letter, no digit and none of `marks`; ASCII only.
pub(crate) fn cleaned(id: &str, marks: &[u8]) -> String {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || marks.contains(&byte);
    let starts = id.bytes().filter(|byte| byte & 0xc0 != 0x80);
    starts.map(|byte| if fits(byte) { char::from(byte) } else { '_' }).collect()
}

/// Eight digits that depend on all of `text` (FNV-1a).
pub(crate) fn hash(text: &str) -> String {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let value = text.bytes().fold(0x811c_9dc5, mix);
    (0..8).rev().filter_map(|digit| char::from_digit(value >> (digit * 4) & 0xf, 16)).collect()
}
