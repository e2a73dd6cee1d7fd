//! [`Live`]: the answer that is still streaming.
//!
//! A delta costs its own length: text is appended in place, and the arguments of a call grow with their text. Looking at
//! the whole ([`Live::snapshot`]) costs the whole, so do it when you draw, not per delta.

use std::rc::Rc;

use steersman_wire::json::partial::{Partial, Verdict};
use steersman_wire::json::{repair, Builder, Object, Value};

use super::event::ResponseEvent;
use super::message::{AssistantMessage, Content, ToolCall};
use crate::slot::Slot;

/// Handle to an answer that grows; clones see the same answer.
#[derive(Clone)]
pub struct Live(Rc<Slot<Growing>>);

struct Growing {
    message: AssistantMessage,
    /// Arguments of calls that are not complete yet, by block.
    open: Vec<(usize, OpenCall)>,
}

/// Arguments on the way.
#[derive(Default)]
struct OpenCall {
    arguments: Builder,
    /// Where they come from; `None` when somebody else reads the text and gives edits.
    source: Option<Source>,
}

/// The text of arguments, read as it comes.
#[derive(Default)]
struct Source {
    text: String,
    parser: Partial,
}

impl Live {
    /// An answer without content yet.
    pub fn new(message: AssistantMessage) -> Self {
        Live(Rc::new(Slot::new(Growing { message, open: Vec::new() })))
    }

    /// A copy of what is there. Arguments of unfinished calls hold what can be read so far.
    pub fn snapshot(&self) -> AssistantMessage {
        self.0.change(|growing| {
            let mut message = growing.message.clone();
            for (index, open) in &mut growing.open {
                if let Some(Content::ToolCall(call)) = message.content.get_mut(*index) {
                    let arguments = Value::Object(open.arguments.view().clone());
                    *call = Rc::new(ToolCall { arguments, ..(**call).clone() });
                }
            }
            message
        })
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.0.read(|growing| growing.message.content.len())
    }

    /// Whether there is no block yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether two handles are the same answer.
    pub fn same(&self, other: &Live) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Put another message in place of what is there.
    pub(crate) fn set(&self, message: AssistantMessage) {
        drop(self.0.replace(Growing { message, open: Vec::new() }));
    }

    /// Take the content away: the answer begins anew.
    pub(crate) fn restart(&self) {
        let before = self.0.change(|growing| {
            let content = std::mem::take(&mut growing.message.content);
            (content, std::mem::take(&mut growing.open))
        });
        drop(before);
    }

    /// Apply one step. A step for a block that does not exist or is of another kind changes nothing.
    pub(crate) fn apply(&self, event: &ResponseEvent) {
        self.0.change(|growing| growing.apply(event));
    }

    /// Change the message. For this crate only, under the rule of [`Slot`]: `change` calls no user code.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut AssistantMessage)) {
        self.0.change(|growing| change(&mut growing.message));
    }

    /// Change the arguments of an open call, whose text is not read here from now on. The rule of [`Live::edit`].
    pub(crate) fn edit_arguments(&self, index: usize, change: impl FnOnce(&mut Builder)) {
        self.0.change(|growing| {
            if let Some((_, open)) = growing.open.iter_mut().find(|(open, _)| *open == index) {
                open.source = None;
                change(&mut open.arguments);
            }
        });
    }

    /// Take over the arguments of an open call as they are and read no more of its text.
    pub(crate) fn settle_arguments(&self, index: usize) {
        self.0.change(|growing| {
            if let Some((_, open)) = growing.open.iter_mut().find(|(open, _)| *open == index) {
                open.source = None;
            }
            growing.close(index);
        });
    }
}

