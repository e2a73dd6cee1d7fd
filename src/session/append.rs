//! What may be added to a session (SESSIONS 2). Every operation makes one entry after the leaf and gives its position.

use steersman_wire::json::{Object, Value};
use steersman_wire::text::trim;

use super::read::{given, set, text, text_blocks};
use super::tree::SessionTree;
use super::{dates, SessionError, Stamp};

type Added = Result<usize, SessionError>;

/// The optional parts of a compaction or a branch summary.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// Anything; the file lists of our own summaries.
    pub details: Option<Value>,
    /// What the summary cost.
    pub usage: Option<Value>,
    /// Whether the application made the summary.
    pub from_hook: Option<bool>,
}

impl Extras {
    fn add_to(&self, entry: &mut Object) {
        add(entry, "details", self.details.clone());
        add(entry, "usage", self.usage.clone());
        add(entry, "fromHook", self.from_hook.map(Value::Bool));
    }
}

/// Adds a member where there is one.
fn add(entry: &mut Object, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        set(entry, key, value);
    }
}

impl SessionTree {
    /// A message of the conversation.
    ///
    /// # Errors
    /// `pending_message`: an assistant message that is still arriving.
    pub fn append_message(&mut self, message: Value, stamp: &mut Stamp<'_>) -> Added {
        if text(&message, "role") == "assistant" && text(&message, "stopReason") == "pending" {
            return Err(SessionError::new("pending_message"));
        }
        let mut entry = self.begin("message", stamp)?;
        set(&mut entry, "message", message);
        self.append(entry)
    }

    /// Another model from here on.
    pub fn append_model_change(&mut self, provider: &str, model: &str, stamp: &mut Stamp<'_>) -> Added {
        let mut entry = self.begin("model_change", stamp)?;
        set(&mut entry, "provider", provider);
        set(&mut entry, "modelId", model);
        self.append(entry)
    }

    /// Another thinking level from here on.
    pub fn append_thinking_level_change(&mut self, level: &str, stamp: &mut Stamp<'_>) -> Added {
        let mut entry = self.begin("thinking_level_change", stamp)?;
        set(&mut entry, "thinkingLevel", level);
        self.append(entry)
    }

    /// State of an application, which the model never sees.
    pub fn append_custom(&mut self, kind: &str, data: Option<Value>, stamp: &mut Stamp<'_>) -> Added {
        let mut entry = self.begin("custom", stamp)?;
        set(&mut entry, "customType", kind);
        add(&mut entry, "data", data);
        self.append(entry)
    }

    /// A message of an application: text or blocks for the model, `details` for the application.
    pub fn append_custom_message(
        &mut self,
        kind: &str,
        content: Value,
        display: bool,
        details: Option<Value>,
        stamp: &mut Stamp<'_>,
    ) -> Added {
        let mut entry = self.begin("custom_message", stamp)?;
        set(&mut entry, "customType", kind);
        set(&mut entry, "content", content);
        set(&mut entry, "display", display);
        add(&mut entry, "details", details);
        self.append(entry)
    }

    /// The name of the session. Line breaks become spaces; a blank name removes it.
    pub fn append_name(&mut self, name: &str, stamp: &mut Stamp<'_>) -> Added {
        let mut line = String::with_capacity(name.len());
        let mut broken = false;
        for letter in name.chars() {
            let breaks = matches!(letter, '\r' | '\n');
            if !breaks {
                line.push(letter);
            } else if !broken {
                line.push(' ');
            }
            broken = breaks;
        }
        let mut entry = self.begin("session_info", stamp)?;
        set(&mut entry, "name", trim(&line));
        self.append(entry)
    }

    /// A label on an entry; none or an empty one removes it.
    ///
    /// # Errors
    /// `unknown_entry`
    pub fn append_label(&mut self, target: &str, label: Option<&str>, stamp: &mut Stamp<'_>) -> Added {
        self.known(target)?;
        let mut entry = self.begin("label", stamp)?;
        set(&mut entry, "targetId", target);
        add(&mut entry, "label", label.map(Value::from));
        self.append(entry)
    }

