//! Incremental, tolerant reading of a JSON object that arrives in pieces: streamed tool-call arguments.
//!
//! [`Partial`] reads each byte once and reports what every piece adds as [`Edits`], so a view of unfinished arguments
//! costs time and memory linear in the text. At the end [`Partial::finish`] says whether the whole text was a valid
//! object; if so, the container the edits built is the final value and nothing is parsed twice.
//!
//! What the edits show of unfinished or malformed text:
//! - an open string shows what was read; an unfinished escape or half a surrogate pair is held back;
//! - a number or literal shows once it ended; a member shows once its value started;
//! - raw control characters in strings and invalid escapes stay as they are (see [`repair`](fn@super::repair));
//! - a missing comma or colon is tolerated, values in impossible places and unknown words are dropped, any closer
//!   closes the innermost container, text after the root object is ignored;
//! - a root that is not an object shows nothing.

mod level;
mod lexeme;
mod push;
mod string;
#[cfg(test)]
mod tests;

use super::surrogate::Joiner;
use super::{JsonError, JsonErrorKind as Fault};
use level::Level;
use lexeme::{classify, Lexeme, Word};

/// Largest text a [`Partial`] reads unless told otherwise: 16 MiB.
pub const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

/// Receives the changes of a growing document, in order. They apply to a cursor: the innermost open container, and in
/// an object the name given last. A value goes to the end of an array, or to that name in an object (replacing an
/// earlier value of the name).
pub trait Edits {
    /// A new, empty object. The first one is the root; later ones become the innermost container.
    fn open_object(&mut self);
    /// A new, empty array, which becomes the innermost container.
    fn open_array(&mut self);
    /// The name of the next member. It has no value yet, and may never get one. Any text may come, `__proto__` too.
    fn key(&mut self, name: &str);
    /// A new, empty string value.
    fn string_start(&mut self);
    /// More text of the string value that started last. At most once per string and [`Partial::push`].
    fn string_append(&mut self, piece: Piece<'_>);
    /// A number value, as written.
    fn number(&mut self, text: &str);
    /// A literal value.
    fn literal(&mut self, value: Literal);
    /// The innermost container is complete.
    fn close(&mut self);
}

/// Text of a string value, decoded, never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text.
    pub text: &'a str,
    /// Where the very same bytes stand in the delta being pushed (byte offset); `None` when an escape was decoded.
    pub start: Option<usize>,
}

/// The words of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Literal {
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// What the finished text was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing but white space (as JavaScript's `trim` sees it): the call has no arguments, `{}`.
    Blank,
    /// A valid object; the edits built its value.
    Complete {
        /// Valid only after [`repair`](fn@super::repair), which gives the text to keep; the edits show the mended value.
        repaired: bool,
        /// Every number survives a round trip through a double ([`Number::lossless`](super::Number::lossless)); counts
        /// the numbers of members, too, that a later member of the same name replaced.
        lossless: bool,
    },
    /// Not an object, even after repair. `offset` counts bytes from the start of the text. The error is the
    /// one that stays after [`repair`](fn@super::repair), or [`JsonErrorKind`](super::JsonErrorKind) `NotObject` or
    /// `TooLong`.
    Broken(JsonError),
}

/// The incremental parser. One per tool call.
///
/// ```
/// use steersman_wire::json::partial::{Partial, Verdict};
/// use steersman_wire::json::{to_text, Builder};
///
/// let (mut partial, mut arguments) = (Partial::new(), Builder::new());
/// partial.push(r#"{"path":"src/ma"#, &mut arguments);
/// assert_eq!(arguments.view().get("path").and_then(|path| path.as_str()), Some("src/ma"));
/// partial.push(r#"in.rs","line":12}"#, &mut arguments);
/// assert_eq!(partial.finish(), Verdict::Complete { repaired: false, lossless: true });
/// assert_eq!(to_text(&arguments.into_object().into()), r#"{"path":"src/main.rs","line":12}"#);
/// ```
#[derive(Debug, Clone)]
pub struct Partial {
    limit: usize,
    /// Bytes of all earlier deltas.
    read: usize,
    stage: Stage,
    levels: Vec<Level>,
    lexeme: Lexeme,
    /// The part of the current key or word that came with earlier deltas; for a string, decoded text not reported yet.
    held: String,
    joiner: Joiner,
    /// The first breach that no repair mends.
    fault: Option<JsonError>,
    repaired: bool,
    lossless: bool,
    blank: bool,
    /// Bytes looked at, to prove linear work.
    #[cfg(test)]
    work: usize,
}

/// Where the reader stands with respect to the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Inside,
    /// The root ended, or reading was given up; only trailing text is looked for.
    After,
}

impl Default for Partial {
    fn default() -> Self {
        Self::new()
    }
}

impl Partial {
    /// A parser at the start of a text of at most [`DEFAULT_LIMIT`] bytes.
    pub fn new() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }

    /// A parser that gives up (verdict `TooLong`, no further edits) once the text exceeds `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            read: 0,
            stage: Stage::Before,
            levels: Vec::new(),
            lexeme: Lexeme::None,
            held: String::new(),
            joiner: Joiner::default(),
            fault: None,
            repaired: false,
            lossless: true,
            blank: true,
            #[cfg(test)]
            work: 0,
        }
    }

    /// The verdict on the text pushed so far, taken as the whole text.
    pub fn finish(&self) -> Verdict {
        if self.blank {
            return Verdict::Blank;
        }
        if let Some(fault) = self.fault {
            return Verdict::Broken(fault);
        }
        if self.stage == Stage::After {
            return Verdict::Complete { repaired: self.repaired, lossless: self.lossless };
        }
        let mut error = JsonError::new(Fault::UnexpectedEnd, self.read);
        // The text ends in a word: it may be wrong rather than cut.
        if let (Lexeme::Word { .. }, word) = (self.lexeme, self.held.as_str()) {
            match classify(word) {
                Word::Bad { kind, at, cut } if !cut => {
                    error = JsonError::new(kind, self.read - word.len() + at);
                }
                Word::Literal(_) | Word::Number if self.stage == Stage::Before => {
                    error = JsonError::new(Fault::NotObject, self.read - word.len());
                }
                _ => {}
            }
        }
        Verdict::Broken(error)
    }
}
