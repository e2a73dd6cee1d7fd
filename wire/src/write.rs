//! Building a JSON document front to back, mostly out of spans of another one.

use crate::cache_mark::Mark;
use crate::doc::{At, Node};
use crate::json::number::write_f64;
use crate::json::write_string;
use crate::literal::clean;
use crate::text::trim;

/// A text as it stands between the quotes of a JSON string.
pub(crate) fn escaped(text: &str) -> String {
    let mut quoted = String::new();
    write_string(&mut quoted, text);
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

static EMPTY: Node<'static> = Node::of("\"\"");

/// A JSON text being written. Commas come by themselves: one is due unless the text ends with an opener or a colon.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    /// The last place that a cache marker could go to.
    pub mark: Mark,
}

impl Writer {
    pub fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), mark: Mark::default() }
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

    /// JSON text of our own, which may be a part of something longer: `{"role":` is one, and so is `}]`.
    pub fn put(&mut self, json: &str) -> &mut Self {
        if !matches!(json.as_bytes().first(), Some(b'}' | b']')) {
            self.comma();
        }
        self.text.push_str(json);
        self
    }

    /// Pieces of JSON text that make one value, put together as they are.
    pub fn pieces(&mut self, pieces: &[&str]) -> &mut Self {
        self.comma();
        for piece in pieces {
            self.text.push_str(piece);
        }
        self
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
        let container = trim(container);
        let members = container.get(1..container.len().saturating_sub(1)).unwrap_or_default();
        if !trim(members).is_empty() {
            self.raw(members);
        }
    }

    /// A value from elsewhere; an absent one is an empty string.
    #[inline(never)]
    pub fn value(&mut self, value: At<'_>) {
        self.raw(value.or(&EMPTY).span());
    }

    /// A member with a value from elsewhere, unless that is absent.
    #[inline(never)]
    pub fn member(&mut self, name: &str, value: At<'_>) {
        if !value.is_absent() {
            self.key(name).raw(value.span());
        }
    }

    /// A string that carries JSON text, as tool arguments travel.
    pub fn embedded(&mut self, json: &str) {
        self.comma();
        write_string(&mut self.text, &clean(json));
    }

    /// A string in its escaped form, without quotes.
    pub fn quoted(&mut self, escaped: &str) -> &mut Self {
        self.pieces(&["\"", escaped, "\""])
    }

    pub fn bool(&mut self, value: bool) {
        self.comma();
        self.text.push_str(if value { "true" } else { "false" });
    }

    pub fn number(&mut self, value: f64) {
        self.comma();
        write_f64(&mut self.text, value);
    }

    /// A member that is a number, unless that is NaN.
    #[inline(never)]
    pub fn number_member(&mut self, name: &str, value: f64) {
        if !value.is_nan() {
            self.key(name).number(value);
        }
    }

    /// A cache marker could go to what ends here: a content part, or the string that begins at `start`.
    pub fn set_mark(&mut self, start: usize) {
        self.mark = Mark { start, end: self.len() };
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
