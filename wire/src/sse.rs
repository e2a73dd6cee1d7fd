//! Server-sent events: bytes in, events out, whatever the cuts between chunks.
//!
//! Follows the WHATWG event-stream rules with two additions: an unfinished last event is given by [`Sse::end`], and
//! lines with unknown field names are reported, because llama.cpp sends failures as an `error:` line. Lines are split
//! on bytes and decoded whole, so UTF-8 may be cut anywhere; invalid UTF-8 becomes U+FFFD and never fails a stream.
//!
//! Linear and lean: each byte is searched once, a line inside one chunk is handed out without a copy, nothing is
//! allocated per event, and a long one takes twice its size.

use crate::text::lossy;
use memchr::{memchr, memchr2};
use std::fmt;

/// Largest event a reader takes unless told otherwise: 32 MiB.
pub const DEFAULT_LIMIT: usize = 32 * 1024 * 1024;

/// A long line that arrives in parts is kept in pieces of this size: with buffers that double, four times its size would
/// stay with a module, whose memory never shrinks. Longer buffers are given back after use.
const PIECE: usize = 64 * 1024;

const BOM: [u8; 3] = [0xef, 0xbb, 0xbf];

/// A dispatched event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event` field, `message` when missing or empty.
    pub name: &'a str,
    /// The `data` lines, joined with line feeds. May be empty.
    pub data: &'a str,
    /// The last `id` of the stream, when one is set.
    pub id: Option<&'a str>,
}

/// An event that the end of the stream cut off before its blank line. It has at least one `data` line, perhaps a
/// partial one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailing {
    /// As [`Event::name`].
    pub name: String,
    /// As [`Event::data`].
    pub data: String,
    /// As [`Event::id`].
    pub id: Option<String>,
}

/// Receives what a stream says, in order. A closure that takes an [`Event`] is a sink.
pub trait Sink {
    /// A blank line ended an event.
    fn event(&mut self, event: Event<'_>);
    /// A line with a field name that event streams do not have. The event around it is unaffected.
    fn unknown(&mut self, _name: &str, _value: &str) {}
}

impl<F: FnMut(Event<'_>)> Sink for F {
    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}

/// An event, or a line, exceeds the limit. The stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// The limit, in bytes.
    pub limit: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an event of the stream is longer than {} bytes", self.limit)
    }
}

impl std::error::Error for TooLong {}

/// Reader of one event stream.
///
/// ```
/// use steersman_wire::sse::{Event, Sse};
///
/// let mut sse = Sse::default();
/// let mut seen = Vec::new();
/// for chunk in [&b"data: {\"a\""[..], b":1}\n\ndata: [DONE]"] {
///     sse.push(chunk, &mut |event: Event<'_>| seen.push(event.data.to_owned()))?;
/// }
/// assert_eq!(seen, [r#"{"a":1}"#]);
/// assert_eq!(sse.end(&mut |_: Event<'_>| {}).map(|event| event.data), Some("[DONE]".to_owned()));
/// # Ok::<(), steersman_wire::sse::TooLong>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sse {
    limit: usize,
    failed: bool,
    /// Bytes of the byte order mark matched so far; all of them also once something else was read.
    bom: usize,
    /// The last line ended with CR: a line feed that comes first belongs to it.
    after_cr: bool,
    /// The line that earlier chunks began: the end of it, and full pieces before.
    line: Vec<u8>,
    pieces: Vec<Vec<u8>>,
    /// Bytes in `pieces`.
    piled: usize,
    /// The data lines of the pending event that had to be copied, joined.
    data: Vec<u8>,
    has_data: bool,
    name: String,
    id: String,
    retry: Option<u64>,
    /// Bytes searched or copied, to prove linear work.
    #[cfg(test)]
    work: usize,
}

impl Default for Sse {
    fn default() -> Self {
        Self::new(DEFAULT_LIMIT)
    }
}

