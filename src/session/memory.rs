//! A store in memory: entries, values, lists and usage.

use steersman_wire::json::{Object, Value};
use steersman_wire::order::{sorted_positions, NameMap};

use super::read::{number, text};
use super::store::{Query, SessionStore, TIPS};
use super::tree::SessionTree;
use super::{v4, SessionError};

/// What a query gives at most, where it does not say.
const PAGE: usize = 1000;
/// What a page may hold at most.
const LARGEST_PAGE: f64 = 10_000.0;

/// A value or a list under namespace and key.
#[derive(Debug, Clone)]
struct Slot {
    namespace: String,
    key: String,
    list: bool,
    items: Vec<Value>,
}

/// The store in memory. Other stores keep one of what they hold, to read from.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    entries: Vec<Value>,
    index: NameMap,
    usage: Vec<Value>,
    /// What was deleted leaves an empty place.
    slots: Vec<Slot>,
    /// The places by [`address`].
    places: NameMap,
    seq: u64,
    closed: bool,
}

impl SessionStore for MemoryStore {
    fn memory(&self) -> &MemoryStore {
        self
    }

    fn commit(&mut self, writes: Vec<Value>, now: f64) -> Result<u64, SessionError> {
        if self.closed {
            return Err(SessionError::new("closed"));
        }
        let first = self.seq + 1;
        self.replay(self.stamped(writes, now)?)?;
        Ok(first)
    }

    fn close(&mut self) {
        self.closed = true;
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes as a file has them: flat, with their sequence numbers, entries with their time.
    pub(super) fn stamped(&self, writes: Vec<Value>, now: f64) -> Result<Vec<Value>, SessionError> {
        let first = self.seq + 1;
        let mut stamped = Vec::with_capacity(writes.len());
        for (next, write) in (first..).zip(writes) {
            let mut write = match text(&write, "kind") {
                "entry" => flat("entry", write.get("entry"))?,
                "usage" => flat("usage", write.get("row"))?,
                _ => write,
            };
            if let Value::Object(members) = &mut write {
                members.insert("seq", next);
                if text_of(members, "kind") == "entry" {
                    members.insert("timestamp", now);
                }
            }
            stamped.push(write);
        }
        Ok(stamped)
    }

    /// Whether all of some writes of a file can be done.
    pub(super) fn check(&self, writes: &[Value]) -> Result<(), SessionError> {
        let mut fresh = NameMap::default();
        let mut seq = self.seq as f64;
        for write in writes {
            let next = number(write, "seq");
            if next <= seq || next.fract() != 0.0 {
                return Err(SessionError::new("malformed"));
            }
            seq = next;
            let kind = text(write, "kind");
            match kind {
                "entry" | "usage" => self.check_row(write, kind == "entry", &mut fresh)?,
                "value" | "list" => check_address(write)?,
                _ => return Err(SessionError::new("malformed")),
            }
        }
        Ok(())
    }

    /// Does writes of a file, all or none.
    pub(super) fn replay(&mut self, writes: Vec<Value>) -> Result<(), SessionError> {
        self.check(&writes)?;
        for write in writes {
            self.seq = number(&write, "seq") as u64;
            self.apply(write);
        }
        Ok(())
    }

    /// All that is here, as writes of a file, numbered anew: entries, usage, values and lists.
    pub(super) fn writes(&self) -> Vec<Value> {
        let mut writes = Vec::new();
        let row = |kind: &str, row: &Value| flat(kind, Some(row)).unwrap_or_default();
        writes.extend(self.entries.iter().map(|entry| row("entry", entry)));
        writes.extend(self.usage.iter().map(|usage| row("usage", usage)));
        for slot in self.live("") {
            for item in &slot.items {
                let mut write = Object::new();
                write.insert("kind", if slot.list { "list" } else { "value" });
                write.insert("op", if slot.list { "append" } else { "set" });
                write.insert("namespace", slot.namespace.as_str());
                write.insert("key", slot.key.as_str());
                write.insert("value", item.clone());
                writes.push(Value::Object(write));
            }
        }
        for (place, write) in writes.iter_mut().enumerate() {
            if let Value::Object(members) = write {
                members.insert("seq", place + 1);
            }
        }
        writes
    }

    fn check_row(&self, write: &Value, is_entry: bool, fresh: &mut NameMap) -> Result<(), SessionError> {
        let id = text(write, "id");
        if id.is_empty() {
            return Err(SessionError::new("malformed"));
        }
        if self.index.get(id).is_some() || fresh.get(id).is_some() {
            return Err(SessionError::new("duplicate_id"));
        }
        if is_entry {
            let parent = write.get("parentId").and_then(Value::as_str);
            if parent.is_some_and(|id| !self.has_entry(id) && fresh.get(id) != Some(0)) {
                return Err(SessionError::new("missing_parent"));
            }
            let message = write.get("message").filter(|message| text(message, "role") == "assistant");
            if message.is_some_and(|message| text(message, "stopReason") == "pending") {
                return Err(SessionError::new("pending_message"));
            }
        }
        fresh.set(id, usize::from(!is_entry));
        Ok(())
    }

    fn apply(&mut self, write: Value) {
        let kind = text(&write, "kind").to_owned();
        if matches!(kind.as_str(), "entry" | "usage") {
            // One namespace of ids: entries have even numbers, usage odd ones.
            let rows = if kind == "entry" { &mut self.entries } else { &mut self.usage };
            self.index.set(text(&write, "id"), rows.len() * 2 + usize::from(kind != "entry"));
            let mut row = write;
            if let Value::Object(members) = &mut row {
                members.remove("kind");
            }
            return rows.push(row);
        }
        let (list, namespace, key) = (kind == "list", text(&write, "namespace"), text(&write, "key"));
        let address = address(namespace, key, list);
        let known = self.places.get(&address);
        let value = write.get("value").cloned().unwrap_or_default();
        match (text(&write, "op"), known) {
            ("delete", None) => {}
            (op, Some(at)) => {
                if let Some(slot) = self.slots.get_mut(at) {
                    if !list || op == "delete" {
                        slot.items.clear();
                    }
                    if op != "delete" {
                        slot.items.push(value);
                    }
                }
            }
            (_, None) => {
                self.places.set(&address, self.slots.len());
                let (namespace, key) = (namespace.to_owned(), key.to_owned());
                self.slots.push(Slot { namespace, key, list, items: vec![value] });
            }
        }
    }

    fn items(&self, namespace: &str, key: &str, list: bool) -> &[Value] {
        let place = self.places.get(&address(namespace, key, list));
        place.and_then(|at| self.slots.get(at)).map_or(&[], |slot| slot.items.as_slice())
    }

    /// The places that hold something, in namespaces that begin so.
    fn live<'s, 'p>(&'s self, prefix: &'p str) -> impl Iterator<Item = &'s Slot> + use<'s, 'p> {
        let fits = move |slot: &&Slot| !slot.items.is_empty() && slot.namespace.starts_with(prefix);
        self.slots.iter().filter(fits)
    }

