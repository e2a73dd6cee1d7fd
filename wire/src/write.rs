//! Building a JSON document front to back, mostly out of spans of another one.

use crate::json::number::write_f64;
use crate::json::write_string;
use crate::literal::{clean, Literal};

/// A text as it stands between the quotes of a JSON string.
pub(crate) fn escaped(text: &str) -> String {
    let mut quoted = String::new();
    write_string(&mut quoted, text);
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// A JSON text being written. Commas come by themselves: one is due unless the text ends with an opener or a colon.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
}

impl Writer {
    pub fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes) }
    }

    pub fn into_text(self) -> String {
        self.text
    }

    /// Writes `{`.
    pub fn open(&mut self) {
        self.comma();
        self.text.push('{');
    }

    /// Writes `}`.
    pub fn close(&mut self) {
        self.text.push('}');
    }

    /// Writes `{`, what `members` writes, and `}`.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.open();
        members(self);
        self.close();
    }

    /// Writes `[`, what `items` writes, and `]`.
    pub fn array(&mut self, items: impl FnOnce(&mut Self)) {
        self.comma();
        self.text.push('[');
        items(self);
        self.text.push(']');
    }

    /// The name of the next member.
    pub fn key(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.text.push(':');
        self
    }

    /// A string.
    pub fn string(&mut self, text: &str) {
        self.comma();
        write_string(&mut self.text, text);
    }

    /// JSON text from elsewhere, without its lone surrogates.
    pub fn raw(&mut self, json: &str) {
        self.comma();
        self.text.push_str(&clean(json));
    }

    /// The members of an object from elsewhere, inside the object being written; the items of a list likewise.
    pub fn members_of(&mut self, container: &str) {
        let container = container.trim();
        let members = container.get(1..container.len().saturating_sub(1)).unwrap_or_default();
        if !members.trim().is_empty() {
            self.raw(members);
        }
    }

    /// A string from elsewhere.
    pub fn literal(&mut self, literal: Literal<'_>) {
        self.comma();
        self.text.push('"');
        self.text.push_str(&clean(literal.inner()));
        self.text.push('"');
    }

    /// A string that carries JSON text, as tool arguments travel.
    pub fn embedded(&mut self, json: &str) {
        self.comma();
        write_string(&mut self.text, &clean(json));
    }

    /// One string out of many pieces: `pieces` gets the text between the quotes, in its escaped form.
    pub fn joined(&mut self, pieces: impl FnOnce(&mut String)) {
        self.comma();
        self.text.push('"');
        pieces(&mut self.text);
        self.text.push('"');
    }

    pub fn bool(&mut self, value: bool) {
        self.comma();
        self.text.push_str(if value { "true" } else { "false" });
    }

    pub fn null(&mut self) {
        self.comma();
        self.text.push_str("null");
    }

    pub fn number(&mut self, value: f64) {
        self.comma();
        write_f64(&mut self.text, value);
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Takes back what was written from there on.
    pub fn truncate(&mut self, at: usize) {
        if self.text.is_char_boundary(at) {
            self.text.truncate(at);
        }
    }

    /// Inserts text that was left out earlier. Costs a move of what follows, so only near the end.
    pub fn insert(&mut self, at: usize, text: &str) {
        if self.text.is_char_boundary(at) {
            self.text.insert_str(at, text);
        }
    }

    fn comma(&mut self) {
        if !matches!(self.text.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.text.push(',');
        }
    }
}
