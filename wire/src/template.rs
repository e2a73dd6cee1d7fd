//! The short way for the common event.
//!
//! Nearly all events of a stream differ from the one before in a single string: the delta. An event that did nothing
//! but append one string is remembered; one that is the same but for that string does the same, so comparing bytes
//! replaces parsing.

use crate::draft::Draft;
use memchr::memrchr2;

/// A longer event is not worth a copy, in bytes.
const MOST: usize = 1 << 14;

/// The last event that only appended one string to one block.
#[derive(Default)]
pub(crate) struct Template {
    event: String,
    /// Where the string begins, its quote included.
    start: usize,
    /// What stands behind the string. Where there is padding, this ends with the padding's opening quote.
    tail: Range,
    /// What stands behind the padding, from its closing quote on.
    end: Range,
    padded: bool,
    /// The block it went to.
    index: u32,
}

/// Byte offsets.
#[derive(Clone, Copy, Default)]
struct Range(usize, usize);

impl Template {
    /// Remembers an event. `span` is the string, a part of `event`; seeing the event again with another string there
    /// must mean no more than another delta for block `index`. `padding`, where it is not empty, is another part of the
    /// event, behind the string: a string that means nothing and that may change too (OpenAI varies the length of its
    /// events by one).
    pub fn learn(&mut self, event: &str, span: &str, padding: &str, index: u32) {
        let offset = |part: &str| (part.as_ptr() as usize).wrapping_sub(event.as_ptr() as usize);
        let behind = offset(span).saturating_add(span.len());
        let (tail, end) = match padding {
            "" => (Range(behind, event.len()), Range(event.len(), event.len())),
            _ => (
                Range(behind, offset(padding).saturating_add(1)),
                Range(offset(padding).saturating_add(padding.len()).saturating_sub(1), event.len()),
            ),
        };
        let ordered = tail.0 <= tail.1 && tail.1 <= end.0 && end.0 <= end.1 && end.1 <= event.len();
        self.event.clear();
        if ordered && event.len() <= MOST {
            self.event.push_str(event);
        }
        (self.start, self.tail, self.end, self.padded, self.index) =
            (offset(span), tail, end, !padding.is_empty(), index);
    }

    /// Nothing is like the last event any more.
    pub fn forget(&mut self) {
        self.event.clear();
    }

    /// Does what the remembered event did, if `event` is like it.
    pub fn apply(&self, event: &str, draft: &mut Draft) -> bool {
        if self.event.is_empty() {
            return false;
        }
        let span = self.string_of(event);
        span.is_some_and(|span| draft.append(self.index, span))
    }

    /// The part of `event` in the place of the string, if the rest is the same.
    fn string_of<'e>(&self, event: &'e str) -> Option<&'e str> {
        let part = |range: Range| self.event.get(range.0..range.1).unwrap_or_default();
        let mut rest = event.strip_prefix(part(Range(0, self.start)))?.strip_suffix(part(self.end))?;
        if self.padded {
            // Padding has no escapes: the last quote is the one that opens it.
            let opening = memrchr2(b'"', b'\\', rest.as_bytes())?;
            rest = rest.get(..=opening)?;
        }
        rest.strip_suffix(part(self.tail))
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
        template.learn(event, event.get(5..10).unwrap(), "", index);
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

    #[test]
    fn padding_may_change_as_well() {
        let event = r#"{"x":"abc","y":null,"p":"zz"}"#;
        let mut draft = Draft::default();
        let index = draft.open(Kind::Text);
        let mut template = Template::default();
        template.learn(event, event.get(5..10).unwrap(), event.get(24..28).unwrap(), index);
        for (other, taken) in [
            (r#"{"x":"d","y":null,"p":"zzzzz"}"#, true),
            (r#"{"x":"e","y":null,"p":""}"#, true),
            (r#"{"x":"f","y":1,"p":"zz"}"#, false),
            (r#"{"x":"f","y":null,"q":"zz"}"#, false),
            (r#"{"x":"f","y":null,"p":"z\"z"}"#, false),
            (r#"{"x":"f","y":null,"p":"zz","p":"z"}"#, false),
            (r#"{"x":"f","y":null,"p":"z\"}"#, false),
            (r#"{"x":"f","y":null,"p":7}"#, false),
            (r#"{"x":"f","y":null}"#, false),
        ] {
            assert_eq!(template.apply(other, &mut draft), taken, "{other}");
        }
        let text: String = draft.batch.iter().map(|record| record.text).collect();
        assert_eq!(text, "de");
    }
}
