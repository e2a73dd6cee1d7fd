//! What a decoder makes of one piece of a response body: flat records and one text.
//!
//! A host reads the records after the call has returned, so nothing crosses a language boundary per delta. Every record
//! is [`RECORD`] words: kind, a number (mostly the index of a content block), and a range of the text in UTF-16 units,
//! the way JavaScript slices. A record that carries a second text is followed by a [`kind::MORE`] record.

/// Words per record: kind, number, start, length.
pub const RECORD: usize = 4;

/// Kinds of records. `a` is the number of the record, "text" the text its range names.
pub mod kind {
    /// The response has begun; content follows.
    pub const START: u32 = 1;
    /// A text block `a` opens. Blocks open in order, so `a` is the number of blocks before.
    pub const TEXT_START: u32 = 2;
    /// More text for block `a`.
    pub const TEXT_DELTA: u32 = 3;
    /// Text block `a` is complete.
    pub const TEXT_END: u32 = 4;
    /// A thinking block `a` opens.
    pub const THINKING_START: u32 = 5;
    /// More thinking for block `a`.
    pub const THINKING_DELTA: u32 = 6;
    /// Thinking block `a` is complete.
    pub const THINKING_END: u32 = 7;
    /// A tool call `a` opens: text is its id, the MORE record its name. Both may be empty and come later as
    /// [`BLOCK_FIELDS`]. Its `arguments` are an empty object now.
    pub const TOOLCALL_START: u32 = 8;
    /// More argument text for call `a`. The edits it makes to `arguments` stand before it.
    pub const TOOLCALL_DELTA: u32 = 9;
    /// Call `a` is complete.
    pub const TOOLCALL_END: u32 = 10;
    /// The response is complete: text is the stop reason. Nothing follows.
    pub const DONE: u32 = 11;
    /// The response failed: `a` is 0, or 1 when it was aborted; text is the error message. Nothing follows.
    pub const ERROR: u32 = 12;
    /// The second text of the record before.
    pub const MORE: u32 = 13;
    /// Text is a JSON object; its members are set on the message. One stands before every [`DONE`] and [`ERROR`].
    pub const FIELDS: u32 = 14;
    /// Text is a JSON object; its members are set on block `a`.
    pub const BLOCK_FIELDS: u32 = 15;

    /// An object opens: the arguments themselves, or the value that comes next inside them.
    pub const OPEN_OBJECT: u32 = 20;
    /// An array opens.
    pub const OPEN_ARRAY: u32 = 21;
    /// The name of the next member.
    pub const KEY: u32 = 22;
    /// A string value begins with this text, which may be empty.
    pub const STRING: u32 = 23;
    /// More text for the string that began last.
    pub const APPEND: u32 = 24;
    /// A number, as written.
    pub const NUMBER: u32 = 25;
    /// `true`
    pub const TRUE: u32 = 26;
    /// `false`
    pub const FALSE: u32 = 27;
    /// `null`
    pub const NULL: u32 = 28;
    /// The innermost open object or array is complete.
    pub const CLOSE: u32 = 29;

    /// The final text of block `a`, where it is not what the deltas gave. Stands before its end.
    pub const TEXT_SET: u32 = 34;
    /// The final thinking of block `a`, where it is not what the deltas gave. Stands before its end.
    pub const THINKING_SET: u32 = 35;

    /// Text is the data of an event of the provider, as it came; what it leads to follows. Only when asked for.
    pub const PROVIDER_EVENT: u32 = 36;
}

/// A range of a batch's text, in UTF-16 units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Range {
    /// First unit.
    pub start: u32,
    /// Number of units.
    pub len: u32,
}

/// Bytes of text that a batch may keep room for while there is none.
const MOST_KEPT: usize = 1 << 16;

/// Records and their text. Reused from chunk to chunk, so that a delta costs no allocation.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    records: Vec<u32>,
    text: String,
    /// Length of `text` in UTF-16 units.
    units: u32,
}

/// An end of a batch, see [`Batch::mark`].
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    records: usize,
    bytes: usize,
    units: u32,
}

/// One record with its text, as a Rust host reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// See [`kind`].
    pub kind: u32,
    /// The record's number.
    pub a: u32,
    /// The text of its range.
    pub text: &'a str,
}

impl Batch {
    /// All records, [`RECORD`] words each.
    pub fn records(&self) -> &[u32] {
        &self.records
    }

    /// The text that the ranges point into.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Forgets everything and keeps the memory, unless it is much.
    pub fn clear(&mut self) {
        self.records.clear();
        self.text.clear();
        if self.text.capacity() > MOST_KEPT {
            self.text = String::new();
        }
        self.units = 0;
    }

