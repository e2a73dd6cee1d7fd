//! Reading one delta.

use super::level::{Level, Phase};
use super::lexeme::{classify, ends_word, Lexeme, Role, Word};
use super::string::Delta;
use super::{Edits, Partial, Stage};
use crate::json::scan::is_space;
use crate::json::{number, JsonError, JsonErrorKind as Fault, MAX_DEPTH};

/// White space as JavaScript's `String.prototype.trim` sees it.
fn is_js_space(char: char) -> bool {
    char.is_whitespace() && char != '\u{85}' || char == '\u{feff}'
}

impl Partial {
    /// Reads the next piece of the text and reports what it adds.
    pub fn push(&mut self, delta: &str, out: &mut impl Edits) {
        if self.blank {
            self.blank = delta.chars().all(is_js_space);
        }
        if self.read.saturating_add(delta.len()) > self.limit {
            self.fault(Fault::TooLong, self.limit);
            self.stage = Stage::After;
        }
        let mut delta = Delta { text: delta, pos: 0, run: (0, 0) };
        while delta.pos < delta.text.len() && self.stage != Stage::After {
            match self.lexeme {
                Lexeme::None => self.between(&mut delta, out),
                Lexeme::Word { taken } => self.word(&mut delta, taken, out),
                Lexeme::String { role, escape } => self.string(&mut delta, role, escape, out),
            }
        }
        if let Lexeme::String { role, .. } = self.lexeme {
            match role {
                Role::Key => delta.settle(&mut self.held),
                Role::Value => self.report_text(&mut delta, out),
            }
        }
        if self.stage == Stage::After && self.fault.is_none() {
            let rest = delta.rest();
            if let Some(at) = rest.iter().position(|&byte| !is_space(byte)) {
                self.fault(Fault::TrailingText, self.read + delta.pos + at);
            }
        }
        self.read = self.read.saturating_add(delta.text.len());
    }

    /// Notes the first fault only: whatever follows it is a matter of taste.
    fn fault(&mut self, kind: Fault, offset: usize) {
        self.fault.get_or_insert(JsonError::new(kind, offset));
    }

    pub(super) fn give_up(&mut self, kind: Fault, offset: usize) {
        self.fault(kind, offset);
        self.stage = Stage::After;
    }

    pub(super) fn count_work(&mut self, _bytes: usize) {
        #[cfg(test)]
        {
            self.work += _bytes;
        }
    }

    pub(super) fn reported(&self) -> bool {
        self.levels.last().is_some_and(|level| !level.muted)
    }

    /// One byte outside strings and words.
    fn between(&mut self, delta: &mut Delta<'_>, out: &mut impl Edits) {
        let Some(&byte) = delta.rest().first() else {
            return;
        };
        self.count_work(1);
        let offset = self.read + delta.pos;
        delta.pos += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'"' => self.start_string(offset, out),
            b'{' | b'[' => self.open(byte == b'{', offset, out),
            b'}' | b']' => self.close(byte, offset, out),
            b':' => match self.levels.last_mut() {
                Some(level) if level.phase == Phase::Colon => level.phase = Phase::Value,
                _ => self.unexpected(offset),
            },
            b',' => {
                let due = self.levels.last().is_some_and(|level| level.phase == Phase::Comma);
                if !due {
                    self.unexpected(offset);
                }
                if let Some(level) = self.levels.last_mut() {
                    level.phase = Phase::Next;
                }
            }
            _ => {
                let taken = self.start_value(offset);
                self.lexeme = Lexeme::Word { taken };
                // The first byte is read again as part of the word.
                delta.pos -= 1;
            }
        }
    }

    /// The fault of something that is not due here.
    pub(super) fn unexpected(&mut self, offset: usize) {
        let kind = self.levels.last().map_or(Fault::ExpectedValue, Level::expected);
        self.fault(kind, offset);
    }

    /// A value starts; says whether it is kept.
    pub(super) fn start_value(&mut self, offset: usize) -> bool {
        let Some(level) = self.levels.last() else {
            return true;
        };
        let taken = level.value_taken();
        if !level.value_due() {
            self.unexpected(offset);
        }
        taken
    }

    pub(super) fn value_ended(&mut self) {
        match self.levels.last_mut() {
            Some(level) => level.phase = Phase::Comma,
            None => self.stage = Stage::After,
        }
    }

    fn open(&mut self, object: bool, offset: usize, out: &mut impl Edits) {
        if self.stage == Stage::Before {
            if !object {
                return self.give_up(Fault::NotObject, offset);
            }
            self.stage = Stage::Inside;
        }
        let taken = self.start_value(offset);
        if self.levels.len() == MAX_DEPTH {
            return self.give_up(Fault::TooDeep, offset);
        }
        let muted = !taken || self.levels.last().is_some_and(|level| level.muted);
        self.levels.push(Level::new(object, muted));
        match (muted, object) {
            (true, _) => {}
            (false, true) => out.open_object(),
            (false, false) => out.open_array(),
        }
    }

    fn close(&mut self, closer: u8, offset: usize, out: &mut impl Edits) {
        let due = self.levels.last().is_some_and(|level| level.closer_due(closer));
        if !due {
            self.unexpected(offset);
        }
        if let Some(level) = self.levels.pop() {
            if !level.muted {
                out.close();
            }
            self.value_ended();
        }
    }

    /// Reads a word up to its end or the end of the delta.
    fn word(&mut self, delta: &mut Delta<'_>, taken: bool, out: &mut impl Edits) {
        let rest = delta.rest();
        let end = rest.iter().position(|&byte| ends_word(byte));
        let len = end.unwrap_or(rest.len());
        self.count_work(len + 1);
        let part = delta.slice(delta.pos, delta.pos + len);
        delta.pos += len;
        if end.is_none() {
            self.held.push_str(part);
            return;
        }
        self.lexeme = Lexeme::None;
        if self.held.is_empty() {
            return self.end_word(part, self.read + delta.pos, taken, out);
        }
        self.held.push_str(part);
        let word = std::mem::take(&mut self.held);
        self.end_word(&word, self.read + delta.pos, taken, out);
        self.held = word;
        self.held.clear();
    }

    fn end_word(&mut self, word: &str, end: usize, taken: bool, out: &mut impl Edits) {
        let start = end - word.len();
        let value = classify(word);
        if let Word::Bad { kind, at, .. } = value {
            self.fault(kind, start + at);
        }
        if self.stage == Stage::Before {
            // A word before the root is dropped, a scalar is the root.
            if !matches!(value, Word::Bad { .. }) {
                self.give_up(Fault::NotObject, start);
            }
            return;
        }
        let reported = taken && self.reported();
        match value {
            Word::Literal(literal) if reported => out.literal(literal),
            Word::Number if reported => {
                self.lossless &= number::lossless(word);
                out.number(word);
            }
            _ => {}
        }
        self.value_ended();
    }
}
