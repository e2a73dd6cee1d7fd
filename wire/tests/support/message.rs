//! The message that batches describe, built the way a host does it, and the events on the way.

use serde_json::{json, Map, Value};
use steersman_wire::batch::kind;
use steersman_wire::{Batch, Response};

/// A host of one response: the live message and what was delivered.
#[derive(Default)]
pub struct Host {
    pub message: Map<String, Value>,
    /// Runs of the same delta are joined, as the recordings have them.
    pub events: Vec<Value>,
    calls: Vec<Cursor>,
}

/// Where argument edits apply in one call: the open containers as paths, and the member or string that is current.
#[derive(Default)]
struct Cursor {
    open: Vec<String>,
    key: String,
    string: String,
}

impl Host {
    pub fn new(model: &Value) -> Self {
        let mut host = Self::default();
        for (name, from) in [("api", "api"), ("provider", "provider"), ("model", "id")] {
            host.message.insert(name.into(), model[from].clone());
        }
        host.message.insert("role".into(), json!("assistant"));
        host.message.insert("content".into(), json!([]));
        host.message.insert("stopReason".into(), json!("pending"));
        let cost = json!({ "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 });
        host.message.insert(
            "usage".into(),
            json!({ "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": cost }),
        );
        host
    }

    pub fn text(&self, member: &str) -> &str {
        self.message.get(member).and_then(Value::as_str).unwrap_or_default()
    }

    /// Applies what the response has made and lets it go on.
    pub fn take(&mut self, response: &mut Response) {
        self.apply(response.batch());
        response.clear();
    }

    fn content(&mut self) -> &mut Vec<Value> {
        self.message["content"].as_array_mut().unwrap()
    }

    fn block(&mut self, index: u32) -> &mut Value {
        &mut self.content()[index as usize]
    }

    fn event(&mut self, event: Value) {
        let last = self.events.last().map(|last| last["type"].clone());
        assert!(!matches!(last.as_ref().and_then(Value::as_str), Some("done" | "error")), "{event} after the end");
        self.events.push(event);
    }

    /// pi's own protocol tells signatures in its events too.
    fn signed(&mut self, mut event: Value, index: u32, name: &str) {
        let signature = self.block(index)[name].clone();
        if self.text("api") == "pi-messages" && !signature.is_null() {
            event["contentSignature"] = signature;
        }
        self.event(event);
    }

    fn delta(&mut self, name: &str, index: u32, delta: &str) {
        if let Some(last) = self.events.last_mut() {
            if last["type"] == name && last["contentIndex"] == index {
                let joined = last["delta"].as_str().unwrap().to_owned() + delta;
                last["delta"] = json!(joined);
                return;
            }
        }
        self.event(json!({ "type": name, "contentIndex": index, "delta": delta }));
    }

    fn append(&mut self, index: u32, member: &str, delta: &str) {
        let block = self.block(index);
        let text = block[member].as_str().unwrap().to_owned() + delta;
        block[member] = json!(text);
    }

    fn set(target: &mut Value, fields: &str) {
        let fields: Map<String, Value> = match serde_json::from_str(fields) {
            Ok(fields) => fields,
            // JavaScript reads an infinity there.
            Err(error) if error.to_string().contains("out of range") => return,
            Err(error) => panic!("{error}: {fields}"),
        };
        target.as_object_mut().unwrap().extend(fields);
    }

    fn apply(&mut self, batch: &Batch) {
        let records: Vec<_> = batch.iter().collect();
        for (at, record) in records.iter().enumerate() {
            let more = records.get(at + 1).filter(|next| next.kind == kind::MORE).map_or("", |next| next.text);
            let (a, text) = (record.a, record.text);
            match record.kind {
                kind::START => self.event(json!({ "type": "start" })),
                kind::TEXT_START => {
                    assert_eq!(a as usize, self.content().len());
                    self.content().push(json!({ "type": "text", "text": "" }));
                    self.event(json!({ "type": "text_start", "contentIndex": a }));
                }
                kind::THINKING_START => {
                    assert_eq!(a as usize, self.content().len());
                    self.content().push(json!({ "type": "thinking", "thinking": "" }));
                    self.event(json!({ "type": "thinking_start", "contentIndex": a }));
                }
                kind::TOOLCALL_START => {
                    assert_eq!(a as usize, self.content().len());
                    self.content().push(json!({ "type": "toolCall", "id": text, "name": more, "arguments": {} }));
                    let mut event = json!({ "type": "toolcall_start", "contentIndex": a });
                    if self.text("api") == "pi-messages" {
                        (event["id"], event["toolName"]) = (json!(text), json!(more));
                    }
                    self.event(event);
                }
                kind::TEXT_DELTA => {
                    self.append(a, "text", text);
                    self.delta("text_delta", a, text);
                }
                kind::THINKING_DELTA => {
                    self.append(a, "thinking", text);
                    self.delta("thinking_delta", a, text);
                }
                kind::TOOLCALL_DELTA => self.delta("toolcall_delta", a, text),
                kind::TEXT_SET => self.block(a)["text"] = json!(text),
                kind::THINKING_SET => self.block(a)["thinking"] = json!(text),
                kind::TEXT_END => {
                    let content = self.block(a)["text"].clone();
                    let event = json!({ "type": "text_end", "contentIndex": a, "content": content });
                    self.signed(event, a, "textSignature");
                }
                kind::THINKING_END => {
                    let content = self.block(a)["thinking"].clone();
                    let event = json!({ "type": "thinking_end", "contentIndex": a, "content": content });
                    self.signed(event, a, "thinkingSignature");
                }
                kind::TOOLCALL_END => {
                    let call = self.block(a).clone();
                    self.event(json!({ "type": "toolcall_end", "contentIndex": a, "toolCall": call }));
                }
                kind::FIELDS => {
                    let mut message = Value::Object(std::mem::take(&mut self.message));
                    Self::set(&mut message, text);
                    self.message = message.as_object().unwrap().clone();
                }
                kind::BLOCK_FIELDS => Self::set(self.block(a), text),
                kind::DONE => {
                    assert_eq!(self.text("stopReason"), text);
                    self.event(json!({ "type": "done", "reason": text }));
                }
                kind::ERROR => {
                    let reason = if a == 1 { "aborted" } else { "error" };
                    assert_eq!((self.text("stopReason"), self.text("errorMessage")), (reason, text));
                    self.event(json!({ "type": "error", "reason": reason }));
                }
                kind::MORE => {}
                _ => self.edit(record.kind, a, text),
            }
        }
    }

    fn edit(&mut self, kind: u32, index: u32, text: &str) {
        while self.calls.len() <= index as usize {
            self.calls.push(Cursor::default());
        }
        let mut cursor = std::mem::take(&mut self.calls[index as usize]);
        let arguments = &mut self.block(index)["arguments"];
        match kind {
            kind::KEY => cursor.key = text.to_owned(),
            kind::CLOSE => drop(cursor.open.pop()),
            kind::OPEN_OBJECT if cursor.open.is_empty() => cursor.open.push(String::new()),
            kind::OPEN_OBJECT => cursor.open.push(put(arguments, &cursor, json!({}))),
            kind::OPEN_ARRAY => cursor.open.push(put(arguments, &cursor, json!([]))),
            kind::STRING => cursor.string = put(arguments, &cursor, json!(text)),
            kind::APPEND => {
                let string = arguments.pointer_mut(&cursor.string).unwrap();
                *string = json!(string.as_str().unwrap().to_owned() + text);
            }
            kind::NUMBER => {
                assert!(text.parse::<f64>().is_ok(), "{text}");
                // What no double can hold is what JavaScript writes for it.
                drop(put(arguments, &cursor, serde_json::from_str(text).unwrap_or_default()));
            }
            kind::TRUE => drop(put(arguments, &cursor, json!(true))),
            kind::FALSE => drop(put(arguments, &cursor, json!(false))),
            kind::NULL => drop(put(arguments, &cursor, Value::Null)),
            other => panic!("unknown record {other}"),
        }
        self.calls[index as usize] = cursor;
    }
}

/// Puts a value where the cursor stands; gives its path.
fn put(arguments: &mut Value, cursor: &Cursor, value: Value) -> String {
    let inside = cursor.open.last().unwrap();
    match arguments.pointer_mut(inside).unwrap() {
        Value::Array(items) => {
            items.push(value);
            format!("{inside}/{}", items.len() - 1)
        }
        Value::Object(members) => {
            members.insert(cursor.key.clone(), value);
            format!("{inside}/{}", cursor.key.replace('~', "~0").replace('/', "~1"))
        }
        other => panic!("{other} is no container"),
    }
}
