//! Why a text is not acceptable JSON, and where.

use std::fmt;

/// A refused text. Displays as `<reason> at byte <offset>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// Byte offset into the text, where reading stopped.
    pub offset: usize,
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

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind.as_str(), self.offset)
    }
}

impl std::error::Error for JsonError {}
