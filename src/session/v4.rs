//! Files of version 4: transactions over entries, values, lists and usage (SESSIONS 4.2).

use steersman_wire::json::{self, Object, Value};

use super::import::{Import, Lines, Report};
use super::memory::MemoryStore;
use super::read::{number, text};
use super::tree::SessionTree;
use super::{dates, SessionError};

/// Reads a file as a session.
pub(super) fn read(header: &Value, lines: Lines<'_>, complete: bool) -> Result<Import, SessionError> {
    if !complete {
        return Err(SessionError::at("corrupt", 1));
    }
    let own = tree_header(header)?;
    let (store, mut reports) = transactions(lines)?;
    if store.has_open_run() {
        reports.push(Report { code: "open_run", line: None, id: None, offset: None });
    }
    let mut tree = SessionTree::from_entries(own, store.entries().map(tree_entry))?;
    let main = store.tips().into_iter().find(|(name, _)| *name == "main");
    if let Some((_, tip)) = main.or_else(|| store.tips().into_iter().next()) {
        tree.branch(tip)?;
    }
    Ok(Import { tree, reports, store: Some(store) })
}

/// Reads the transactions after the header. A cut last line goes with its whole transaction; any other fault refuses the
/// file.
pub(super) fn transactions(lines: Lines<'_>) -> Result<(MemoryStore, Vec<Report>), SessionError> {
    let mut store = MemoryStore::new();
    let mut reports = Vec::new();
    for line in lines {
        if !line.ended {
            let cut = Report { offset: Some(line.offset), ..Report::of("truncated_tail", line.number) };
            reports.push(cut);
            break;
        }
        let refused = SessionError::at("corrupt", line.number);
        let writes = match json::parse(line.text).map_err(|_| refused)? {
            Value::Array(writes) => writes,
            write => vec![write],
        };
        store.replay(writes).map_err(|_| refused)?;
    }
    Ok((store, reports))
}

/// The header in the form of version 3.
pub(super) fn tree_header(header: &Value) -> Result<Value, SessionError> {
    if number(header, "storageVersion") != 1.0 || text(header, "id").is_empty() {
        return Err(SessionError::at("corrupt", 1));
    }
    let mut own = Object::new();
    own.insert("type", "session");
    own.insert("version", 3);
    own.insert("id", text(header, "id"));
    own.insert("timestamp", dates::iso(number(header, "createdAt")));
    own.insert("cwd", header.get("cwd").cloned());
    for key in ["parentSessionId", "legacyParentSessionPath"] {
        if let Some(parent) = header.get(key).filter(|_| !own.contains_key("parentSession")) {
            own.insert("parentSession", parent.clone());
        }
    }
    Ok(Value::Object(own))
}

/// The line of a header.
pub(super) fn header_line(header: &Value) -> String {
    let mut own = Object::new();
    own.insert("v", 4);
    own.insert("kind", "header");
    own.insert("id", text(header, "id"));
    own.insert("storageVersion", 1);
    own.insert("createdAt", dates::millis(text(header, "timestamp")).unwrap_or(0.0));
    own.insert("cwd", text(header, "cwd"));
    if let Some(parent) = header.get("parentSession") {
        own.insert("parentSessionId", parent.clone());
    }
    line(&Value::Object(own))
}

/// The line of a transaction.
pub(super) fn transaction_line(writes: &[Value]) -> String {
    match writes {
        [write] => line(write),
        writes => line(&Value::Array(writes.to_vec())),
    }
}

fn line(value: &Value) -> String {
    let mut out = json::to_text(value);
    out.push('\n');
    out
}

/// An entry of the store in the form of version 3.
pub(super) fn tree_entry(entry: &Value) -> Value {
    let mut out = Object::new();
    for key in ["type", "id", "parentId", "timestamp"] {
        out.insert(key, entry.get(key).cloned());
    }
    out.insert("timestamp", dates::iso(number(entry, "timestamp")));
    for (key, value) in entry.as_object().into_iter().flat_map(Object::iter) {
        if !matches!(key, "type" | "id" | "parentId" | "timestamp" | "seq") {
            out.insert(key, value.clone());
        }
    }
    Value::Object(out)
}