impl Growing {
    fn apply(&mut self, event: &ResponseEvent) {
        let content = &mut self.message.content;
        match event {
            ResponseEvent::Start | ResponseEvent::TextEnd { .. } | ResponseEvent::ThinkingEnd { .. } => {}
            ResponseEvent::TextStart { .. } => content.push(Content::text("")),
            ResponseEvent::ThinkingStart { .. } => {
                content.push(Content::Thinking { thinking: String::new(), signature: None, redacted: false });
            }
            ResponseEvent::TextDelta { index, delta } => {
                if let Some(Content::Text { text, .. }) = content.get_mut(*index) {
                    text.push_str(delta);
                }
            }
            ResponseEvent::ThinkingDelta { index, delta } => {
                if let Some(Content::Thinking { thinking, .. }) = content.get_mut(*index) {
                    thinking.push_str(delta);
                }
            }
            ResponseEvent::ToolCallStart { index, id, name } => {
                let arguments = Value::Object(Object::new());
                let (id, name) = (id.to_string(), name.to_string());
                content.push(Content::ToolCall(Rc::new(ToolCall { id, name, arguments, ..ToolCall::default() })));
                self.open.push((*index, OpenCall { source: Some(Source::default()), ..OpenCall::default() }));
            }
            ResponseEvent::ToolCallDelta { index, delta } => {
                let open = self.open.iter_mut().find(|(open, _)| open == index);
                if let Some((_, OpenCall { arguments, source: Some(source) })) = open {
                    source.text.push_str(delta);
                    source.parser.push(delta, arguments);
                }
            }
            ResponseEvent::ToolCallEnd { index } => self.close(*index),
        }
    }

    /// A call is complete: its arguments are what its text says. A call without text keeps the arguments it has.
    fn close(&mut self, index: usize) {
        let Some(place) = self.open.iter().position(|(open, _)| *open == index) else { return };
        let (_, OpenCall { arguments, source }) = self.open.swap_remove(place);
        let Some(Content::ToolCall(call)) = self.message.content.get_mut(index) else { return };
        let call = Rc::make_mut(call);
        let Some(Source { text, parser }) = source else {
            call.arguments = Value::Object(arguments.into_object());
            return;
        };
        if text.is_empty() {
            return;
        }
        call.arguments = Value::Object(arguments.into_object());
        match parser.finish() {
            Verdict::Blank | Verdict::Complete { lossless: true, .. } => {}
            Verdict::Complete { lossless: false, repaired } => {
                call.arguments_text = Some(if repaired { repair(&text).into_owned() } else { text });
            }
            Verdict::Broken(error) => {
                call.arguments = Value::Object(Object::new());
                call.arguments_error = Some([&error.to_string(), "\n\nReceived arguments:\n", &text].concat());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steersman_wire::json::to_text;

    fn call(live: &Live) -> Rc<ToolCall> {
        match live.snapshot().content.first() {
            Some(Content::ToolCall(call)) => call.clone(),
            _ => panic!("no call"),
        }
    }

    fn streamed(pieces: &[&str]) -> Live {
        let live = Live::new(AssistantMessage::default());
        live.apply(&ResponseEvent::ToolCallStart { index: 0, id: "1".into(), name: "t".into() });
        for delta in pieces {
            live.apply(&ResponseEvent::ToolCallDelta { index: 0, delta: (*delta).into() });
        }
        live
    }

    #[test]
    fn arguments_can_be_seen_while_they_grow() {
        let live = streamed(&[r#"{"path":"a"#]);
        assert_eq!(to_text(&call(&live).arguments), r#"{"path":"a"}"#);
        live.apply(&ResponseEvent::ToolCallDelta { index: 0, delta: r#"b","n":[1"#.into() });
        assert_eq!(to_text(&call(&live).arguments), r#"{"path":"ab","n":[]}"#);
    }

    #[test]
    fn the_end_of_a_call_decides_on_its_arguments() {
        let ended = |pieces: &[&str]| {
            let live = streamed(pieces);
            live.apply(&ResponseEvent::ToolCallEnd { index: 0 });
            call(&live)
        };
        let exact = ended(&["{\"id\":123456789", "0123456789}"]);
        assert_eq!(exact.arguments_text.as_deref(), Some(r#"{"id":1234567890123456789}"#));
        assert_eq!(to_text(&exact.arguments), r#"{"id":1234567890123456789}"#);
        let broken = ended(&[r#"{"a":1,"#, "b"]);
        assert_eq!(to_text(&broken.arguments), "{}");
        let reason = broken.arguments_error.clone().unwrap();
        assert!(reason.ends_with("\n\nReceived arguments:\n{\"a\":1,b"), "{reason}");
        let blank = ended(&[" ", " "]);
        assert_eq!((to_text(&blank.arguments), blank.arguments_error.clone()), ("{}".to_owned(), None));
    }
}
