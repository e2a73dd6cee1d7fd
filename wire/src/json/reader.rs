//! Pull reader: the caller asks for what it expects and gets borrowed pieces of the text.

use super::scan::{is_space, number_len};
use super::text::Text;
use super::{JsonError, JsonErrorKind as Fault, MAX_DEPTH};
use std::borrow::Cow;

/// What kind of value comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Reads one JSON document front to back.
///
/// Containers: call [`begin_object`](Self::begin_object), then [`next_key`](Self::next_key) and one value in turn until
/// it gives `None`; [`begin_array`](Self::begin_array), then [`next_item`](Self::next_item) and one value in turn until
/// it gives `false`. After an error the reader is at no defined place.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    text: &'a str,
    pos: usize,
    depth: usize,
    /// A container was opened and nothing was read in it yet, so no comma is due.
    fresh: bool,
}

type Read<T> = Result<T, JsonError>;

impl<'a> Reader<'a> {
    /// A strict reader (RFC 8259).
    pub fn new(text: &'a str) -> Self {
        Self { text, pos: 0, depth: 0, fresh: false }
    }

    /// Byte offset of the next unread byte.
    pub fn offset(&self) -> usize {
        self.pos
    }

    /// The kind of the next value; reads nothing but white space.
    pub fn peek(&mut self) -> Read<Kind> {
        self.space();
        Ok(match self.byte() {
            Some(b'"') => Kind::String,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(_) => return self.fail(Fault::ExpectedValue),
            None => return self.fail(Fault::UnexpectedEnd),
        })
    }

    /// Enters an object.
    pub fn begin_object(&mut self) -> Read<()> {
        self.begin(Kind::Object)
    }

    /// Enters an array.
    pub fn begin_array(&mut self) -> Read<()> {
        self.begin(Kind::Array)
    }