    /// The record of a batch that holds only this one and no other text.
    pub fn single(&self) -> Option<Record<'_>> {
        match *self.records {
            [kind, a, 0, len] if len == self.units => Some(Record { kind, a, text: &self.text }),
            _ => None,
        }
    }

    /// The records with their texts, for hosts that count in bytes.
    pub fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        let offsets = Offsets::of(&self.text, self.units);
        self.records.chunks_exact(RECORD).map(move |record| match *record {
            [kind, a, start, len] => Record { kind, a, text: offsets.slice(&self.text, start, len) },
            _ => Record { kind: 0, a: 0, text: "" },
        })
    }

    /// Appends text without a record and says where it is.
    pub(crate) fn place(&mut self, text: &str) -> Range {
        let range = Range { start: self.units, len: utf16_len(text) };
        self.text.push_str(text);
        self.units += range.len;
        range
    }

    /// Lets `fill` append to the text and says what it appended.
    pub(crate) fn place_with(&mut self, fill: impl FnOnce(&mut String)) -> Range {
        let before = self.text.len();
        fill(&mut self.text);
        let range = Range { start: self.units, len: utf16_len(self.text.get(before..).unwrap_or_default()) };
        self.units += range.len;
        range
    }

    /// Appends a record for text that is already there.
    pub(crate) fn record(&mut self, kind: u32, a: u32, range: Range) {
        self.records.extend_from_slice(&[kind, a, range.start, range.len]);
    }

    /// Appends a record and its text.
    pub(crate) fn push(&mut self, kind: u32, a: u32, text: &str) {
        let range = self.place(text);
        self.record(kind, a, range);
    }

    /// Gives the last record a text when it is of this kind and has none yet; says whether it was.
    pub(crate) fn fill_last(&mut self, kind: u32, range: Range) -> bool {
        let at = self.records.len().saturating_sub(RECORD);
        match self.records.get_mut(at..) {
            Some([last, _, start, len @ 0]) if *last == kind => {
                (*start, *len) = (range.start, range.len);
                true
            }
            _ => false,
        }
    }

    /// Where the batch ends now, to go back to.
    pub(crate) fn mark(&self) -> Mark {
        Mark { records: self.records.len(), bytes: self.text.len(), units: self.units }
    }

    /// Takes back everything since `mark`.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.records.truncate(mark.records);
        self.text.truncate(mark.bytes);
        self.units = mark.units;
    }
}

/// Length of a text in UTF-16 units.
pub(crate) fn utf16_len(text: &str) -> u32 {
    if text.is_ascii() {
        return text.len() as u32;
    }
    // Every byte but a continuation starts a character; a four-byte character takes two units.
    text.bytes().map(|byte| u32::from(byte & 0xc0 != 0x80) + u32::from(byte >= 0xf0)).sum()
}

/// Finds byte offsets by UTF-16 units in constant time.
struct Offsets {
    /// For every [`Offsets::STEP`]-th unit, the character it belongs to: its byte offset and first unit. Empty for
    /// ASCII, where both counts agree.
    marks: Vec<(usize, u32)>,
}

impl Offsets {
    const STEP: u32 = 64;

    fn of(text: &str, units: u32) -> Self {
        let mut marks = Vec::new();
        if text.len() != units as usize {
            let mut unit = 0;
            for (at, char) in text.char_indices() {
                let next = unit + char.len_utf16() as u32;
                if next > marks.len() as u32 * Self::STEP {
                    marks.push((at, unit));
                }
                unit = next;
            }
        }
        Self { marks }
    }

    fn slice<'t>(&self, text: &'t str, start: u32, len: u32) -> &'t str {
        let (from, to) = (self.byte(text, start), self.byte(text, start + len));
        text.get(from..to).unwrap_or_default()
    }

    fn byte(&self, text: &str, wanted: u32) -> usize {
        if self.marks.is_empty() {
            return wanted as usize;
        }
        let Some(&(mut at, mut unit)) = self.marks.get((wanted / Self::STEP) as usize) else {
            return text.len();
        };
        for char in text.get(at..).unwrap_or_default().chars() {
            if unit >= wanted {
                break;
            }
            unit += char.len_utf16() as u32;
            at += char.len_utf8();
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_utf16_units() {
        let mut batch = Batch::default();
        for text in ["a", "é", "😀", "", "z"] {
            batch.push(kind::TEXT_DELTA, 0, text);
        }
        let ranges: Vec<_> = batch.records().chunks(RECORD).map(|record| (record[2], record[3])).collect();
        assert_eq!(ranges, [(0, 1), (1, 1), (2, 2), (4, 0), (4, 1)]);
        let texts: Vec<_> = batch.iter().map(|record| record.text).collect();
        assert_eq!(texts, ["a", "é", "😀", "", "z"]);
        assert_eq!(batch.single(), None);
        batch.clear();
        batch.push(kind::TEXT_DELTA, 3, "é");
        assert_eq!(batch.single(), Some(Record { kind: kind::TEXT_DELTA, a: 3, text: "é" }));
    }

    #[test]
    fn every_slice_of_a_long_mixed_text_is_found() {
        let mut batch = Batch::default();
        let pieces: Vec<String> = (0..500).map(|n| ["x", "ü", "漢字", "😀", "abc"][n % 5].repeat(n % 4)).collect();
        for piece in &pieces {
            batch.push(kind::TEXT_DELTA, 0, piece);
        }
        let read: Vec<&str> = batch.iter().map(|record| record.text).collect();
        assert_eq!(read, pieces);
    }
}
