//! Reading one string of a complete text.

use super::scan::{hex_unit, plain_len, simple_escape};
use super::surrogate::Joiner;
use super::{JsonError, JsonErrorKind as Fault};
use std::borrow::Cow;

/// What stands at the end of a run of plain bytes.
enum Stop {
    Quote,
    Simple(char),
    Unit(u16),
}

/// Position in a text, inside a string.
pub(super) struct Text<'a> {
    pub text: &'a str,
    pub pos: usize,
}

impl<'a> Text<'a> {
    /// Reads on from just behind the opening quote to behind the closing one. For `carry` see
    /// [`Reader::string_joined`](super::Reader::string_joined).
    pub fn read(&mut self, carry: Option<&mut Option<u16>>) -> Result<Cow<'a, str>, JsonError> {
        let run = self.run();
        let stop = self.stop()?;
        let waiting = carry.as_deref().copied().flatten();
        if matches!(stop, Stop::Quote) && (waiting.is_none() || run.is_empty()) {
            return Ok(Cow::Borrowed(run));
        }
        let mut out = String::with_capacity(run.len() + 16);
        match carry {
            Some(carry) => self.unfold(run, stop, &mut out, carry)?,
            None => {
                let mut none = None;
                self.unfold(run, stop, &mut out, &mut none)?;
                Joiner::resume(none).flush(&mut out);
            }
        }
        Ok(Cow::Owned(out))
    }

    /// Like [`read`](Self::read), onto a text that is already there. What was added before an error stays.
    pub fn read_onto(&mut self, out: &mut String, carry: &mut Option<u16>) -> Result<(), JsonError> {
        let run = self.run();
        let stop = self.stop()?;
        self.unfold(run, stop, out, carry)
    }

    /// Decodes the rest of the string from `run` on, which ended at `stop`.
    fn unfold(
        &mut self,
        mut run: &'a str,
        mut stop: Stop,
        out: &mut String,
        carry: &mut Option<u16>,
    ) -> Result<(), JsonError> {
        let mut joiner = Joiner::resume(carry.take());
        loop {
            if !run.is_empty() {
                joiner.flush(out);
                out.push_str(run);
            }
            match stop {
                Stop::Quote => break,
                Stop::Unit(unit) => joiner.unit(out, unit),
                Stop::Simple(char) => {
                    joiner.flush(out);
                    out.push(char);
                }
            }
            run = self.run();
            stop = self.stop()?;
        }
        *carry = joiner.take();
        Ok(())
    }

    /// Like [`read`](Self::read), without making the string.
    pub fn skip(&mut self) -> Result<(), JsonError> {
        loop {
            self.pos += plain_len(self.rest());
            if matches!(self.stop()?, Stop::Quote) {
                return Ok(());
            }
        }
    }

    fn run(&mut self) -> &'a str {
        let start = self.pos;
        self.pos += plain_len(self.rest());
        self.text.get(start..self.pos).unwrap_or_default()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.pos..).unwrap_or_default()
    }

    fn stop(&mut self) -> Result<Stop, JsonError> {
        let fail = |kind, offset| Err(JsonError::new(kind, offset));
        let (stop, len) = match *self.rest() {
            [] => return fail(Fault::UnexpectedEnd, self.pos),
            [b'"', ..] => (Stop::Quote, 1),
            [b'\\'] => return fail(Fault::UnexpectedEnd, self.text.len()),
            [b'\\', letter, ref digits @ ..] => match simple_escape(letter) {
                Some(char) => (Stop::Simple(char), 2),
                None => match hex_unit(digits).filter(|_| letter == b'u') {
                    Some(unit) => (Stop::Unit(unit), 6),
                    None => return fail(Fault::BadEscape, self.pos),
                },
            },
            [_, ..] => return fail(Fault::ControlInString, self.pos),
        };
        self.pos += len;
        Ok(stop)
    }
}