    /// The next member's name, its colon read; `None` at the end of the object.
    pub fn next_key(&mut self) -> Read<Option<Cow<'a, str>>> {
        if !self.next(b'}')? {
            return Ok(None);
        }
        let key = self.text(None)?;
        self.colon()?;
        Ok(Some(key))
    }

    /// [`next_key`](Self::next_key), as it stands in the text.
    pub(crate) fn next_name(&mut self) -> Read<Option<&'a str>> {
        if !self.next(b'}')? {
            return Ok(None);
        }
        let start = self.pos;
        self.skip_text()?;
        let name = self.slice(start, self.pos);
        self.colon()?;
        Ok(Some(name))
    }

    /// Whether another element comes; `false` at the end of the array.
    pub fn next_item(&mut self) -> Read<bool> {
        self.next(b']')
    }

    /// A string. A lone surrogate escape reads as U+FFFD.
    pub fn string(&mut self) -> Read<Cow<'a, str>> {
        self.want(Kind::String)?;
        self.text(None)
    }

    /// A string that is one piece of a longer text. A surrogate pair may be cut between two pieces: a high half at the
    /// end of one stays in `carry` and joins a low half at the start of the next. At the end of the text the caller
    /// takes what is left in `carry` (a half without its partner).
    pub fn string_joined(&mut self, carry: &mut Option<u16>) -> Read<Cow<'a, str>> {
        self.want(Kind::String)?;
        self.text(Some(carry))
    }

    /// [`string_joined`](Self::string_joined) onto a text that is already there; without a new allocation per piece.
    /// After an error, what was read before it stays in `out`.
    pub fn string_onto(&mut self, out: &mut String, carry: &mut Option<u16>) -> Read<()> {
        self.want(Kind::String)?;
        let mut text = self.inside_text();
        let read = text.read_onto(out, carry);
        self.pos = text.pos;
        read
    }

    /// A number, as written.
    pub fn number(&mut self) -> Read<&'a str> {
        self.want(Kind::Number)?;
        self.scalar(Kind::Number)
    }

    /// `true` or `false`.
    pub fn boolean(&mut self) -> Read<bool> {
        self.want(Kind::Bool)?;
        Ok(self.scalar(Kind::Bool)?.len() == 4)
    }

    /// `null`.
    pub fn null(&mut self) -> Read<()> {
        self.want(Kind::Null)?;
        self.scalar(Kind::Null).map(drop)
    }

    /// The source text of the next value, of which [`peek`](Self::peek) gave the kind: no container.
    pub(crate) fn scalar(&mut self, kind: Kind) -> Read<&'a str> {
        let start = self.pos;
        match kind {
            Kind::String => self.skip_text()?,
            Kind::Number => match number_len(self.rest()) {
                Ok(len) => self.pos += len,
                Err(at) => {
                    self.pos += at;
                    let end = self.pos == self.text.len();
                    return self.fail(if end { Fault::UnexpectedEnd } else { Fault::BadNumber });
                }
            },
            _ => self.word(match self.byte() {
                Some(b't') => "true",
                Some(b'f') => "false",
                _ => "null",
            })?,
        }
        Ok(self.slice(start, self.pos))
    }

    /// The exact source text of the next value of any kind, checked.
    pub fn raw(&mut self) -> Read<&'a str> {
        self.space();
        let start = self.pos;
        self.skip()?;
        Ok(self.slice(start, self.pos))
    }

    /// Reads over the next value of any kind, checking it.
    pub fn skip(&mut self) -> Read<()> {
        // One bit per open container: set for an object.
        let mut kinds = [0u64; MAX_DEPTH / 64];
        let outside = self.depth;
        loop {
            match self.peek()? {
                kind @ (Kind::Object | Kind::Array) => {
                    self.begin(kind)?;
                    let level = self.depth - 1;
                    if let Some(word) = kinds.get_mut(level / 64) {
                        let bit = 1 << (level % 64);
                        *word = *word & !bit | if kind == Kind::Object { bit } else { 0 };
                    }
                }
                kind => self.scalar(kind).map(drop)?,
            }
            loop {
                if self.depth == outside {
                    return Ok(());
                }
                let level = self.depth - 1;
                let object = kinds.get(level / 64).is_some_and(|word| word >> (level % 64) & 1 == 1);
                if !self.next(if object { b'}' } else { b']' })? {
                    continue;
                }
                if object {
                    self.skip_text()?;
                    self.colon()?;
                }
                break;
            }
        }
    }

    /// Checks that only white space is left.
    pub fn finish(&mut self) -> Read<()> {
        self.space();
        match self.byte() {
            None => Ok(()),
            Some(_) => self.fail(Fault::TrailingText),
        }
    }

    /// A string whose opening quote comes next.
    fn text(&mut self, carry: Option<&mut Option<u16>>) -> Read<Cow<'a, str>> {
        let mut text = self.inside_text();
        let read = text.read(carry);
        self.pos = text.pos;
        read
    }

    fn skip_text(&mut self) -> Read<()> {
        let mut text = self.inside_text();
        let read = text.skip();
        self.pos = text.pos;
        read
    }

    fn inside_text(&self) -> Text<'a> {
        Text { text: self.text, pos: self.pos + 1 }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.pos..).unwrap_or_default()
    }

    #[inline(always)]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn fail<T>(&self, kind: Fault) -> Read<T> {
        Err(JsonError::new(kind, self.pos))
    }

    fn space(&mut self) {
        while self.byte().is_some_and(is_space) {
            self.pos += 1;
        }
    }

    fn want(&mut self, kind: Kind) -> Read<()> {
        if self.peek()? == kind {
            Ok(())
        } else {
            self.fail(Fault::WrongKind)
        }
    }

    fn word(&mut self, word: &str) -> Read<()> {
        if self.rest().starts_with(word.as_bytes()) {
            self.pos += word.len();
            Ok(())
        } else if word.as_bytes().starts_with(self.rest()) {
            self.pos = self.text.len();
            self.fail(Fault::UnexpectedEnd)
        } else {
            self.fail(Fault::ExpectedValue)
        }
    }

    /// Enters a container.
    pub(crate) fn begin(&mut self, kind: Kind) -> Read<()> {
        self.want(kind)?;
        if self.depth == MAX_DEPTH {
            return self.fail(Fault::TooDeep);
        }
        self.pos += 1;
        self.depth += 1;
        self.fresh = true;
        Ok(())
    }

    /// Reads the comma that is due, or the closer; says whether another member or element follows. Of a member it also
    /// checks that a quote comes.
    fn next(&mut self, closer: u8) -> Read<bool> {
        let fresh = std::mem::replace(&mut self.fresh, false);
        self.space();
        match self.byte() {
            Some(byte) if byte == closer => {
                self.pos += 1;
                self.depth = self.depth.saturating_sub(1);
                return Ok(false);
            }
            Some(b',') if !fresh => {
                self.pos += 1;
                self.space();
            }
            Some(_) if fresh => {}
            Some(_) => return self.fail(Fault::ExpectedCommaOrEnd),
            None => return self.fail(Fault::UnexpectedEnd),
        }
        match self.byte() {
            Some(byte) if closer == b'}' && byte != b'"' => self.fail(Fault::ExpectedKey),
            Some(_) => Ok(true),
            None => self.fail(Fault::UnexpectedEnd),
        }
    }

    fn colon(&mut self) -> Read<()> {
        self.space();
        match self.byte() {
            Some(b':') => {
                self.pos += 1;
                Ok(())
            }
            Some(_) => self.fail(Fault::ExpectedColon),
            None => self.fail(Fault::UnexpectedEnd),
        }
    }
}
