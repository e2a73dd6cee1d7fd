//! System messages: each changes the prompt, and a compaction stores what they come to.

use steersman_wire::json::{Object, Value};

use super::context::Context;
use super::read::{given, items, joined_text, set, text};
use super::tree::SessionTree;

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

impl SessionTree {
    /// The one system message that says what all in the context of the leaf say. No more is looked at than that: what the
    /// last compaction stored stands for what is before it, else what it keeps counts.
    pub(super) fn system_message(&mut self, now: f64) -> Option<Value> {
        if self.is_silent() {
            return None;
        }
        let (mut path, mut last) = (Vec::new(), None);
        let mut at = self.leaf();
        while let Some(position) = at {
            path.push(position);
            let entry = self.value_at(position);
            if last.is_none() && text(entry, "type") == "compaction" {
                last = stored(entry).map(|_| position).or_else(|| self.position(text(entry, "firstKeptEntryId")));
            }
            at = self.parent_at(position).filter(|_| last != Some(position));
        }
        path.reverse();
        replayed(&self.context_of(&path), now)
    }

    /// Whether nothing on the branch of the leaf says anything of the prompt. What is found out is kept, so that many
    /// compactions which each keep everything do not each look at it.
    fn is_silent(&mut self) -> bool {
        let silent = |tree: &Self, at: usize| tree.entries.get(at).is_none_or(|entry| entry.silent);
        let mut at = self.leaf();
        while let Some(position) = at.filter(|&at| !silent(self, at)) {
            let entry = self.value_at(position);
            let role = entry.get("message").map_or("", |message| text(message, "role"));
            if role == "system" || stored(entry).is_some() || given(entry, "retainedTail").is_some() {
                return false;
            }
            at = self.parent_at(position);
        }
        let mut at = self.leaf();
        while let Some(entry) = at.and_then(|at| self.entries.get_mut(at)).filter(|entry| !entry.silent) {
            entry.silent = true;
            at = entry.parent;
        }
        true
    }
}

/// The system message that a compaction stored.
pub(super) fn stored(entry: &Value) -> Option<&Value> {
    given(entry, "systemMessage")
}
