//! Where a session is kept: commits that happen whole or not at all, in order (SESSIONS 5).
//!
//! ```
//! use steersman::session::branches::{insert_entry, set_value};
//! use steersman::session::memory::MemoryStore;
//! use steersman::session::store::SessionStore;
//! use steersman::session::{SessionTree, Stamp};
//!
//! let mut store = MemoryStore::new();
//! store.create_branch("main", None, 0.0)?;
//!
//! // A tree, and every entry of it in the store.
//! let mut ids = 0..;
//! let mut draw = || ids.next().map(|id| format!("e{id}"));
//! let mut tree = SessionTree::new("s1", "/project", None, 0.0)?;
//! let added = tree.append_name("Weather", &mut Stamp { ids: &mut draw, now: 1000.0 })?;
//! store.record("main", &tree, added)?;
//!
//! // What is refused changes nothing, not even the first write.
//! let orphan = [("id", "x"), ("parentId", "nobody")].into_iter().collect();
//! let refused = store.commit(vec![set_value("app", "k", 1.into()), insert_entry(orphan)], 0.0);
//! assert_eq!(refused.unwrap_err().code, "missing_parent");
//! assert_eq!(store.memory().value("app", "k"), None);
//!
//! let again = store.memory().tree(tree.header().clone(), "main")?;
//! assert_eq!((again.len(), again.name()), (1, Some("Weather")));
//! # Ok::<(), steersman::session::SessionError>(())
//! ```

use steersman_wire::json::{Object, Value};

use super::branches::{delete_value, insert_entry, set_value};
use super::memory::MemoryStore;
use super::read::{number, text};
use super::tree::SessionTree;
use super::SessionError;

/// The namespace of the tips of branches.
pub const TIPS: &str = "pi.branch.tip";
/// The namespace of labels, by entry.
pub const LABELS: &str = "pi.entry.label";
/// The namespace of the name; its key is empty.
pub const NAME: &str = "pi.session.name";
/// A branch with a value here is a lane: it may be forked alone.
pub const LANES: &str = "pi.lane.config";

/// What is to be read of a branch or of the whole session. Order of the steps: stop, filter, cursor, limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'a> {
    /// Oldest first; without it newest first.
    pub oldest_first: bool,
    /// Stops at this entry, which is still given.
    pub stop_at_id: Option<&'a str>,
    /// Stops at the first entry of this type, which still counts.
    pub stop_at_type: Option<&'a str>,
    /// Entries of this type only.
    pub kind: Option<&'a str>,
    /// Entries of this `customType` only.
    pub custom_type: Option<&'a str>,
    /// Goes on after the entry with this sequence number, in the order of the query.
    pub after_seq: Option<f64>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Keeps one session. All it holds is in memory too, to read from ([`memory`](Self::memory)); stores differ in where commits
/// go.
///
/// A write is an object with a `kind`: `entry` (`entry`), `usage` (`row`), `value` and `list` (`op`: `set`, `append` or
/// `delete`; `namespace`, `key`, `value`). [`branches`](super::branches) makes them.
pub trait SessionStore {
    /// What is stored, as of the last commit.
    fn memory(&self) -> &MemoryStore;

    /// Writes all, in order, or nothing. Gives the sequence number of the first. `now`: milliseconds since 1970, the time of
    /// its entries.
    ///
    /// # Errors
    /// `duplicate_id`, `missing_parent`, `pending_message`, `malformed`, `closed`, and what the place it goes to says
    fn commit(&mut self, writes: Vec<Value>, now: f64) -> Result<u64, SessionError>;

    /// Takes no more commits. Harmless twice.
    fn close(&mut self);

    /// Stores an entry of a tree as the next one of a branch, with its own time: entry and tip in one commit.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit)
    fn record(&mut self, branch: &str, tree: &SessionTree, position: usize) -> Result<(), SessionError> {
        let entry = tree.value_at(position).as_object().cloned().unwrap_or_default();
        let tip = set_value(TIPS, branch, tree.id_at(position).into());
        self.commit(vec![insert_entry(entry), tip], tree.time_at(position)).map(drop)
    }

    /// A new branch whose next entry follows `at` (`None`: a root).
    ///
    /// # Errors
    /// `bad_name` (empty, or with a NUL), `branch_exists`, `unknown_entry`
    fn create_branch(&mut self, name: &str, at: Option<&str>, now: f64) -> Result<(), SessionError> {
        if name.is_empty() || name.bytes().any(|byte| byte == 0) {
            return Err(SessionError::new("bad_name"));
        }
        if self.memory().value(TIPS, name).is_some() {
            return Err(SessionError::new("branch_exists"));
        }
        self.move_tip(name, at, now)
    }

    /// Moves a branch to an entry, or to nothing.
    ///
    /// # Errors
    /// `unknown_entry`
    fn move_tip(&mut self, name: &str, to: Option<&str>, now: f64) -> Result<(), SessionError> {
        if to.is_some_and(|to| !self.memory().has_entry(to)) {
            return Err(SessionError::new("unknown_entry"));
        }
        self.commit(vec![set_value(TIPS, name, to.into())], now).map(drop)
    }

    /// Adds an entry to a branch and moves its tip, in one commit. `members` are those beside `id` and `parentId`.
    ///
    /// # Errors
    /// `unknown_branch`, and those of [`commit`](Self::commit)
    fn append_to(&mut self, branch: &str, id: &str, members: Object, now: f64) -> Result<(), SessionError> {
        let tip = self.memory().value(TIPS, branch).ok_or(SessionError::new("unknown_branch"))?.clone();
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
    fn set_name(&mut self, name: Option<&str>, now: f64) -> Result<(), SessionError> {
        self.commit(vec![set_or_delete(NAME, "", name)], now).map(drop)
    }

    /// Labels an entry, which may come later; `None` takes the label away.
    ///
    /// # Errors
    /// `malformed`: an id with a NUL
    fn set_label(&mut self, entry: &str, label: Option<&str>, now: f64) -> Result<(), SessionError> {
        self.commit(vec![set_or_delete(LABELS, entry, label)], now).map(drop)
    }
}

fn set_or_delete(namespace: &str, key: &str, text: Option<&str>) -> Value {
    match text {
        Some(text) => set_value(namespace, key, text.into()),
        None => delete_value(namespace, key),
    }
}

impl Query<'_> {
    pub(super) fn run<'v>(&self, entries: Vec<&'v Value>) -> Vec<&'v Value> {
        let mut found = Vec::new();
        for entry in entries {
            let kind = text(entry, "type");
            let seq = number(entry, "seq");
            let past = self.after_seq.is_none_or(|after| if self.oldest_first { seq > after } else { seq < after });
            let fits = self.kind.is_none_or(|wanted| kind == wanted)
                && self.custom_type.is_none_or(|wanted| text(entry, "customType") == wanted);
            if fits && past && self.limit.is_none_or(|limit| found.len() < limit) {
                found.push(entry);
            }
            if self.stop_at_id == Some(text(entry, "id")) || self.stop_at_type == Some(kind) {
                break;
            }
        }
        found
    }
}
