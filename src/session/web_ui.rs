//! Sessions of pi-web-ui's database: a flat list of messages (SESSIONS 4.5).

use steersman_wire::json::Value;
use steersman_wire::text::trim;

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
    let created = match row.get("createdAt") {
        Some(Value::String(text)) => dates::millis(text),
        time => time.and_then(Value::as_f64),
    };
    let now = created.unwrap_or(stamp.now);
    let stamp = &mut Stamp { ids: stamp.ids, now };
    let mut tree = SessionTree::new(text(row, "id"), cwd, None, now)?;
    if !trim(text(row, "title")).is_empty() {
        tree.append_name(text(row, "title"), stamp)?;
    }
    if let Some(model) = given(row, "model") {
        tree.append_model_change(text(model, "provider"), text(model, "id"), stamp)?;
    }
    if let Some(Value::String(level)) = given(row, "thinkingLevel") {
        tree.append_thinking_level_change(level, stamp)?;
    }
    for message in items(row, "messages") {
        stamp.now = message.get("timestamp").and_then(Value::as_f64).unwrap_or(stamp.now);
        // An answer that was still arriving when the page closed is none.
        if message.as_object().is_some() && text(message, "stopReason") != "pending" {
            tree.append_message(message.clone(), stamp)?;
        }
    }
    Ok(tree)
}
