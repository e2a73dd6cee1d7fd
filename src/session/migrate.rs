//! What older versions wrote differently (SESSIONS 4.5).

use steersman_wire::json::{Object, Value};

use super::read::set;
use super::tree::SessionTree;

/// Brings an entry of a version before 3 up to date, which is the next one of the tree.
pub(super) fn entry(entry: &mut Object, version: f64, tree: &SessionTree) {
    if version < 2.0 {
        set(entry, "parentId", tree.leaf_id());
        if let Some(index) = entry.remove("firstKeptEntryIndex").and_then(|index| index.as_f64()) {
            // The header counts as 0, and the lines that were skipped do not count.
            let kept = if index >= 1.0 { tree.id_at(index as usize - 1) } else { "" };
            if !kept.is_empty() {
                set(entry, "firstKeptEntryId", kept);
            }
        }
    }
    if let Some(Value::Object(message)) = entry.get_mut("message") {
        if message.get("role").and_then(Value::as_str) == Some("hookMessage") {
            set(message, "role", "custom");
        }
    }
}
