//! The entries of a session and the tree they make.

use steersman_wire::json::{Object, Value};
use steersman_wire::order::{sorted_positions, NameMap};

use super::dates;
use super::read::text;
use super::{SessionError, Stamp};

/// One entry: its JSON, and its parent by position.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub value: Value,
    /// `None`: a root. What cannot be resolved is one too, and so is the first entry of a cycle.
    pub parent: Option<usize>,
    /// The line it was read from: writing the value could give another text (other escapes, spaces, a name twice).
    pub line: Option<Box<str>>,
}

/// A session: header, entries in the order they were added, and the leaf, the entry that the next one follows.
///
/// Nothing changes or removes an entry. Entries are addressed by id, or by position (from 0).
#[derive(Debug, Clone)]
pub struct SessionTree {
    pub(super) header: Value,
    pub(super) header_line: Option<Box<str>>,
    pub(super) entries: Vec<Entry>,
    pub(super) index: NameMap,
    pub(super) leaf: Option<usize>,
}

/// One row of the tree in depth-first order.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeRow<'a> {
    /// Position of the entry.
    pub entry: usize,
    /// 0 for a root.
    pub depth: usize,
    /// Its label now.
    pub label: Option<&'a str>,
}

impl SessionTree {
    /// A session without entries. `cwd`: a path that tools may mean; `parent`: the session it was made from.
    ///
    /// # Errors
    /// `bad_id`: letters, digits, dots, underscores and hyphens, letters or digits at both ends.
    pub fn new(id: &str, cwd: &str, parent: Option<&str>, now: f64) -> Result<Self, SessionError> {
        let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = id.as_bytes();
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if !ends(bytes.first()) || !ends(bytes.last()) || !bytes.iter().all(inside) {
            return Err(SessionError::new("bad_id"));
        }
        let mut header = Object::new();
        header.insert("type", "session");
        header.insert("version", 3);
        header.insert("id", id);
        header.insert("timestamp", dates::iso(now));
        header.insert("cwd", cwd);
        if let Some(parent) = parent {
            header.insert("parentSession", parent);
        }
        Ok(Self::with_header(Value::Object(header)))
    }

    pub(super) fn with_header(header: Value) -> Self {
        Self { header, header_line: None, entries: Vec::new(), index: NameMap::default(), leaf: None }
    }

    /// A session of a header and entries as they are, each an object with an id.
    ///
    /// # Errors
    /// `duplicate_id`, `malformed` (an entry without an id).
    pub fn from_entries(header: Value, entries: impl IntoIterator<Item = Value>) -> Result<Self, SessionError> {
        let mut tree = Self::with_header(header);
        for value in entries {
            tree.insert(value, None)?;
        }
        tree.link(&mut |_, _| {});
        Ok(tree)
    }

    /// Adds an entry that is complete, and makes it the leaf; its parent is looked up later ([`SessionTree::link`]).
    pub(super) fn insert(&mut self, value: Value, line: Option<Box<str>>) -> Result<usize, SessionError> {
        let id = text(&value, "id");
        if id.is_empty() {
            return Err(SessionError::new("malformed"));
        }
        let position = self.entries.len();
        if let Some(first) = self.index.set(id, position) {
            self.index.set(id, first);
            return Err(SessionError::new("duplicate_id"));
        }
        self.entries.push(Entry { value, parent: None, line });
        self.leaf = Some(position);
        Ok(position)
    }

    /// Resolves the parents of all entries. `report` gets `orphan` and `cycle` with the position.
    pub(super) fn link(&mut self, report: &mut dyn FnMut(&'static str, usize)) {
        for position in 0..self.entries.len() {
            let parent = self.value_at(position).get("parentId").and_then(Value::as_str);
            let found = parent.and_then(|id| self.index.get(id));
            if parent.is_some() && found.is_none() {
                report("orphan", position);
            }
            if let Some(entry) = self.entries.get_mut(position) {
                entry.parent = found;
            }
        }
        // Walks up from every entry, each entry once: 0 is unseen, 1 is on the walk of now, 2 is done.
        let mut seen = vec![0u8; self.entries.len()];
        let mut walk = Vec::new();
        for start in 0..self.entries.len() {
            let mut at = Some(start);
            while let Some((position, state)) = at.and_then(|at| Some((at, seen.get_mut(at)?))) {
                if *state == 1 {
                    // A cycle; its first entry in the file becomes the root.
                    let from = walk.iter().position(|&on| on == position).unwrap_or(0);
                    let first = walk.iter().skip(from).copied().min().unwrap_or(position);
                    report("cycle", first);
                    if let Some(entry) = self.entries.get_mut(first) {
                        entry.parent = None;
                    }
                }
                if *state != 0 {
                    break;
                }
                *state = 1;
                walk.push(position);
                at = self.parent_at(position);
            }
            for position in walk.drain(..) {
                if let Some(state) = seen.get_mut(position) {
                    *state = 2;
                }
            }
        }
    }

    /// A new entry after the leaf, and the leaf from now on.
    pub(super) fn append(
        &mut self,
        kind: &str,
        members: &[(&str, Option<Value>)],
        stamp: &mut Stamp<'_>,
    ) -> Result<usize, SessionError> {
        let id = self.fresh_id(stamp)?;
        let mut entry = Object::new();
        entry.insert("type", kind);
        entry.insert("id", id);
        entry.insert("parentId", self.leaf_id());
        entry.insert("timestamp", dates::iso(stamp.now));
        for (key, value) in members {
            if let Some(value) = value {
                entry.insert(*key, value.clone());
            }
        }
        let parent = self.leaf;
        let position = self.insert(Value::Object(entry), None)?;
        if let Some(entry) = self.entries.get_mut(position) {
            entry.parent = parent;
        }
        Ok(position)
    }

    pub(super) fn fresh_id(&self, stamp: &mut Stamp<'_>) -> Result<String, SessionError> {
        loop {
            let id = (stamp.ids)().ok_or(SessionError::new("no_ids"))?;
            if self.index.get(&id).is_none() && !id.is_empty() {
                return Ok(id);
            }
        }
    }

    /// The header (line 1 of a file).
    pub fn header(&self) -> &Value {
        &self.header
    }

    /// The id of the session.
    pub fn id(&self) -> &str {
        text(&self.header, "id")
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in the order they were added.
    pub fn entries(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|entry| &entry.value)
    }

    /// The position of an entry.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id)
    }