    /// What something beside the conversation cost.
    pub fn append_usage(
        &mut self,
        kind: &str,
        provider: &str,
        model: &str,
        usage: Value,
        note: Option<&str>,
        stamp: &mut Stamp<'_>,
    ) -> Added {
        let mut entry = self.begin("usage", stamp)?;
        set(&mut entry, "kind", kind);
        set(&mut entry, "provider", provider);
        set(&mut entry, "model", model);
        set(&mut entry, "usage", usage);
        add(&mut entry, "note", note.map(Value::from));
        self.append(entry)
    }

    /// A summary that stands for everything before `first_kept`. `None`: nothing before it is kept.
    pub fn append_compaction(
        &mut self,
        summary: &str,
        first_kept: Option<&str>,
        tokens_before: f64,
        extras: &Extras,
        stamp: &mut Stamp<'_>,
    ) -> Added {
        let mut entry = self.begin("compaction", stamp)?;
        let own = entry.get("id").cloned();
        set(&mut entry, "summary", summary);
        set(&mut entry, "firstKeptEntryId", first_kept.map(Value::from).or(own));
        set(&mut entry, "tokensBefore", tokens_before);
        extras.add_to(&mut entry);
        add(&mut entry, "systemMessage", self.system_message(stamp.now));
        self.append(entry)
    }

    /// Goes on from `to` (`None`: from nothing) with a summary of the branch that is left.
    ///
    /// # Errors
    /// `unknown_entry`
    pub fn branch_with_summary(
        &mut self,
        to: Option<&str>,
        summary: &str,
        extras: &Extras,
        stamp: &mut Stamp<'_>,
    ) -> Added {
        let mut entry = self.begin("branch_summary", stamp)?;
        set(&mut entry, "parentId", to);
        set(&mut entry, "fromId", self.leaf_id().unwrap_or("root"));
        set(&mut entry, "summary", summary);
        extras.add_to(&mut entry);
        self.branch(to)?;
        self.append(entry)
    }

    /// Hides an entry of the active branch from the model (`null`), or gives it another content
    /// (`{"content": text or blocks}`).
    ///
    /// # Errors
    /// `unknown_entry`, `not_on_branch`, `not_editable` (it says nothing to the model), `malformed`
    pub fn append_context_edit(&mut self, target: &str, replacement: Value, stamp: &mut Stamp<'_>) -> Added {
        let position = self.known(target)?;
        if !self.is_on_branch(position) {
            return Err(SessionError::new("not_on_branch"));
        }
        let entry = self.value_at(position);
        let role = entry.get("message").map_or("", |message| text(message, "role"));
        let editable = match text(entry, "type") {
            "message" => matches!(role, "user" | "assistant" | "toolResult"),
            kind => kind == "custom_message",
        };
        if !editable {
            return Err(SessionError::new("not_editable"));
        }
        let content = match replacement.get("content") {
            Some(Value::String(text)) if matches!(role, "assistant" | "toolResult") => Some(text_blocks(text)),
            Some(content @ (Value::String(_) | Value::Array(_))) => Some(content.clone()),
            _ if replacement.is_null() => None,
            _ => return Err(SessionError::new("malformed")),
        };
        let mut entry = self.begin("context_edit", stamp)?;
        set(&mut entry, "targetId", target);
        let only = content.map(|content| {
            let mut only = Object::new();
            set(&mut only, "content", content);
            only
        });
        set(&mut entry, "replacement", only);
        self.append(entry)
    }
}

/// The time of an entry in milliseconds.
pub(super) fn time_of(entry: &Value) -> Value {
    // The files of v4 count in milliseconds already.
    match given(entry, "timestamp") {
        Some(Value::String(text)) => dates::millis(text).into(),
        Some(number) => number.clone(),
        None => Value::Null,
    }
}