    /// The entries in the order of their sequence numbers.
    pub fn entries(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter()
    }

    /// The rows of usage.
    pub fn usage(&self) -> &[Value] {
        &self.usage
    }

    /// The last sequence number given.
    pub fn last_seq(&self) -> u64 {
        self.seq
    }

    /// Whether an entry is there.
    pub fn has_entry(&self, id: &str) -> bool {
        self.index.get(id).is_some_and(|at| at % 2 == 0)
    }

    /// A value.
    pub fn value(&self, namespace: &str, key: &str) -> Option<&Value> {
        self.items(namespace, key, false).first()
    }

    /// The keys and values of a namespace whose keys begin so, in the order of code points.
    pub fn scan_values(&self, namespace: &str, prefix: &str) -> Vec<(&str, &Value)> {
        let fits = |slot: &&Slot| !slot.list && slot.namespace == namespace && slot.key.starts_with(prefix);
        let found: Vec<&Slot> = self.live(namespace).filter(fits).collect();
        // The bytes of UTF-8 sort like code points.
        let key = |at: usize| found.get(at).map_or("", |slot| slot.key.as_str());
        let order = sorted_positions(found.len(), &mut |a, b| key(a).cmp(key(b)));
        order
            .into_iter()
            .filter_map(|at| found.get(at).and_then(|slot| Some((slot.key.as_str(), slot.items.first()?))))
            .collect()
    }