    /// The position of an entry that must be there.
    ///
    /// # Errors
    /// `unknown_entry`
    pub fn known(&self, id: &str) -> Result<usize, SessionError> {
        self.position(id).ok_or(SessionError::new("unknown_entry"))
    }

    /// An entry; `null` where there is none.
    pub fn value_at(&self, position: usize) -> &Value {
        self.entries.get(position).map_or(&Value::Null, |entry| &entry.value)
    }

    /// The id of an entry.
    pub fn id_at(&self, position: usize) -> &str {
        text(self.value_at(position), "id")
    }

    /// The parent of an entry.
    pub fn parent_at(&self, position: usize) -> Option<usize> {
        self.entries.get(position)?.parent
    }

    /// The position of the leaf; `None`: the next entry becomes a root.
    pub fn leaf(&self) -> Option<usize> {
        self.leaf
    }

    /// The id of the leaf.
    pub fn leaf_id(&self) -> Option<&str> {
        self.leaf.map(|leaf| self.id_at(leaf))
    }

    /// Moves the leaf; nothing is added. `None`: the next entry becomes a further root.
    ///
    /// # Errors
    /// `unknown_entry`
    pub fn branch(&mut self, to: Option<&str>) -> Result<(), SessionError> {
        self.leaf = match to {
            Some(id) => Some(self.known(id)?),
            None => None,
        };
        Ok(())
    }

    /// The positions from the root to an entry.
    pub fn path(&self, to: Option<usize>) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = to.filter(|to| *to < self.len());
        while let Some(position) = at {
            path.push(position);
            at = self.parent_at(position);
        }
        path.reverse();
        path
    }

    /// The children of an entry, or the roots, in the order they were added.
    pub fn children(&self, of: Option<usize>) -> Vec<usize> {
        (0..self.len()).filter(|&position| self.parent_at(position) == of).collect()
    }

    /// The labels of now: for every entry the last one given to it on any branch. By position of the entry.
    pub fn labels(&self) -> Vec<Option<&str>> {
        let mut labels = vec![None; self.len()];
        for entry in self.entries().filter(|entry| text(entry, "type") == "label") {
            let target = self.position(text(entry, "targetId"));
            if let Some(label) = target.and_then(|target| labels.get_mut(target)) {
                *label = Some(text(entry, "label")).filter(|label| !label.is_empty());
            }
        }
        labels
    }

    /// The name: the newest one given on any branch, unless it is blank.
    pub fn name(&self) -> Option<&str> {
        let last = self.entries.iter().rev().find(|entry| text(&entry.value, "type") == "session_info")?;
        Some(text(&last.value, "name").trim()).filter(|name| !name.is_empty())
    }

    /// The whole forest in depth-first order; children by time.
    pub fn tree(&self) -> Vec<TreeRow<'_>> {
        let times: Vec<f64> =
            self.entries().map(|entry| dates::millis(text(entry, "timestamp")).unwrap_or(0.0)).collect();
        let time = |position: usize| times.get(position).copied().unwrap_or(0.0);
        let labels = self.labels();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        let mut roots = Vec::new();
        for position in 0..self.len() {
            match self.parent_at(position).and_then(|parent| children.get_mut(parent)) {
                Some(siblings) => siblings.push(position),
                None => roots.push(position),
            }
        }
        let mut rows = Vec::with_capacity(self.len());
        let mut work: Vec<(usize, usize)> = roots.into_iter().rev().map(|root| (root, 0)).collect();
        while let Some((entry, depth)) = work.pop() {
            rows.push(TreeRow { entry, depth, label: labels.get(entry).copied().flatten() });
            let below = children.get_mut(entry).map(std::mem::take).unwrap_or_default();
            let at = |place: usize| below.get(place).copied().unwrap_or(0);
            let order = sorted_positions(below.len(), &mut |a, b| time(at(a)).total_cmp(&time(at(b))));
            work.extend(order.into_iter().rev().map(|place| (at(place), depth + 1)));
        }
        rows
    }
}
