//! Why a text is not acceptable JSON, and where.

use std::fmt;
use std::num::NonZeroU32;

/// A refused text. Displays as `<reason> at byte <offset>`.
///
/// One number, so that it travels in a register: the kind, counted from 1, in the low four bits, the offset above them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JsonError(NonZeroU32);

impl JsonError {
    const KIND_BITS: u32 = 4;

    /// A fault at a byte offset. Offsets beyond 256 MB are given as that.
    pub fn new(kind: JsonErrorKind, offset: usize) -> Self {
        let offset = (offset as u64).min(u64::from(u32::MAX >> Self::KIND_BITS)) as u32;
        Self(NonZeroU32::MIN.saturating_add(kind as u32 + (offset << Self::KIND_BITS)))
    }

    /// What is wrong.
    pub fn kind(self) -> JsonErrorKind {
        let place = (self.0.get() - 1) as usize & ((1 << Self::KIND_BITS) - 1);
        JsonErrorKind::ALL.get(place).copied().unwrap_or(JsonErrorKind::UnexpectedEnd)
    }

    /// Byte offset into the text, where reading stopped.
    pub fn offset(self) -> usize {
        ((self.0.get() - 1) >> Self::KIND_BITS) as usize
    }
}

/// The kinds of faults a reader reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text ends inside a value, or is empty.
    UnexpectedEnd,
    /// A value was expected and something else is there, an unknown word included.
    ExpectedValue,
    /// A member name in quotes was expected.
    ExpectedKey,
    /// A colon was expected after a member name.
    ExpectedColon,
    /// A comma or the end of the container was expected.
    ExpectedCommaOrEnd,
    /// A number that breaks the grammar, such as `1.` or `-`.
    BadNumber,
    /// A byte below 0x20 inside a string; it must be escaped.
    ControlInString,
    /// A backslash that starts no escape of JSON.
    BadEscape,
    /// More than [`MAX_DEPTH`](super::MAX_DEPTH) containers inside each other.
    TooDeep,
    /// Text after the end of the document.
    TrailingText,
    /// Bytes that are not UTF-8.
    BadUtf8,
    /// A valid value of another kind than the caller of the reader asked for.
    WrongKind,
    /// Valid so far, but the document is not an object (only from [`partial`](super::partial)).
    NotObject,
    /// More bytes than the limit allows (only from [`partial`](super::partial)).
    TooLong,
}

impl JsonErrorKind {
    /// In the order of their numbers.
    const ALL: [Self; 14] = [
        Self::UnexpectedEnd,
        Self::ExpectedValue,
        Self::ExpectedKey,
        Self::ExpectedColon,
        Self::ExpectedCommaOrEnd,
        Self::BadNumber,
        Self::ControlInString,
        Self::BadEscape,
        Self::TooDeep,
        Self::TrailingText,
        Self::BadUtf8,
        Self::WrongKind,
        Self::NotObject,
        Self::TooLong,
    ];

    /// The reason in words, without the place.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnexpectedEnd => "unexpected end of JSON",
            Self::ExpectedValue => "expected a JSON value",
            Self::ExpectedKey => "expected a member name in double quotes",
            Self::ExpectedColon => "expected a colon after the member name",
            Self::ExpectedCommaOrEnd => "expected a comma or the end of the container",
            Self::BadNumber => "malformed number",
            Self::ControlInString => "unescaped control character in a string",
            Self::BadEscape => "invalid escape in a string",
            Self::TooDeep => "nested too deeply",
            Self::TrailingText => "unexpected text after the JSON value",
            Self::BadUtf8 => "invalid UTF-8",
            Self::WrongKind => "a JSON value of an unexpected type",
            Self::NotObject => "the JSON value is not an object",
            Self::TooLong => "longer than the limit",
        }
    }
}

impl fmt::Display for JsonErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind().as_str(), self.offset())
    }
}

impl std::error::Error for JsonError {}
