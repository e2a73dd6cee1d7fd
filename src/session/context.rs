//! What the model sees of a branch (SESSIONS 3).

use std::borrow::Cow;

use steersman_wire::json::{Object, Value};
use steersman_wire::order::NameMap;

use super::append::time_of;
use super::read::{given, items, text};
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
        let path = self.path(leaf);
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
        let selection = self.selection(&path);
        let mut messages = Vec::new();
        for &entry in &selection.entries {
            selection.project(entry, &mut |message| messages.push(ContextMessage { entry, message }));
        }
        Context { entries: selection.entries, messages, model, thinking_level }
    }

    /// The entries of a path that count: from the last compaction on.
    pub(super) fn selection(&self, path: &[usize]) -> Selection<'_> {
        let kind = |position: &usize| self.kind_at(*position);
        let last = path.iter().rposition(|position| kind(position) == "compaction");
        let entries = match last {
            None => path.to_vec(),
            Some(last) => {
                let (before, after) = path.split_at(last);
                let kept = self.kept_start(before, after.first().copied().unwrap_or(0));
                let kept = before.get(kept..).unwrap_or_default();
                after.iter().take(1).chain(kept).chain(after.iter().skip(1)).copied().collect()
            }
        };
        let mut edits = NameMap::default();
        for &position in &entries {
            if kind(&position) == "context_edit" {
                edits.set(text(self.value_at(position), "targetId"), position);
            }
        }
        let compaction = last.and_then(|last| path.get(last).copied());
        Selection { entries, compaction, edits, tree: self }
    }

    /// Where on the path before it the entries begin that a compaction keeps.
    pub(super) fn kept_start(&self, before: &[usize], compaction: usize) -> usize {
        let first = text(self.value_at(compaction), "firstKeptEntryId");
        let first = self.position(first);
        first.and_then(|first| before.iter().rposition(|&position| position == first)).unwrap_or(before.len())
    }
}

impl<'a> Selection<'a> {
    /// Gives the messages of an entry: none, one, or more for a compaction.
    pub fn project(&self, position: usize, push: &mut dyn FnMut(Cow<'a, Value>)) {
        let entry = self.tree.value_at(position);
        match text(entry, "type") {
            "compaction" if self.compaction == Some(position) => self.project_compaction(entry, push),
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
                let content = match self.edit_of(position) {
                    Some(None) => return,
                    Some(edited) => edited,
                    None => entry.get("content"),
                };
                let members = [
                    ("customType", entry.get("customType")),
                    ("content", content),
                    ("display", entry.get("display")),
                    ("details", entry.get("details")),
                ];
                push(Cow::Owned(made("custom", &members, entry)));
            }
            "branch_summary" if !text(entry, "summary").is_empty() => {
                let members = [("summary", entry.get("summary")), ("fromId", entry.get("fromId"))];
                push(Cow::Owned(made("branchSummary", &members, entry)));
            }
            _ => {}
        }
    }

    fn project_compaction(&self, entry: &'a Value, push: &mut dyn FnMut(Cow<'a, Value>)) {
        if let Some(message) = system::stored(entry) {
            push(Cow::Borrowed(message));
        }
        push(Cow::Owned(summary_message(entry)));
        if given(entry, "firstKeptEntryId").is_none() {
            items(entry, "retainedTail").iter().for_each(|message| push(filled(message)));
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
    let members = [("summary", entry.get("summary")), ("tokensBefore", entry.get("tokensBefore"))];
    made("compactionSummary", &members, entry)
}

fn made(role: &str, members: &[(&str, Option<&Value>)], entry: &Value) -> Value {
    let mut message = Object::new();
    message.insert("role", role);
    for (key, value) in members {
        if let Some(value) = value {
            message.insert(*key, (*value).clone());
        }
    }
    message.insert("timestamp", time_of(entry));
    Value::Object(message)
}

/// A message as it is, with the content that it must have.
fn filled(message: &Value) -> Cow<'_, Value> {
    if given(message, "content").is_some() {
        return Cow::Borrowed(message);
    }
    match text(message, "role") {
        "system" => Cow::Owned(with_content(message, "".into())),
        "user" | "assistant" | "toolResult" | "custom" => Cow::Owned(with_content(message, Value::Array(Vec::new()))),
        _ => Cow::Borrowed(message),
    }
}

fn with_content(message: &Value, content: Value) -> Value {
    let mut message = message.clone();
    if let Value::Object(members) = &mut message {
        members.insert("content", content);
    }
    message
}
