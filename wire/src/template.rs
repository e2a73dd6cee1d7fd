//! The short way for the common event.
//!
//! Nearly all events of a stream differ from the one before in a single string: the delta. An event that did nothing
//! but append one string is remembered; one that is the same but for that string does the same, so comparing bytes
//! replaces parsing.

use crate::draft::Draft;

/// The last event that only appended one string to one block.
#[derive(Default)]
pub(crate) struct Template {
    event: String,
    /// Where the string begins, its quote included.
    start: usize,
    /// Bytes behind the string.
    tail: usize,
    /// The block it went to.
    index: u32,
}

impl Template {
    /// Remembers an event. `span` is the string, a part of `event`; seeing the event again with another string there
    /// must mean no more than another delta for block `index`.
    pub fn learn(&mut self, event: &str, span: &str, index: u32) {
        let start = (span.as_ptr() as usize).wrapping_sub(event.as_ptr() as usize);
        let Some(tail) = event.len().checked_sub(start.saturating_add(span.len())) else {
            return self.forget();
        };
        self.event.clear();
        self.event.push_str(event);
        (self.start, self.tail, self.index) = (start, tail, index);
    }

    /// Nothing is like the last event any more.
    pub fn forget(&mut self) {
        self.event.clear();
    }

    /// Does what the remembered event did, if `event` is like it.
    pub fn apply(&self, event: &str, draft: &mut Draft) -> bool {
        let (bytes, known) = (event.as_bytes(), self.event.as_bytes());
        let Some(end) = bytes.len().checked_sub(self.tail).filter(|end| !known.is_empty() && *end > self.start) else {
            return false;
        };
        let same = bytes.get(..self.start) == known.get(..self.start)
            && bytes.get(end..) == known.get(known.len() - self.tail..);
        same && event.get(self.start..end).is_some_and(|span| draft.append(self.index, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::kind;
    use crate::draft::Kind;

    #[test]
    fn only_an_event_that_differs_in_its_string_is_taken() {
        let event = r#"{"x":"abc","y":null}"#;
        let mut draft = Draft::default();
        let index = draft.open(Kind::Text);
        let mut template = Template::default();
        assert!(!template.apply(event, &mut draft));
        template.learn(event, event.get(5..10).unwrap(), index);
        for (other, taken) in [
            (r#"{"x":"d\n\"e","y":null}"#, true),
            (r#"{"x":"","y":null}"#, true),
            (r#"{"x":"d","y":1}"#, false),
            (r#"{"z":"d","y":null}"#, false),
            (r#"{"x":"d","x":"e","y":null}"#, false),
            (r#"{"x":"d\q","y":null}"#, false),
            (r#"{"x":7,"y":null}"#, false),
            (r#"{"x":","y":null}"#, false),
            (r#"{"x":"é","y":null}"#, true),
        ] {
            assert_eq!(template.apply(other, &mut draft), taken, "{other}");
        }
        let deltas: Vec<&str> =
            draft.batch.iter().filter(|record| record.kind == kind::TEXT_DELTA).map(|record| record.text).collect();
        assert_eq!(deltas, ["d\n\"e", "é"]);
    }
}
