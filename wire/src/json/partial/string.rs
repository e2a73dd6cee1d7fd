//! Strings of an unfinished text: decoding, holding back what is cut, reporting what is new.

use super::level::Phase;
use super::lexeme::{Escape, Lexeme, Role};
use super::{Edits, Partial, Piece};
use crate::json::scan::{hex_digit, hex_unit, plain_len, simple_escape};
use crate::json::JsonErrorKind as Fault;

/// The delta, how far it is read, and the piece of the open string that is not reported yet.
pub(super) struct Delta<'a> {
    pub text: &'a str,
    pub pos: usize,
    /// Verbatim text of the open string: a range of `text`. Follows what `Partial::held` has.
    pub run: (usize, usize),
}

impl<'a> Delta<'a> {
    pub fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.pos..).unwrap_or_default()
    }

    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Takes the verbatim text over into `held`, so that decoded text can follow.
    pub fn settle(&mut self, held: &mut String) {
        held.push_str(self.slice(self.run.0, self.run.1));
        self.run = (0, 0);
    }
}

impl Partial {
    pub(super) fn start_string(&mut self, offset: usize, out: &mut impl Edits) {
        let mut role = Role::Value;
        match self.levels.last() {
            None => return self.give_up(Fault::NotObject, offset),
            Some(level) if level.key_taken() => {
                role = Role::Key;
                if !level.key_due() {
                    self.unexpected(offset);
                }
            }
            Some(_) => {
                self.start_value(offset);
                if self.reported() {
                    out.string_start();
                }
            }
        }
        let escape = Escape::None;
        self.lexeme = Lexeme::String { role, escape };
    }

    /// Reads one run of plain text, one byte of an escape, or the closing quote.
    pub(super) fn string(&mut self, delta: &mut Delta<'_>, role: Role, escape: Escape, out: &mut impl Edits) {
        let next = match escape {
            Escape::None => {
                let run = plain_len(delta.rest());
                self.count_work(run + 1);
                if run > 0 {
                    self.verbatim(delta, run);
                }
                match delta.rest().first() {
                    None => return,
                    Some(b'"') => {
                        delta.pos += 1;
                        return self.end_string(delta, role, out);
                    }
                    Some(b'\\') => {
                        delta.pos += 1;
                        Escape::Backslash
                    }
                    Some(_) => {
                        // A raw control character stays text.
                        self.repaired = true;
                        self.verbatim(delta, 1);
                        Escape::None
                    }
                }
            }
            escape => self.escape(delta, escape),
        };
        self.lexeme = Lexeme::String { role, escape: next };
    }

    /// Takes over plain text that comes next.
    fn verbatim(&mut self, delta: &mut Delta<'_>, len: usize) {
        let (start, end) = (delta.pos, delta.pos + len);
        delta.pos = end;
        self.joiner.flush(&mut self.held);
        if delta.run.1 == start && delta.run.0 != delta.run.1 {
            delta.run.1 = end;
            return;
        }
        delta.settle(&mut self.held);
        delta.run = (start, end);
    }

    /// One more byte of an escape. A byte that does not belong to it is left for the caller.
    fn escape(&mut self, delta: &mut Delta<'_>, escape: Escape) -> Escape {
        let Some(&byte) = delta.rest().first() else {
            return escape;
        };
        self.count_work(1);
        delta.settle(&mut self.held);
        match escape {
            Escape::None | Escape::Backslash => {
                if byte == b'u' {
                    delta.pos += 1;
                    let (digits, count) = ([0; 4], 0);
                    return Escape::Unit { digits, count };
                }
                self.joiner.flush(&mut self.held);
                if let Some(char) = simple_escape(byte) {
                    delta.pos += 1;
                    self.held.push(char);
                } else {
                    self.repaired = true;
                    self.held.push('\\');
                }
                Escape::None
            }
            Escape::Unit { mut digits, count } => {
                if hex_digit(byte).is_none() {
                    // Not an escape after all: what was read of it is text.
                    self.repaired = true;
                    self.joiner.flush(&mut self.held);
                    self.held.push_str("\\u");
                    let read = digits.iter().take(count);
                    self.held.extend(read.map(|&digit| char::from(digit)));
                    return Escape::None;
                }
                delta.pos += 1;
                if let Some(digit) = digits.get_mut(count) {
                    *digit = byte;
                }
                if count < 3 {
                    let count = count + 1;
                    return Escape::Unit { digits, count };
                }
                if let Some(unit) = hex_unit(&digits) {
                    self.joiner.unit(&mut self.held, unit);
                }
                Escape::None
            }
        }
    }

    fn end_string(&mut self, delta: &mut Delta<'_>, role: Role, out: &mut impl Edits) {
        self.lexeme = Lexeme::None;
        // A waiting half came after all verbatim text, which its escape settled.
        self.joiner.flush(&mut self.held);
        if role == Role::Value {
            self.report_text(delta, out);
            return self.value_ended();
        }
        let reported = self.reported();
        if self.held.is_empty() {
            let name = delta.slice(delta.run.0, delta.run.1);
            if reported {
                out.key(name);
            }
        } else {
            delta.settle(&mut self.held);
            if reported {
                out.key(&self.held);
            }
            self.held.clear();
        }
        delta.run = (0, 0);
        if let Some(level) = self.levels.last_mut() {
            level.phase = Phase::Colon;
        }
    }

    /// Reports the text of the open string value that this delta brought.
    pub(super) fn report_text(&mut self, delta: &mut Delta<'_>, out: &mut impl Edits) {
        let (start, end) = delta.run;
        if self.reported() && !self.held.is_empty() {
            delta.settle(&mut self.held);
            let text = self.held.as_str();
            out.string_append(Piece { text, start: None });
        } else if self.reported() && start < end {
            out.string_append(Piece { text: delta.slice(start, end), start: Some(start) });
        }
        delta.run = (0, 0);
        self.held.clear();
    }
}