    /// A page of a list. `newest_first` turns it round; `limit` is 1000 where it is not given, 10,000 at most.
    ///
    /// # Errors
    /// `bad_limit`
    pub fn read_list(
        &self,
        namespace: &str,
        key: &str,
        newest_first: bool,
        limit: Option<f64>,
    ) -> Result<Vec<&Value>, SessionError> {
        let limit = match limit {
            Some(limit) if !(1.0..=LARGEST_PAGE).contains(&limit) || limit.fract() != 0.0 => {
                return Err(SessionError::new("bad_limit"))
            }
            limit => limit.map_or(PAGE, |limit| limit as usize),
        };
        let items = self.items(namespace, key, true);
        Ok(if newest_first { items.iter().rev().take(limit).collect() } else { items.iter().take(limit).collect() })
    }

    /// All values and lists whose namespace begins so: namespace, key, whether it is a list, and the value or the list.
    pub fn dump(&self, prefix: &str) -> Vec<(&str, &str, bool, Value)> {
        let value = |slot: &Slot| match slot.list {
            true => Value::Array(slot.items.clone()),
            false => slot.items.first().cloned().unwrap_or_default(),
        };
        self.live(prefix).map(|slot| (slot.namespace.as_str(), slot.key.as_str(), slot.list, value(slot))).collect()
    }

    /// Whether a run was not over.
    pub fn has_open_run(&self) -> bool {
        self.live("pi.op.").next().is_some() || self.live("pi.pending.").next().is_some()
    }

    /// The branches and their tips; `None`: nothing is on it yet.
    pub fn tips(&self) -> Vec<(&str, Option<&str>)> {
        self.scan_values(TIPS, "").into_iter().map(|(name, tip)| (name, tip.as_str())).collect()
    }

    /// How many messages there are.
    pub fn message_count(&self) -> usize {
        self.entries().filter(|entry| text(entry, "type") == "message").count()
    }

    /// The entries from `start` to its root.
    ///
    /// # Errors
    /// `unknown_entry`
    pub fn scan_branch(&self, start: &str, query: &Query<'_>) -> Result<Vec<&Value>, SessionError> {
        let mut branch = Vec::new();
        let mut at = Some(start);
        while let Some(id) = at {
            let Some(position) = self.index.get(id).filter(|at| at % 2 == 0) else {
                return Err(SessionError::new("unknown_entry"));
            };
            let entry = self.entries.get(position / 2).unwrap_or(&Value::Null);
            branch.push(entry);
            at = entry.get("parentId").and_then(Value::as_str);
        }
        if query.oldest_first {
            branch.reverse();
        }
        Ok(query.run(branch))
    }

    /// The entries of the session by sequence number.
    pub fn scan_entries(&self, query: &Query<'_>) -> Vec<&Value> {
        let mut all: Vec<&Value> = self.entries().collect();
        if !query.oldest_first {
            all.reverse();
        }
        query.run(all)
    }

    /// The session with this header and the tree as of now, the leaf at the tip of a branch.
    ///
    /// # Errors
    /// `unknown_branch`
    pub fn tree(&self, header: Value, branch: &str) -> Result<SessionTree, SessionError> {
        let tip = self.value(TIPS, branch).ok_or(SessionError::new("unknown_branch"))?;
        let mut tree = SessionTree::from_entries(header, self.entries().map(v4::tree_entry))?;
        tree.branch(tip.as_str())?;
        Ok(tree)
    }
}

fn flat(kind: &str, row: Option<&Value>) -> Result<Value, SessionError> {
    let row = row.and_then(Value::as_object).ok_or(SessionError::new("malformed"))?;
    let mut flat = row.clone();
    flat.insert("kind", kind);
    Ok(Value::Object(flat))
}

fn text_of<'a>(members: &'a Object, key: &str) -> &'a str {
    members.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn check_address(write: &Value) -> Result<(), SessionError> {
    let (namespace, key) = (text(write, "namespace"), write.get("key").and_then(Value::as_str));
    let op = if text(write, "kind") == "value" { "set" } else { "append" };
    let bad = |text: &str| text.bytes().any(|byte| byte == 0);
    let known = text(write, "op") == op || text(write, "op") == "delete";
    if namespace.is_empty() || bad(namespace) || key.is_none_or(bad) || !known {
        return Err(SessionError::new("malformed"));
    }
    Ok(())
}

/// One text for an address; neither part holds a NUL.
fn address(namespace: &str, key: &str, list: bool) -> String {
    [if list { "l" } else { "v" }, namespace, "\0", key].concat()
}
