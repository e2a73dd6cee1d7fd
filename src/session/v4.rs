//! Reading files of version 4: transactions over entries, values, lists and usage (SESSIONS 4.2).

use steersman_wire::json::{self, Object, Value};

use super::import::{Import, Lines, Report};
use super::read::{number, text};
use super::store::MemoryStore;
use super::tree::SessionTree;
use super::{dates, SessionError};

/// Reads the transactions after the header. A cut last line goes with its whole transaction; any other fault refuses the
/// file.
pub(super) fn read(header: &Value, lines: Lines<'_>, complete: bool) -> Result<Import, SessionError> {
    if number(header, "storageVersion") != 1.0 || text(header, "id").is_empty() || !complete {
        return Err(SessionError::at("corrupt", 1));
    }
    let mut store = MemoryStore::new();
    let mut reports = Vec::new();
    for line in lines {
        let transaction = json::parse(line.text);
        if !line.ended {
            let cut = Report { offset: Some(line.offset), ..Report::of("truncated_tail", line.number) };
            reports.push(cut);
            break;
        }
        let refused = SessionError::at("corrupt", line.number);
        let writes = match transaction.map_err(|_| refused)? {
            Value::Array(writes) => writes,
            write => vec![write],
        };
        store.replay(writes).map_err(|_| refused)?;
    }
    if store.has_open_run() {
        reports.push(Report { code: "open_run", line: None, id: None, offset: None });
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
    let mut tree = SessionTree::from_entries(Value::Object(own), store.entries().map(tree_entry))?;
    let main = store.tips().into_iter().find(|(name, _)| *name == "main");
    if let Some((_, tip)) = main.or_else(|| store.tips().into_iter().next()) {
        tree.branch(tip)?;
    }
    Ok(Import { tree, reports, store: Some(store) })
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
