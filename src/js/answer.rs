//! Answers as JSON text, written from front to back: no value is made of what is only told.

use steersman_wire::json::{write_string, write_value, Value};
use steersman_wire::text::decimal;

use crate::session::SessionError;

/// An answer in the making. Commas come by themselves.
pub(super) struct Answer(String);

impl Answer {
    /// An answer without its value, which is to be written next.
    pub fn new() -> Self {
        Self(String::from("{\"value\":"))
    }

    /// The text of an answer that is complete, or of why there is none.
    pub fn end(mut self, done: Result<(), SessionError>) -> String {
        if let Err(error) = done {
            self.0.clear();
            self.open('{').key("error").text(error.code);
            self.key("line").place(error.line);
        }
        self.0.push('}');
        self.0
    }

    /// Begins an object or an array.
    pub fn open(&mut self, bracket: char) -> &mut Self {
        self.begin();
        self.0.push(bracket);
        self
    }

    /// Ends it.
    pub fn close(&mut self, bracket: char) {
        self.0.push(bracket);
    }

    /// Begins a member, whose value comes next.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.text(key);
        self.0.push(':');
        self
    }

    pub fn value(&mut self, value: &Value) {
        self.begin();
        write_value(&mut self.0, value);
    }

    pub fn text(&mut self, text: &str) {
        self.begin();
        write_string(&mut self.0, text);
    }

    /// A text or `null`.
    pub fn optional(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.value(&Value::Null),
        }
    }

    pub fn texts(&mut self, texts: &[String]) {
        self.open('[');
        for text in texts {
            self.text(text);
        }
        self.close(']');
    }

    pub fn values(&mut self, values: &[Value]) {
        self.open('[');
        for value in values {
            self.value(value);
        }
        self.close(']');
    }

    pub fn number(&mut self, number: f64) {
        self.value(&number.into());
    }

    pub fn flag(&mut self, flag: bool) {
        self.value(&flag.into());
    }

    pub fn count(&mut self, count: usize) {
        self.begin();
        self.0.push_str(&decimal(count as u64));
    }

    /// A position or `null`.
    pub fn place(&mut self, place: Option<usize>) {
        match place {
            Some(place) => self.count(place),
            None => self.value(&Value::Null),
        }
    }

    pub fn counts(&mut self, counts: &[usize]) {
        self.open('[');
        for count in counts {
            self.count(*count);
        }
        self.close(']');
    }

    /// Only the first of an object or an array, and the value of a member, follow without a comma.
    fn begin(&mut self) {
        if !matches!(self.0.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(',');
        }
    }
}
