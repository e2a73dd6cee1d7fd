//! Small operations on texts, in one copy of code. The standard library's are compiled anew for every kind of pattern
//! and number, and bring the formatting of their panic messages along.

use crate::json::JsonError;
use memchr::{memchr, memrchr};

/// Where `part` stands first.
pub fn find(text: &str, part: &str) -> Option<usize> {
    let (bytes, part) = (text.as_bytes(), part.as_bytes());
    let first = *part.first()?;
    let mut from = 0;
    loop {
        let at = from + memchr(first, bytes.get(from..)?)?;
        if bytes.get(at..)?.starts_with(part) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Whether `part` stands in a text.
pub fn has(text: &str, part: &str) -> bool {
    find(text, part).is_some()
}

/// What stands before and after an ASCII mark: its first, or its last.
pub fn around(text: &str, mark: u8, last: bool) -> Option<(&str, &str)> {
    let at = if last { memrchr(mark, text.as_bytes()) } else { memchr(mark, text.as_bytes()) }?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Puts `with` in every place of `part`.
pub fn replace(text: &str, part: &str, with: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = find(rest, part) {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push_str(with);
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// A number in decimal digits.
pub fn decimal(number: u64) -> String {
    let mut out = String::new();
    let mut unit = 1;
    while number / unit > 9 {
        unit *= 10;
    }
    while unit > 0 {
        out.push(char::from(b'0' + (number / unit % 10) as u8));
        unit /= 10;
    }
    out
}

/// [`decimal`], with a sign where it is below zero.
pub fn signed(number: i64) -> String {
    let mut out = decimal(number.unsigned_abs());
    if number < 0 {
        out.insert(0, '-');
    }
    out
}

/// Why a text is no good JSON, and where.
pub(crate) fn json_fault(what: &str, error: &JsonError) -> String {
    [what, error.kind().as_str(), " at byte ", &decimal(error.offset() as u64)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_and_replaced() {
        assert_eq!(find("aab", "ab"), Some(1));
        assert_eq!(find("aa", "ab"), None);
        assert_eq!(find("", "a"), None);
        assert_eq!(replace("xaxbx", "x", "é"), "éaébé");
        assert_eq!(around("a|b|c", b'|', false), Some(("a", "b|c")));
        assert_eq!(around("a|b|c", b'|', true), Some(("a|b", "c")));
        assert_eq!(around("abc", b'|', true), None);
    }

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, 429, u64::MAX] {
            assert_eq!(decimal(number), number.to_string());
        }
        for number in [0, -1, 7, i64::MIN, i64::MAX] {
            assert_eq!(signed(number), number.to_string());
        }
    }
}