impl Sse {
    /// A reader at the start of a stream. `limit` is the most bytes that one line and the data of its event may have
    /// together.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            failed: false,
            bom: 0,
            after_cr: false,
            line: Vec::new(),
            pieces: Vec::new(),
            piled: 0,
            data: Vec::new(),
            has_data: false,
            name: String::new(),
            id: String::new(),
            retry: None,
            #[cfg(test)]
            work: 0,
        }
    }

    /// Reads the next chunk and hands out every event whose blank line it holds.
    pub fn push(&mut self, chunk: &[u8], sink: &mut dyn Sink) -> Result<(), TooLong> {
        if self.failed || self.take(chunk, sink).is_none() {
            return Err(TooLong { limit: self.limit });
        }
        Ok(())
    }

    /// [`push`](Self::push). Here as below, `None` means that the limit was exceeded.
    fn take(&mut self, chunk: &[u8], sink: &mut dyn Sink) -> Option<()> {
        let mut rest = self.skip_bom(chunk);
        // The only data line of the pending event so far, when this chunk holds it: given away without a copy if the
        // event ends in this chunk too.
        let mut only = None;
        loop {
            if self.after_cr {
                match rest {
                    [] => break,
                    [b'\n', tail @ ..] => rest = tail,
                    _ => {}
                }
                self.after_cr = false;
            }
            let Some((line, end, tail)) = split_line(rest) else {
                break;
            };
            self.count_work(line.len() + 1);
            self.after_cr = end == b'\r';
            rest = tail;
            if self.line.is_empty() {
                self.take_line(line, &mut only, sink)?;
            } else {
                self.grow_line(line)?;
                self.take_held_line(sink)?;
            }
        }
        self.count_work(rest.len());
        if let Some(value) = only {
            self.add_data(value);
        }
        self.grow_line(rest)
    }

    /// The stream ended. Gives the event that was still pending; unknown fields of an unfinished last line are reported
    /// as usual.
    pub fn end(&mut self, sink: &mut dyn Sink) -> Option<Trailing> {
        if self.bom < BOM.len() {
            self.line.extend_from_slice(BOM.get(..self.bom).unwrap_or_default());
            self.bom = BOM.len();
        }
        // A stream that failed was already reported as such.
        if self.failed || !self.line.is_empty() && self.take_held_line(sink).is_none() || !self.has_data {
            return None;
        }
        let data = lossy(&self.data).into_owned();
        self.data.clear();
        self.has_data = false;
        Some(Trailing {
            name: name_or_default(&self.name).to_owned(),
            data,
            id: (!self.id.is_empty()).then(|| self.id.clone()),
        })
    }

    /// The last valid `retry` field, in milliseconds. Streams of answers to POST requests are never reconnected, so
    /// it has no effect here.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    fn count_work(&mut self, _bytes: usize) {
        #[cfg(test)]
        {
            self.work += _bytes;
        }
    }

    fn skip_bom<'c>(&mut self, chunk: &'c [u8]) -> &'c [u8] {
        let mut rest = chunk;
        while let (Some(&expected), Some((&byte, tail))) = (BOM.get(self.bom), rest.split_first()) {
            if byte != expected {
                // No mark: what was taken for its start is text.
                self.line.extend_from_slice(BOM.get(..self.bom).unwrap_or_default());
                self.bom = BOM.len();
                break;
            }
            self.bom += 1;
            rest = tail;
        }
        rest
    }

    fn check(&mut self, bytes: usize) -> Option<()> {
        self.failed = bytes > self.limit;
        (!self.failed).then_some(())
    }

    fn grow_line(&mut self, part: &[u8]) -> Option<()> {
        self.check(self.piled + self.line.len() + part.len() + self.data.len())?;
        self.count_work(part.len());
        if self.line.len() + part.len() > PIECE && !self.line.is_empty() && !part.is_empty() {
            self.piled += self.line.len();
            self.count_work(self.line.len());
            // Copied, so that pieces lie side by side and their place serves again as a whole. The first one has room
            // for those that found another place.
            if self.pieces.is_empty() {
                self.pieces.push(Vec::with_capacity(4 * PIECE));
            }
            self.pieces.push(self.line.clone());
            self.line.clear();
        }
        self.line.extend_from_slice(part);
        Some(())
    }

    /// Puts the pieces of the line together.
    fn join_line(&mut self) -> Vec<u8> {
        let last = std::mem::take(&mut self.line);
        if self.pieces.is_empty() {
            return last;
        }
        let mut line = Vec::with_capacity(self.piled + last.len());
        self.pieces.push(last);
        for piece in std::mem::take(&mut self.pieces) {
            line.extend_from_slice(&piece);
        }
        self.count_work(line.len());
        self.piled = 0;
        line
    }

    /// Takes the line that was collected over several chunks.
    fn take_held_line(&mut self, sink: &mut dyn Sink) -> Option<()> {
        let mut line = self.join_line();
        let mut only = None;
        let taken = self.take_line(&line, &mut only, sink);
        if let Some(value) = only.map(<[u8]>::len) {
            // It ends the line, and is the first of its event.
            self.count_work(value);
            line.drain(..line.len() - value);
            std::mem::swap(&mut line, &mut self.data);
            self.has_data = true;
        }
        if line.capacity() <= PIECE {
            line.clear();
            self.line = line;
        }
        taken
    }

    fn take_line<'c>(&mut self, line: &'c [u8], only: &mut Option<&'c [u8]>, sink: &mut dyn Sink) -> Option<()> {
        if line.is_empty() {
            self.dispatch(only.take(), sink);
            return Some(());
        }
        let pending = self.data.len() + only.map_or(0, <[u8]>::len);
        self.check(line.len() + pending)?;
        let value = match line.strip_prefix(b"data") {
            Some([]) => &[],
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            _ => {
                self.other_field(line, sink);
                return Some(());
            }
        };
        if !self.has_data && only.is_none() {
            *only = Some(value);
            return Some(());
        }
        if let Some(first) = only.take() {
            self.add_data(first);
        }
        self.add_data(value);
        Some(())
    }

    /// A line that is not data: another field or a comment.
    fn other_field(&mut self, line: &[u8], sink: &mut dyn Sink) {
        let (name, value) = match memchr(b':', line) {
            Some(0) => return,
            Some(at) => line.split_at_checked(at).unwrap_or((line, b"")),
            None => (line, &b""[..]),
        };
        let value = match value {
            [b':', b' ', rest @ ..] | [b':', rest @ ..] => rest,
            _ => value,
        };
        match name {
            b"event" => set(&mut self.name, value),
            b"id" if memchr(0, value).is_some() => {}
            b"id" => set(&mut self.id, value),
            b"retry" => {
                // Eighteen digits are more than any time has, and fit.
                let digit = |time: u64, digit: &u8| digit.is_ascii_digit().then(|| time * 10 + u64::from(digit - b'0'));
                let time = value.iter().take(19).try_fold(0, digit);
                self.retry = time.filter(|_| (1..=18).contains(&value.len())).or(self.retry);
            }
            _ => sink.unknown(&lossy(name), &lossy(value)),
        }
    }

    fn add_data(&mut self, value: &[u8]) {
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.count_work(value.len());
        self.data.extend_from_slice(value);
    }

    /// A blank line. `only`: all data of the event, when it was not copied.
    fn dispatch(&mut self, only: Option<&[u8]>, sink: &mut dyn Sink) {
        if only.is_some() || self.has_data {
            let data = lossy(only.unwrap_or(&self.data));
            sink.event(Event {
                name: name_or_default(&self.name),
                data: &data,
                id: (!self.id.is_empty()).then_some(&self.id),
            });
        }
        self.data.clear();
        if self.data.capacity() > PIECE {
            self.data = Vec::new();
        }
        self.has_data = false;
        self.name.clear();
    }
}

