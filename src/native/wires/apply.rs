//! The records of a batch, applied to the answer and delivered.

use steersman_wire::batch::{kind, Record};
use steersman_wire::json::partial::{Edits, Literal, Piece};
use steersman_wire::json::{self, Builder, Object, Value};
use steersman_wire::Batch;

use crate::native::event::ResponseEvent;
use crate::native::live::Live;
use crate::native::message::{Content, ToolCall};
use crate::native::stream_fn::{Request, ResponseSink};
use std::rc::Rc;

/// Members of the message that a batch may still add when nobody wants more events.
const LATE_FIELDS: [&str; 3] = ["usage", "responseId", "responseModel"];

/// How far the answer has got.
pub(super) enum Applied {
    /// More may come.
    More,
    /// The answer is complete, or has failed.
    Ended,
    /// The run was aborted.
    Aborted,
}

/// Apply a batch; one look at the abort before each event.
pub(super) async fn batch(batch: &Batch, sink: &ResponseSink, asked: &Request) -> Applied {
    let mut records = batch.iter().peekable();
    while let Some(record) = records.next() {
        if matches!(record.kind, kind::DONE | kind::ERROR) {
            return Applied::Ended;
        }
        let more = records.next_if(|next| next.kind == kind::MORE).map_or("", |next| next.text);
        let Some(event) = event(&record, more) else {
            change(&record, sink.live(), asked);
            continue;
        };
        if asked.abort.aborted() {
            return Applied::Aborted;
        }
        let told = match event {
            // The edits have been applied already.
            ResponseEvent::ToolCallDelta { .. } => sink.tell(event).await,
            ResponseEvent::ToolCallEnd { index } => {
                sink.live().settle_arguments(index);
                sink.tell(event).await
            }
            event => sink.push(event).await,
        };
        if told.is_err() {
            // A listener failed; the run is over.
            return Applied::Ended;
        }
    }
    Applied::More
}

/// The event that a record stands for.
fn event(record: &Record<'_>, more: &str) -> Option<ResponseEvent> {
    let index = record.a as usize;
    let delta = || Rc::from(record.text);
    Some(match record.kind {
        kind::START => ResponseEvent::Start,
        kind::TEXT_START => ResponseEvent::TextStart { index },
        kind::TEXT_DELTA => ResponseEvent::TextDelta { index, delta: delta() },
        kind::TEXT_END => ResponseEvent::TextEnd { index },
        kind::THINKING_START => ResponseEvent::ThinkingStart { index },
        kind::THINKING_DELTA => ResponseEvent::ThinkingDelta { index, delta: delta() },
        kind::THINKING_END => ResponseEvent::ThinkingEnd { index },
        kind::TOOLCALL_START => ResponseEvent::ToolCallStart { index, id: delta(), name: more.into() },
        kind::TOOLCALL_DELTA => ResponseEvent::ToolCallDelta { index, delta: delta() },
        kind::TOOLCALL_END => ResponseEvent::ToolCallEnd { index },
        _ => return None,
    })
}

/// A record that changes the message without an event of its own.
fn change(record: &Record<'_>, live: &Live, asked: &Request) {
    let (index, text) = (record.a as usize, record.text);
    match record.kind {
        kind::FIELDS => {
            let mut fields = fields(text);
            if let Some(Value::Array(diagnostics)) = fields.get_mut("diagnostics") {
                for diagnostic in diagnostics {
                    if let Value::Object(diagnostic) = diagnostic {
                        diagnostic.insert("timestamp", asked.now());
                    }
                }
            }
            live.edit(|message| message.assign(fields));
        }
        kind::BLOCK_FIELDS => {
            let fields = fields(text);
            if fields.contains_key("arguments") {
                live.settle_arguments(index);
            }
            live.edit(|message| {
                if let Some(block) = message.content.get_mut(index) {
                    set(block, fields);
                }
            });
        }
        kind::TEXT_SET | kind::THINKING_SET => live.edit(|message| {
            let block = message.content.get_mut(index);
            if let Some(Content::Text { text: said, .. } | Content::Thinking { thinking: said, .. }) = block {
                text.clone_into(said);
            }
        }),
        kind => live.edit_arguments(index, |arguments| edit(arguments, kind, text)),
    }
}

/// What a batch still says about the answer as a whole.
pub(super) fn late_fields(batch: &Batch, live: &Live) {
    for record in batch.iter().filter(|record| record.kind == kind::FIELDS) {
        let late = fields(record.text).into_iter().filter(|(name, _)| LATE_FIELDS.contains(&name.as_str()));
        let late: Object = late.collect();
        live.edit(|message| message.assign(late));
    }
}

fn fields(text: &str) -> Object {
    match json::parse(text) {
        Ok(Value::Object(fields)) => fields,
        // The wires write nothing else.
        _ => Object::new(),
    }
}

fn edit(arguments: &mut Builder, edit: u32, text: &str) {
    match edit {
        kind::OPEN_OBJECT => arguments.open_object(),
        kind::OPEN_ARRAY => arguments.open_array(),
        kind::KEY => arguments.key(text),
        kind::STRING => {
            arguments.string_start();
            arguments.string_append(Piece { text, start: None });
        }
        kind::APPEND => arguments.string_append(Piece { text, start: None }),
        kind::NUMBER => arguments.number(text),
        kind::TRUE => arguments.literal(Literal::True),
        kind::FALSE => arguments.literal(Literal::False),
        kind::NULL => arguments.literal(Literal::Null),
        kind::CLOSE => arguments.close(),
        _ => {}
    }
}

/// Set members on a block.
fn set(block: &mut Content, fields: Object) {
    for (name, value) in fields {
        match (&mut *block, name.as_str(), value) {
            (Content::Text { signature, .. }, "textSignature", Value::String(text))
            | (Content::Thinking { signature, .. }, "thinkingSignature", Value::String(text)) => {
                *signature = Some(text);
            }
            (Content::Thinking { redacted, .. }, "redacted", Value::Bool(hidden)) => *redacted = hidden,
            (Content::ToolCall(call), _, value) => set_on_call(Rc::make_mut(call), &name, value),
            _ => {}
        }
    }
}

fn set_on_call(call: &mut ToolCall, name: &str, value: Value) {
    match (name, value) {
        ("arguments", value) => call.arguments = value,
        ("id", Value::String(text)) => call.id = text,
        ("name", Value::String(text)) => call.name = text,
        ("argumentsText", Value::String(text)) => call.arguments_text = Some(text),
        ("argumentsError", Value::String(text)) => call.arguments_error = Some(text),
        ("thoughtSignature", Value::String(text)) => call.thought_signature = Some(text),
        ("namespace", Value::String(text)) => call.namespace = Some(text),
        _ => {}
    }
}
