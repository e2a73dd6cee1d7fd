//! Tool-call ids in the forms that providers take.

use crate::order;
use crate::text::decimal;
use memchr::memchr;

/// Letters, digits, `_` and `-`, at most 64: what several providers take.
pub(crate) fn word(id: &str, _own: bool, attempt: u32) -> String {
    shortened(cleaned(if id.is_empty() { "call" } else { id }, b"_-"), 64, String::new(), attempt)
}

/// An id of at most `max` bytes that ends in `suffix` and in the number of the attempt.
pub(crate) fn shortened(mut id: String, max: usize, mut suffix: String, attempt: u32) -> String {
    if attempt > 0 {
        suffix.push('_');
        suffix.push_str(&decimal(attempt.into()));
    }
    id.truncate(max.saturating_sub(suffix.len()));
    id + &suffix
}

/// `id` with everything replaced that is no ASCII letter, no digit and none of `marks`; ASCII only.
pub(crate) fn cleaned(id: &str, marks: &[u8]) -> String {
    let mut out = String::with_capacity(id.len());
    for byte in id.bytes() {
        // Of a longer character only the first byte counts.
        if byte & 0xc0 != 0x80 {
            out.push(if fits(byte, marks) { char::from(byte) } else { '_' });
        }
    }
    out
}

/// Whether a text has nothing but ASCII letters, digits and `marks`.
pub(crate) fn is_made_of(text: &str, marks: &[u8]) -> bool {
    for byte in text.bytes() {
        if !fits(byte, marks) {
            return false;
        }
    }
    true
}

fn fits(byte: u8, marks: &[u8]) -> bool {
    byte.is_ascii_alphanumeric() || memchr(byte, marks).is_some()
}

/// An id for a call that has none: `seed` makes ids of different calls differ, and the number those of alike ones.
pub(crate) fn made(seed: &[&str], number: u64) -> String {
    ["call_", &hash(&seed.concat()), "_", &decimal(number)].concat()
}

/// Eight digits that depend on all of `text`.
pub(crate) fn hash(text: &str) -> String {
    let value = order::hash(text);
    let mut out = String::with_capacity(8);
    for digit in (0..8).rev() {
        out.push(char::from_digit(value >> (digit * 4) & 0xf, 16).unwrap_or('0'));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_kept_and_everything_else_is_not() {
        assert_eq!(cleaned("a-b_c.é/0", b"-."), "a-b_c.__0");
        for (text, marks, fits) in [("aZ09", "", true), ("a_b", "", false), ("a_b", "_", true), ("é", "-", false)] {
            assert_eq!(is_made_of(text, marks.as_bytes()), fits, "{text}");
        }
    }
}
