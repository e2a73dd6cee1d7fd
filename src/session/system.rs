//! System messages: each changes the prompt, and a compaction stores what they come to.

use steersman_wire::json::{Object, Value};

use super::context::Context;
use super::read::{given, items, joined_text, set, text};

/// The one system message that says what all of a context say. `None`: there is none.
pub(super) fn replayed(context: &Context<'_>, now: f64) -> Option<Value> {
    let mut said = String::new();
    let (mut sections, mut tools) = (Object::new(), Object::new());
    let mut any = false;
    for message in &context.messages {
        let message = &*message.message;
        if text(message, "role") != "system" {
            continue;
        }
        any = true;
        let own = joined_text(message.get("content"), "\n");
        if !said.is_empty() && !own.is_empty() {
            said.push_str("\n\n");
        }
        said.push_str(&own);
        if let Some(Value::Object(changed)) = message.get("sections") {
            for (name, section) in changed.iter() {
                match section {
                    Value::Null => drop(sections.remove(name)),
                    section => set(&mut sections, name, section.clone()),
                }
            }
        }
        for tool in items(message, "toolsRemoved") {
            tools.remove(tool.as_str().unwrap_or_else(|| text(tool, "name")));
        }
        for tool in items(message, "toolsAdded") {
            set(&mut tools, text(tool, "name"), tool.clone());
        }
    }
    if !any {
        return None;
    }
    let mut message = Object::new();
    set(&mut message, "role", "system");
    set(&mut message, "content", said);
    if !sections.is_empty() {
        set(&mut message, "sections", sections);
    }
    if !tools.is_empty() {
        let mut added = Vec::new();
        for (_, tool) in tools {
            added.push(tool);
        }
        set(&mut message, "toolsAdded", added);
    }
    set(&mut message, "timestamp", now);
    Some(Value::Object(message))
}

/// The timestamp of a system message that a compaction stored, where it has none.
pub(super) fn stored(entry: &Value) -> Option<&Value> {
    given(entry, "systemMessage")
}
