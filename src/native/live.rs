//! [`Live`]: the answer that is still streaming.
//!
//! A delta costs its own length: text is appended in place, argument text is kept raw. Looking at the whole
//! ([`Live::snapshot`]) costs the whole, so do it when you draw, not per delta.

use std::rc::Rc;

use steersman_wire::json::partial::{Partial, Verdict};
use steersman_wire::json::{Builder, Object, Value};

use super::event::ResponseEvent;
use super::message::{AssistantMessage, Content, ToolCall};
use crate::slot::Slot;

/// Handle to an answer that grows; clones see the same answer.
#[derive(Clone)]
pub struct Live(Rc<Slot<Growing>>);

struct Growing {
    message: AssistantMessage,
    /// Raw argument text of open calls, by block.
    open: Vec<(usize, String)>,
}

impl Live {
    /// An answer without content yet.
    pub fn new(message: AssistantMessage) -> Self {
        Live(Rc::new(Slot::new(Growing { message, open: Vec::new() })))
    }

    /// A copy of what is there. Arguments of unfinished calls hold what can be read so far.
    pub fn snapshot(&self) -> AssistantMessage {
        self.0.read(|growing| {
            let mut message = growing.message.clone();
            for (index, text) in &growing.open {
                if let Some(Content::ToolCall(call)) = message.content.get_mut(*index) {
                    *call = Rc::new(ToolCall { arguments: partial_object(text).0, ..(**call).clone() });
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

    /// Apply one step. A step for a block that does not exist or is of another kind changes nothing.
    pub(crate) fn apply(&self, event: &ResponseEvent) {
        self.0.change(|growing| growing.apply(event));
    }

    /// Change the message. For this crate only, under the rule of [`Slot`]: `change` calls no user code.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut AssistantMessage)) {
        self.0.change(|growing| change(&mut growing.message));
    }

    /// Whether two handles are the same answer.
    pub fn same(&self, other: &Live) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
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
                self.open.push((*index, String::new()));
            }
            ResponseEvent::ToolCallDelta { index, delta } => {
                if let Some((_, text)) = self.open.iter_mut().find(|(open, _)| open == index) {
                    text.push_str(delta);
                }
            }
            ResponseEvent::ToolCallEnd { index } => self.close(*index),
        }
    }

    /// A call is complete: read its text for good. Calls whose arguments were set otherwise have no text.
    fn close(&mut self, index: usize) {
        let Some(place) = self.open.iter().position(|(open, _)| *open == index) else { return };
        let (_, text) = self.open.remove(place);
        if text.is_empty() {
            return;
        }
        let Some(Content::ToolCall(call)) = self.message.content.get_mut(index) else { return };
        let mut call_now = (**call).clone();
        (call_now.arguments_text, call_now.arguments_error) = (None, None);
        let (arguments, verdict) = partial_object(&text);
        call_now.arguments = arguments;
        match verdict {
            Verdict::Blank | Verdict::Complete { lossless: true, .. } => {}
            Verdict::Complete { lossless: false, .. } => call_now.arguments_text = Some(text),
            Verdict::Broken(error) => {
                call_now.arguments = Value::Object(Object::new());
                call_now.arguments_error = Some(format!("{error}. Received: {text}"));
            }
        }
        *call = Rc::new(call_now);
    }
}

/// What can be read of argument text that may be unfinished, and whether it is whole.
fn partial_object(text: &str) -> (Value, Verdict) {
    let (mut parser, mut builder) = (Partial::new(), Builder::new());
    parser.push(text, &mut builder);
    (Value::Object(builder.into_object()), parser.finish())
}
