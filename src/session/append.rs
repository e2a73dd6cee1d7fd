//! What may be added to a session (SESSIONS 2). Every operation makes one entry after the leaf and gives its position.

use steersman_wire::json::Value;

use super::read::{given, object, text, text_blocks};
use super::tree::SessionTree;
use super::{dates, system, SessionError, Stamp};

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
    fn members(&self) -> [(&'static str, Option<Value>); 3] {
        [
            ("details", self.details.clone()),
            ("usage", self.usage.clone()),
            ("fromHook", self.from_hook.map(Value::Bool)),
        ]
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
        self.append("message", &[("message", Some(message))], stamp)
    }

    /// Another model from here on.
    pub fn append_model_change(&mut self, provider: &str, model: &str, stamp: &mut Stamp<'_>) -> Added {
        self.append("model_change", &[("provider", Some(provider.into())), ("modelId", Some(model.into()))], stamp)
    }

    /// Another thinking level from here on.
    pub fn append_thinking_level_change(&mut self, level: &str, stamp: &mut Stamp<'_>) -> Added {
        self.append("thinking_level_change", &[("thinkingLevel", Some(level.into()))], stamp)
    }

    /// State of an application, which the model never sees.
    pub fn append_custom(&mut self, kind: &str, data: Option<Value>, stamp: &mut Stamp<'_>) -> Added {
        self.append("custom", &[("customType", Some(kind.into())), ("data", data)], stamp)
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
        let members = [
            ("customType", Some(kind.into())),
            ("content", Some(content)),
            ("display", Some(display.into())),
            ("details", details),
        ];
        self.append("custom_message", &members, stamp)
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
        self.append("session_info", &[("name", Some(line.trim().into()))], stamp)
    }

    /// A label on an entry; none or an empty one removes it.
    ///
    /// # Errors
    /// `unknown_entry`
    pub fn append_label(&mut self, target: &str, label: Option<&str>, stamp: &mut Stamp<'_>) -> Added {
        self.known(target)?;
        self.append("label", &[("targetId", Some(target.into())), ("label", label.map(Value::from))], stamp)
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
        let members = [
            ("kind", Some(kind.into())),
            ("provider", Some(provider.into())),
            ("model", Some(model.into())),
            ("usage", Some(usage)),
            ("note", note.map(Value::from)),
        ];
        self.append("usage", &members, stamp)
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
        let id = self.fresh_id(stamp)?;
        let kept = first_kept.unwrap_or(&id).to_owned();
        let [details, usage, from_hook] = extras.members();
        let prompt = system::replayed(&self.context(self.leaf()), stamp.now);
        let members = [
            ("summary", Some(summary.into())),
            ("firstKeptEntryId", Some(kept.into())),
            ("tokensBefore", Some(tokens_before.into())),
            details,
            usage,
            from_hook,
            ("systemMessage", prompt),
        ];
        let mut once = Some(id);
        self.append("compaction", &members, &mut Stamp { ids: &mut || once.take(), now: stamp.now })
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
        let before = self.leaf();
        let left = self.leaf_id().unwrap_or("root").to_owned();
        self.branch(to)?;
        let [details, usage, from_hook] = extras.members();
        let members = [("fromId", Some(left.into())), ("summary", Some(summary.into())), details, usage, from_hook];
        let added = self.append("branch_summary", &members, stamp);
        if added.is_err() {
            self.leaf = before;
        }
        added
    }

    /// Hides an entry of the active branch from the model (`null`), or gives it another content
    /// (`{"content": text or blocks}`).
    ///
    /// # Errors
    /// `unknown_entry`, `not_on_branch`, `not_editable` (it says nothing to the model), `malformed`
    pub fn append_context_edit(&mut self, target: &str, replacement: Value, stamp: &mut Stamp<'_>) -> Added {
        let position = self.known(target)?;
        let mut at = self.leaf();
        while at.is_some_and(|at| at != position) {
            at = at.and_then(|at| self.parent_at(at));
        }
        if at.is_none() {
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
        let replacement = match (&replacement, replacement.get("content")) {
            (Value::Null, _) => Value::Null,
            (_, Some(Value::String(text))) if matches!(role, "assistant" | "toolResult") => {
                Value::Object(object(&[("content", &text_blocks(text))]))
            }
            (_, Some(content @ (Value::String(_) | Value::Array(_)))) => Value::Object(object(&[("content", content)])),
            _ => return Err(SessionError::new("malformed")),
        };
        let members = [("targetId", Some(target.into())), ("replacement", Some(replacement))];
        self.append("context_edit", &members, stamp)
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
