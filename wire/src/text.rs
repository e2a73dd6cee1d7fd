//! Small operations on texts, in one copy of code. The standard library's are compiled anew for every kind of pattern
//! and number, and bring the formatting of their panic messages along.

use crate::json::JsonError;
use memchr::{memchr, memrchr};
use std::borrow::Cow;

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

/// White space as JavaScript trims it, and a little more.
fn is_space(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

/// A text without the white space before it.
pub fn trim_start(text: &str) -> &str {
    let mut chars = text.chars();
    loop {
        let rest = chars.as_str();
        if !chars.next().is_some_and(is_space) {
            return rest;
        }
    }
}

/// A text without the white space behind it.
pub fn trim_end(text: &str) -> &str {
    let mut chars = text.chars();
    loop {
        let rest = chars.as_str();
        if !chars.next_back().is_some_and(is_space) {
            return rest;
        }
    }
}

/// A text without the white space around it.
pub fn trim(text: &str) -> &str {
    trim_end(trim_start(text))
}

/// What stands before and after an ASCII mark: its first, or its last.
pub fn around(text: &str, mark: u8, last: bool) -> Option<(&str, &str)> {
    let at = if last { memrchr(mark, text.as_bytes()) } else { memchr(mark, text.as_bytes()) }?;
    let (before, rest) = text.split_at_checked(at)?;
    Some((before, rest.get(1..)?))
}

/// What stands before the first of some ASCII marks, and the rest, which begins with that mark.
pub(crate) fn before<'t>(text: &'t str, marks: &[u8]) -> (&'t str, &'t str) {
    let mut end = 0;
    for byte in text.bytes() {
        if memchr(byte, marks).is_some() {
            break;
        }
        end += 1;
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The first characters of a text, `count` at most, and the rest.
pub(crate) fn first(text: &str, count: usize) -> (&str, &str) {
    let (mut end, mut left) = (0, count);
    for byte in text.bytes() {
        if byte & 0xc0 != 0x80 {
            if left == 0 {
                break;
            }
            left -= 1;
        }
        end += 1;
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The pieces between ASCII marks, at least one.
pub(crate) fn pieces(text: &str, mark: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((piece, after)) = around(rest, mark, false) {
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// How many code points a text has.
pub(crate) fn length(text: &str) -> usize {
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}

/// Texts in one, with `between` between them.
pub fn joined(texts: &[&str], between: &str) -> String {
    let mut out = String::new();
    let mut before = "";
    for text in texts {
        out.push_str(before);
        out.push_str(text);
        before = between;
    }
    out
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

/// Text with U+FFFD for every maximal invalid part, as the WHATWG decoder gives it.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = bytes;
    loop {
        let error = match std::str::from_utf8(rest) {
            Ok(text) if out.is_empty() => return Cow::Borrowed(text),
            Ok(text) => return Cow::Owned(out + text),
            Err(error) => error,
        };
        let (valid, bad) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
        out.push_str(std::str::from_utf8(valid).unwrap_or_default());
        out.push(char::REPLACEMENT_CHARACTER);
        rest = bad.get(error.error_len().unwrap_or(bad.len())..).unwrap_or_default();
    }
}

/// A number in decimal digits.
pub fn decimal(number: u64) -> String {
    let mut out = if number > 9 { decimal(number / 10) } else { String::new() };
    out.push(char::from(b'0' + (number % 10) as u8));
    out
}

/// [`decimal`], with a sign where it is below zero.
pub fn signed(number: i64) -> String {
    [if number < 0 { "-" } else { "" }, &decimal(number.unsigned_abs())].concat()
}

/// The number that up to nine ASCII digits spell.
pub(crate) fn number(digits: &str) -> Option<u32> {
    if !matches!(digits.len(), 1..=9) {
        return None;
    }
    let mut number = 0;
    for byte in digits.bytes() {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + u32::from(byte - b'0');
    }
    Some(number)
}

/// Why a text is no good JSON, and where.
pub fn json_fault(what: &str, error: &JsonError) -> String {
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
        assert_eq!((joined(&["", "b", ""], "/"), joined(&[], "/")), ("/b/".to_owned(), String::new()));
        assert_eq!(around("a|b|c", b'|', false), Some(("a", "b|c")));
        assert_eq!(around("a|b|c", b'|', true), Some(("a|b", "c")));
        assert_eq!(around("abc", b'|', true), None);
        for text in ["", " ", "\u{a0}\n a é\u{2003} b\u{3000}\t", "x"] {
            assert_eq!(
                (trim(text), trim_start(text), trim_end(text)),
                (text.trim(), text.trim_start(), text.trim_end())
            );
        }
        assert_eq!((trim("\u{feff} x\u{feff}"), trim(" \u{feff}")), ("x", ""));
    }

    #[test]
    fn invalid_bytes_are_replaced_like_the_standard_library_does() {
        for bytes in
            [&b""[..], "é😀".as_bytes(), b"a\xffb", b"\xf0\x9f\x98", b"\xe2\x82x\xc3(\xed\xa0\x80", b"\xf0\x9fz\xc3"]
        {
            assert_eq!(lossy(bytes), String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, 429, u64::MAX] {
            assert_eq!(decimal(number), number.to_string());
        }
    }
}
