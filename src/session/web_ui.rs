//! Sessions of pi-web-ui's database: a flat list of messages (SESSIONS 4.5).

use steersman_wire::json::Value;

use super::read::{given, items, text};
use super::tree::SessionTree;
use super::{dates, SessionError, Stamp};

/// Makes a session of one row of the `sessions` store: name, model and thinking level, then the messages in a chain.
/// Entries have the time of their message, or of the row.
///
/// # Errors
/// `not_a_session` (no id, no list of messages), `bad_id`, `no_ids`
pub fn import_web_ui(row: &Value, cwd: &str, stamp: &mut Stamp<'_>) -> Result<SessionTree, SessionError> {
    if row.get("messages").and_then(Value::as_array).is_none() {
        return Err(SessionError::new("not_a_session"));
    }
    let time = |key| match row.get(key) {
        Some(Value::String(text)) => dates::millis(text),
        time => time.and_then(Value::as_f64),
    };
    let mut now = time("createdAt").unwrap_or(stamp.now);
    let mut tree = SessionTree::new(text(row, "id"), cwd, None, now)?;
    if !text(row, "title").trim().is_empty() {
        tree.append_name(text(row, "title"), &mut Stamp { ids: stamp.ids, now })?;
    }
    if let Some(model) = given(row, "model") {
        let id = text(model, "id");
        tree.append_model_change(text(model, "provider"), id, &mut Stamp { ids: stamp.ids, now })?;
    }
    if let Some(Value::String(level)) = given(row, "thinkingLevel") {
        tree.append_thinking_level_change(level, &mut Stamp { ids: stamp.ids, now })?;
    }
    for message in items(row, "messages").iter().filter(|message| message.as_object().is_some()) {
        now = message.get("timestamp").and_then(Value::as_f64).unwrap_or(now);
        // An answer that was still arriving when the page closed is none.
        if text(message, "stopReason") != "pending" {
            tree.append_message(message.clone(), &mut Stamp { ids: stamp.ids, now })?;
        }
    }
    Ok(tree)
}
