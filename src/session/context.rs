//! What the model sees of a branch (SESSIONS 3).

use std::borrow::Cow;

use steersman_wire::json::{Object, Value};
use steersman_wire::order::NameMap;

use super::append::time_of;
use super::read::{given, items, set, text};
use super::tree::SessionTree;
use super::{llm, system};

/// The context of a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Context<'a> {
    /// The entries that were looked at, by position: the compaction first.
    pub entries: Vec<usize>,
    /// The messages.
    pub messages: Vec<ContextMessage<'a>>,
    /// Provider and id of the model in use.
    pub model: Option<(&'a str, &'a str)>,
    /// The thinking level in use.
    pub thinking_level: &'a str,
}

/// A message and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextMessage<'a> {
    /// Position of the entry.
    pub entry: usize,
    /// The message; borrowed when it stands in the entry as it is.
    pub message: Cow<'a, Value>,
}

impl Context<'_> {
    /// The messages in the form of requests: summaries and messages of applications as user messages, what only the
    /// application knows left out.
    pub fn for_model(&self) -> Vec<Value> {
        self.messages.iter().filter_map(|message| llm::for_model(&message.message)).collect()
    }

    /// The messages without answers that failed, were stopped, or are to come later.
    pub fn without_failed(&self) -> impl Iterator<Item = &Value> {
        self.messages.iter().map(|message| &*message.message).filter(|message| {
            text(message, "role") != "assistant"
                || !matches!(text(message, "stopReason"), "error" | "aborted" | "deferred")
        })
    }
}

/// The part of a path that a context is made of.
pub(super) struct Selection<'a> {
    /// Positions on the path: the compaction first.
    pub entries: Vec<usize>,
    pub compaction: Option<usize>,
    /// The last edit of each target, by position of the target.
    edits: NameMap,
    tree: &'a SessionTree,
}

impl SessionTree {
    /// The context of a leaf.
    pub fn context(&self, leaf: Option<usize>) -> Context<'_> {
        self.context_of(&self.path(leaf))
    }

    /// The context of a path; what it begins with must not need what is before.
    pub(super) fn context_of(&self, path: &[usize]) -> Context<'_> {
        let mut model = None;
        let mut thinking_level = "off";
        for entry in path.iter().map(|&position| self.value_at(position)) {
            match text(entry, "type") {
                "thinking_level_change" => thinking_level = text(entry, "thinkingLevel"),
                "model_change" => model = Some((text(entry, "provider"), text(entry, "modelId"))),
                "message" => {
                    let message = entry.get("message").filter(|message| text(message, "role") == "assistant");
                    model = message.map(|message| (text(message, "provider"), text(message, "model"))).or(model);
                }
                _ => {}
            }
        }
        let selection = self.selection(path);
        let mut messages = Vec::new();
        for &entry in &selection.entries {
            selection.project(entry, &mut messages);
        }
        Context { entries: selection.entries, messages, model, thinking_level }
    }

    /// The entries of a path that count: from the last compaction on.
    pub(super) fn selection(&self, path: &[usize]) -> Selection<'_> {
        let last = self.last_compaction(path);
        let entries = match last {
            None => path.to_vec(),
            Some(last) => {
                let (before, after) = path.split_at(last);
                let mut entries = after.get(..1).unwrap_or_default().to_vec();
                let kept = self.kept_start(before, after.first().copied().unwrap_or(0));
                entries.extend_from_slice(before.get(kept..).unwrap_or_default());
                entries.extend_from_slice(after.get(1..).unwrap_or_default());
                entries
            }
        };
        let mut edits = NameMap::default();
        for &position in &entries {
            if self.kind_at(position) == "context_edit" {
                edits.set(text(self.value_at(position), "targetId"), position);
            }
        }
        let compaction = last.and_then(|last| path.get(last).copied());
        Selection { entries, compaction, edits, tree: self }
    }

    /// The place of the last compaction on a path.
    pub(super) fn last_compaction(&self, path: &[usize]) -> Option<usize> {
        path.iter().rposition(|&position| self.kind_at(position) == "compaction")
    }

    /// Where on the path before it the entries begin that a compaction keeps.
    pub(super) fn kept_start(&self, before: &[usize], compaction: usize) -> usize {
        let first = text(self.value_at(compaction), "firstKeptEntryId");
        let first = self.position(first);
        first.and_then(|first| before.iter().rposition(|&position| position == first)).unwrap_or(before.len())
    }
}

