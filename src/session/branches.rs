//! Named branches of a store, and stores made of another one (SESSIONS 2.4).

use steersman_wire::json::{Object, Value};

use super::read::text;
use super::store::{MemoryStore, Query, LABELS, LANES, NAME, TIPS};
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
    /// A new branch whose next entry follows `at` (`None`: a root).
    ///
    /// # Errors
    /// `bad_name` (empty, or with a NUL), `branch_exists`, `unknown_entry`
    pub fn create_branch(&mut self, name: &str, at: Option<&str>, now: f64) -> Result<(), SessionError> {
        if name.is_empty() || name.bytes().any(|byte| byte == 0) {
            return Err(SessionError::new("bad_name"));
        }
        if self.value(TIPS, name).is_some() {
            return Err(SessionError::new("branch_exists"));
        }
        self.move_tip(name, at, now)
    }

    /// Moves a branch to an entry, or to nothing.
    ///
    /// # Errors
    /// `unknown_entry`
    pub fn move_tip(&mut self, name: &str, to: Option<&str>, now: f64) -> Result<(), SessionError> {
        if to.is_some_and(|to| !self.has_entry(to)) {
            return Err(SessionError::new("unknown_entry"));
        }
        self.commit(vec![set_value(TIPS, name, to.into())], now).map(drop)
    }

    /// Adds an entry to a branch and moves its tip, in one commit. `members` are those beside `id` and `parentId`.
    ///
    /// # Errors
    /// `unknown_branch`, and those of [`commit`](Self::commit)
    pub fn append_to(&mut self, branch: &str, id: &str, members: Object, now: f64) -> Result<(), SessionError> {
        let tip = self.value(TIPS, branch).ok_or(SessionError::new("unknown_branch"))?.clone();
        let mut entry = Object::new();
        entry.insert("id", id);
        entry.insert("parentId", tip);
        members.into_iter().for_each(|(key, value)| drop(entry.insert(key, value)));
        self.commit(vec![insert_entry(entry), set_value(TIPS, branch, id.into())], now).map(drop)
    }

    /// Names the session; `None` takes the name away.
    ///
    /// # Errors
    /// None today.
    pub fn set_name(&mut self, name: Option<&str>, now: f64) -> Result<(), SessionError> {
        self.set_or_delete(NAME, "", name, now)
    }

    /// Labels an entry, which may come later; `None` takes the label away.
    ///
    /// # Errors
    /// `malformed`: an id with a NUL
    pub fn set_label(&mut self, entry: &str, label: Option<&str>, now: f64) -> Result<(), SessionError> {
        self.set_or_delete(LABELS, entry, label, now)
    }

    fn set_or_delete(&mut self, namespace: &str, key: &str, text: Option<&str>, now: f64) -> Result<(), SessionError> {
        let write = match text {
            Some(text) => set_value(namespace, key, text.into()),
            None => delete_value(namespace, key),
        };
        self.commit(vec![write], now).map(drop)
    }

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
