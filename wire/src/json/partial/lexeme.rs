//! Words of an unfinished text: numbers, literals, and what is neither.

use super::Literal;
use crate::json::scan::number_len;
use crate::json::JsonErrorKind as Fault;

/// What the reader is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lexeme {
    /// Between lexemes.
    None,
    /// In a number or literal, or something that should be one. `taken`: it stands where a value may stand.
    Word { taken: bool },
    /// In a string.
    String { role: Role, escape: Escape },
}

/// What a string is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
}

/// How much of an escape was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// Not in an escape.
    None,
    /// The backslash.
    Backslash,
    /// `\u` and this many digits.
    Unit { digits: [u8; 4], count: usize },
}

/// What a whole word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Literal(Literal),
    Number,
    /// Neither. `at` is the offset in the word where a strict reader stops; `cut` says that more text could have made
    /// it valid.
    Bad {
        kind: Fault,
        at: usize,
        cut: bool,
    },
}

/// Whether a byte ends a word: white space, punctuation of JSON or a quote.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"')
}

/// Judges a word that is not empty.
pub(super) fn classify(word: &str) -> Word {
    let bad = |kind, at, cut| Word::Bad { kind, at, cut };
    let (literal, value) = match word.as_bytes().first() {
        Some(b't') => ("true", Literal::True),
        Some(b'f') => ("false", Literal::False),
        Some(b'n') => ("null", Literal::Null),
        Some(b'-' | b'0'..=b'9') => {
            return match number_len(word.as_bytes()) {
                Ok(len) if len == word.len() => Word::Number,
                Ok(len) => bad(Fault::ExpectedCommaOrEnd, len, false),
                Err(at) => bad(Fault::BadNumber, at, at == word.len()),
            }
        }
        _ => return bad(Fault::ExpectedValue, 0, false),
    };
    if word == literal {
        Word::Literal(value)
    } else if word.starts_with(literal) {
        bad(Fault::ExpectedCommaOrEnd, literal.len(), false)
    } else {
        bad(Fault::ExpectedValue, 0, literal.starts_with(word))
    }
}