/// Splits after the first line end: the line, the byte that ended it, and what follows.
fn split_line(bytes: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let at = match bytes.first()? {
        b'\n' | b'\r' => 0,
        _ => memchr2(b'\n', b'\r', bytes)?,
    };
    let (line, tail) = bytes.split_at_checked(at)?;
    let (&end, tail) = tail.split_first()?;
    Some((line, end, tail))
}

fn name_or_default(name: &str) -> &str {
    if name.is_empty() {
        "message"
    } else {
        name
    }
}

#[inline(never)]
fn set(text: &mut String, value: &[u8]) {
    text.clear();
    text.push_str(&lossy(value));
}

#[cfg(test)]
mod tests {
    use super::{Event, Sse};

    /// Pushes the stream in chunks of `size` bytes; gives the work done and the number of events.
    fn cost(stream: &[u8], size: usize) -> (usize, usize) {
        let (mut sse, mut events) = (Sse::default(), 0);
        for chunk in stream.chunks(size) {
            sse.push(chunk, &mut |_: Event<'_>| events += 1).unwrap();
        }
        (sse.work, events)
    }

    #[test]
    fn every_byte_is_searched_once_and_copied_a_few_times() {
        for size in [512 * 1024, 4 * 1024 * 1024] {
            let one_line = format!("data: {}\n\n", "x".repeat(size)).into_bytes();
            assert_eq!(cost(&one_line, 32).1, 1);
            assert!(cost(&one_line, 32).0 <= 5 * one_line.len());
            let many_lines = format!("{}\n", "data: 0123456789\n".repeat(size / 17)).into_bytes();
            assert!(cost(&many_lines, 32).0 <= 4 * many_lines.len());
        }
    }

    #[test]
    fn events_inside_one_chunk_are_not_copied() {
        let event = b"event: delta\ndata: {\"text\":\"hello\"}\n\n";
        let stream = event.repeat(1000);
        let (work, events) = cost(&stream, stream.len());
        assert_eq!((work, events), (stream.len(), 1000));
    }
}
