//! Arguments of one tool call while they stream in, and the verdict on them at the end (PROVIDERS 1.4).

use crate::batch::{kind, utf16_len, Batch, Range};
use crate::json::partial::{Edits, Literal, Partial, Piece, Verdict};
use crate::json::{repair, Kind, Reader};
use crate::text::json_fault;
use crate::write::Writer;

/// The text so far and the view of it that the records describe.
#[derive(Default)]
pub(crate) struct ToolArgs {
    text: String,
    partial: Partial,
}

impl ToolArgs {
    /// Adds a piece. `place` is where it stands in the batch: strings that need no unescaping point into it.
    pub fn push(&mut self, piece: &str, place: Range, index: u32, batch: &mut Batch) {
        self.text.push_str(piece);
        let ascii = place.len as usize == piece.len();
        let mut recorder = Recorder { batch, index, piece, place, ascii, byte: 0, unit: 0 };
        self.partial.push(piece, &mut recorder);
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The call is complete: writes what has to be set on its block beyond what the edits built, as members of an
    /// object. A text that is no object, even after repair, makes the call fail at validation with that text in the
    /// reason; one whose numbers a double cannot hold is kept beside the arguments.
    pub fn finish(&self, out: &mut Writer) {
        match self.partial.finish() {
            Verdict::Blank => {}
            Verdict::Complete { .. } => self.exact_text(out),
            Verdict::Broken(error) => {
                out.key("arguments").put("{}");
                let reason = json_fault("", &error);
                out.key("argumentsError").string(&[&reason, "\n\nReceived arguments:\n", &self.text].concat());
            }
        }
    }

    /// Writes the member that keeps the text where a double cannot hold its numbers.
    pub fn exact_text(&self, out: &mut Writer) {
        if let Verdict::Complete { repaired, lossless: false } = self.partial.finish() {
            let exact = if repaired { repair(&self.text) } else { (&*self.text).into() };
            out.key("argumentsText").string(&exact);
        }
    }
}

/// Whether a text is one JSON object, as the arguments of a call must be.
pub(crate) fn is_object(text: &str) -> bool {
    let mut reader = Reader::new(text);
    reader.peek() == Ok(Kind::Object) && reader.skip().is_ok() && reader.finish().is_ok()
}

/// Writes edits as records.
struct Recorder<'b, 'p> {
    batch: &'b mut Batch,
    index: u32,
    piece: &'p str,
    place: Range,
    ascii: bool,
    /// A place in the piece, in bytes and in units; places asked for only grow.
    byte: usize,
    unit: u32,
}

impl Recorder<'_, '_> {
    fn bare(&mut self, kind: u32) {
        self.batch.record(kind, self.index, Range::default());
    }

    /// Where a part of the piece stands in the batch.
    fn within(&mut self, start: usize, text: &str) -> Range {
        if self.ascii {
            return Range { start: self.place.start + start as u32, len: text.len() as u32 };
        }
        self.unit += utf16_len(self.piece.get(self.byte..start).unwrap_or_default());
        self.byte = start;
        Range { start: self.place.start + self.unit, len: utf16_len(text) }
    }
}

impl Edits for Recorder<'_, '_> {
    fn open_object(&mut self) {
        self.bare(kind::OPEN_OBJECT);
    }

    fn open_array(&mut self) {
        self.bare(kind::OPEN_ARRAY);
    }

    fn key(&mut self, name: &str) {
        self.batch.push(kind::KEY, self.index, name);
    }

    fn string_start(&mut self) {
        self.bare(kind::STRING);
    }

    fn string_append(&mut self, piece: Piece<'_>) {
        let range = match piece.start {
            Some(start) => self.within(start, piece.text),
            None => self.batch.place(piece.text),
        };
        if !self.batch.fill_last(kind::STRING, range) {
            self.batch.record(kind::APPEND, self.index, range);
        }
    }

    fn number(&mut self, text: &str) {
        self.batch.push(kind::NUMBER, self.index, text);
    }

    fn literal(&mut self, value: Literal) {
        self.bare(match value {
            Literal::True => kind::TRUE,
            Literal::False => kind::FALSE,
            Literal::Null => kind::NULL,
        });
    }

    fn close(&mut self) {
        self.bare(kind::CLOSE);
    }
}
