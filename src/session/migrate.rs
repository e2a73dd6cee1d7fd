//! What older versions wrote differently (SESSIONS 4.5).

use steersman_wire::json::{Object, Value};

/// Brings an entry of an older version up to date; whether anything changed. `previous`: the entry before it in the file.
/// `at_line`: the id of an entry by its line, the header being 0.
pub(super) fn entry(
    entry: &mut Object,
    version: f64,
    previous: Option<&str>,
    at_line: &dyn Fn(usize) -> Option<String>,
) -> bool {
    if version >= 3.0 {
        return false;
    }
    if version < 2.0 {
        entry.insert("parentId", previous);
        if let Some(index) = entry.remove("firstKeptEntryIndex") {
            let index = index.as_f64().filter(|index| *index >= 1.0).map(|index| index as usize);
            if let Some(kept) = index.and_then(at_line).filter(|kept| !kept.is_empty()) {
                entry.insert("firstKeptEntryId", kept);
            }
        }
    }
    if let Some(Value::Object(message)) = entry.get_mut("message") {
        if message.get("role").and_then(Value::as_str) == Some("hookMessage") {
            message.insert("role", "custom");
        }
    }
    true
}