impl<'a> Selection<'a> {
    /// Adds the messages of an entry: none, one, or more for a compaction.
    pub fn project(&self, position: usize, out: &mut Vec<ContextMessage<'a>>) {
        let mut push = |message| out.push(ContextMessage { entry: position, message });
        let entry = self.tree.value_at(position);
        match text(entry, "type") {
            "compaction" if self.compaction == Some(position) => {
                if let Some(message) = system::stored(entry) {
                    push(Cow::Borrowed(message));
                }
                push(Cow::Owned(summary_message(entry)));
                if given(entry, "firstKeptEntryId").is_none() {
                    for message in items(entry, "retainedTail") {
                        push(filled(message));
                    }
                }
            }
            "message" => {
                let Some(message) = entry.get("message").filter(|message| message.as_object().is_some()) else {
                    return;
                };
                // What the compaction says of the prompt counts, not what it was made of.
                let stored = self.compaction.map(|at| (at, self.tree.value_at(at)));
                let old = stored.is_some_and(|(at, entry)| position < at && system::stored(entry).is_some());
                if old && text(message, "role") == "system" {
                    return;
                }
                match self.edit_of(position) {
                    Some(None) => {}
                    Some(Some(content)) => push(Cow::Owned(with_content(message, content.clone()))),
                    None => push(filled(message)),
                }
            }
            "custom_message" => {
                let message = made("custom", &["customType", "content", "display", "details"], entry);
                match self.edit_of(position) {
                    Some(None) => {}
                    Some(Some(content)) => push(Cow::Owned(with_content(&message, content.clone()))),
                    None => push(Cow::Owned(message)),
                }
            }
            "branch_summary" if !text(entry, "summary").is_empty() => {
                push(Cow::Owned(made("branchSummary", &["summary", "fromId"], entry)));
            }
            _ => {}
        }
    }

    /// What the edits of an entry come to: hidden, another content, or nothing.
    fn edit_of(&self, position: usize) -> Option<Option<&'a Value>> {
        let edit = self.tree.value_at(self.edits.get(self.tree.id_at(position))?);
        match edit.get("replacement")? {
            Value::Null => Some(None),
            replacement => Some(Some(replacement.get("content")?)),
        }
    }
}

/// The message of a compaction.
pub(super) fn summary_message(entry: &Value) -> Value {
    made("compactionSummary", &["summary", "tokensBefore"], entry)
}

/// A message of some members of an entry.
fn made(role: &str, keys: &[&str], entry: &Value) -> Value {
    let mut message = Object::new();
    set(&mut message, "role", role);
    for key in keys {
        if let Some(value) = entry.get(key) {
            set(&mut message, key, value.clone());
        }
    }
    set(&mut message, "timestamp", time_of(entry));
    Value::Object(message)
}

/// A message as it is, with the content that it must have.
fn filled(message: &Value) -> Cow<'_, Value> {
    if given(message, "content").is_some() {
        return Cow::Borrowed(message);
    }
    let content = match text(message, "role") {
        "system" => "".into(),
        "user" | "assistant" | "toolResult" | "custom" => Value::Array(Vec::new()),
        _ => return Cow::Borrowed(message),
    };
    Cow::Owned(with_content(message, content))
}

fn with_content(message: &Value, content: Value) -> Value {
    let mut message = message.clone();
    if let Value::Object(members) = &mut message {
        set(members, "content", content);
    }
    message
}
