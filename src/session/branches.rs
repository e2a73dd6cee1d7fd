//! Stores made of another one (SESSIONS 2.4), and the writes that commits are made of.

use steersman_wire::json::{Object, Value};

use super::memory::MemoryStore;
use super::read::text;
use super::store::{Query, LABELS, LANES, NAME, TIPS};
use super::SessionError;

/// The part of a store that a fork takes.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// All entries and branches, with the values of the application.
    Tree,
    /// One branch that is a lane, up to an entry (with it, or `before` it), else to its tip. Without the values of the
    /// application.
    Branch {
        /// Its name.
        branch: &'a str,
        /// The last entry to take.
        entry: Option<&'a str>,
        /// Leaves that entry out.
        before: bool,
    },
}

/// A write that sets a value.
pub fn set_value(namespace: &str, key: &str, value: Value) -> Value {
    let mut write = Object::new();
    write.insert("kind", "value");
    write.insert("op", "set");
    write.insert("namespace", namespace);
    write.insert("key", key);
    write.insert("value", value);
    Value::Object(write)
}

/// A write that deletes a value.
pub fn delete_value(namespace: &str, key: &str) -> Value {
    let mut write = Object::new();
    write.insert("kind", "value");
    write.insert("op", "delete");
    write.insert("namespace", namespace);
    write.insert("key", key);
    Value::Object(write)
}

/// A write that adds an entry.
pub fn insert_entry(entry: Object) -> Value {
    let mut write = Object::new();
    write.insert("kind", "entry");
    write.insert("entry", entry);
    Value::Object(write)
}

impl MemoryStore {
    /// A new store of a part of this one: entries keep ids and times; labels of copied entries and the name come along;
    /// runs, pending input, results, lists and usage do not.
    ///
    /// # Errors
    /// `unknown_branch`, `not_a_lane`, `not_on_branch`, `unsupported` (a reserved value of unknown meaning)
    pub fn fork(&self, scope: &Scope<'_>) -> Result<Self, SessionError> {
        let entries: Vec<&Value> = match scope {
            Scope::Tree => self.entries().collect(),
            Scope::Branch { branch, entry, before } => self.fork_path(branch, *entry, *before)?,
        };
        let mut fork = Self::new();
        let mut writes = Vec::new();
        for entry in &entries {
            let mut write = entry.as_object().cloned().unwrap_or_default();
            write.insert("kind", "entry");
            writes.push(Value::Object(write));
        }
        let copied = |id: &str| entries.iter().any(|entry| text(entry, "id") == id);
        for (namespace, key, list, value) in self.dump("") {
            let wanted = match (namespace, scope) {
                (NAME, _) => true,
                (LABELS, _) => copied(key),
                (TIPS, Scope::Tree) => true,
                (LANES, Scope::Tree) => true,
                (LANES, Scope::Branch { branch, .. }) => key == *branch,
                (TIPS | "pi.lane.state" | "pi.result", _) => false,
                (other, _) if other.starts_with("pi.op.") || other.starts_with("pi.pending.") => false,
                (other, _) if other.starts_with("pi.") => return Err(SessionError::new("unsupported")),
                (_, Scope::Tree) => !list,
                _ => false,
            };
            if wanted {
                writes.push(set_value(namespace, key, value));
            }
        }
        if let Scope::Branch { branch, .. } = scope {
            let tip = entries.last().map(|entry| text(entry, "id"));
            writes.push(set_value(TIPS, branch, tip.into()));
        }
        for (place, write) in writes.iter_mut().enumerate() {
            if let Value::Object(members) = write {
                members.insert("seq", place + 1);
            }
        }
        fork.replay(writes)?;
        Ok(fork)
    }

    fn fork_path(&self, branch: &str, entry: Option<&str>, before: bool) -> Result<Vec<&Value>, SessionError> {
        let tip = self.value(TIPS, branch).ok_or(SessionError::new("unknown_branch"))?;
        if self.value(LANES, branch).is_none() {
            return Err(SessionError::new("not_a_lane"));
        }
        let mut path = match tip.as_str() {
            Some(tip) => self.scan_branch(tip, &Query { oldest_first: true, ..Query::default() })?,
            None => Vec::new(),
        };
        if let Some(entry) = entry {
            let at = path.iter().position(|on| text(on, "id") == entry).ok_or(SessionError::new("not_on_branch"))?;
            path.truncate(if before { at } else { at + 1 });
        }
        Ok(path)
    }
}
