//! System messages: each changes the prompt, and a compaction stores what they come to.

use steersman_wire::json::{Object, Value};

use super::context::Context;
use super::read::{given, items, joined_text, text};

/// The one system message that says what all of a context say. `None`: there is none.
pub(super) fn replayed(context: &Context<'_>, now: f64) -> Option<Value> {
    let mut texts: Vec<String> = Vec::new();
    let (mut sections, mut tools) = (Object::new(), Object::new());
    let mut any = false;
    for message in context.messages.iter().map(|message| &*message.message) {
        if text(message, "role") != "system" {
            continue;
        }
        any = true;
        texts.push(joined_text(message.get("content"), "\n"));
        for (name, section) in message.get("sections").and_then(Value::as_object).into_iter().flat_map(Object::iter) {
            match section {
                Value::Null => drop(sections.remove(name)),
                section => drop(sections.insert(name, section.clone())),
            }
        }
        for tool in items(message, "toolsRemoved") {
            tools.remove(tool.as_str().unwrap_or_else(|| text(tool, "name")));
        }
        for tool in items(message, "toolsAdded") {
            tools.insert(text(tool, "name"), tool.clone());
        }
    }
    if !any {
        return None;
    }
    texts.retain(|piece| !piece.is_empty());
    let mut message = Object::new();
    message.insert("role", "system");
    message.insert("content", texts.join("\n\n"));
    if !sections.is_empty() {
        message.insert("sections", sections);
    }
    if !tools.is_empty() {
        message.insert("toolsAdded", tools.into_iter().map(|(_, tool)| tool).collect::<Vec<_>>());
    }
    message.insert("timestamp", now);
    Some(Value::Object(message))
}

/// The timestamp of a system message that a compaction stored, where it has none.
pub(super) fn stored(entry: &Value) -> Option<&Value> {
    given(entry, "systemMessage")
}
