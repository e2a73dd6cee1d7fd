//! The entries of a session and the tree they make.

use steersman_wire::json::{Object, Value};
use steersman_wire::order::{sorted_positions, NameMap};
use steersman_wire::text::trim;

use super::dates;
use super::outline::Body;
use super::read::{set, text};
use super::{SessionError, Stamp};

/// One entry: what it says, and where in the tree it stands.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub body: Body,
    /// `None`: a root. What cannot be resolved is one too, and so is the first entry of a cycle.
    pub parent: Option<usize>,
    pub children: Chain,
    /// The next child of the same parent.
    pub next: Option<usize>,
    /// The line it was read from: writing the value could give another text (other escapes, spaces, a name twice).
    pub line: Option<Box<str>>,
    /// It is on the branch of `SessionTree::marked`.
    pub on_branch: bool,
    /// Neither this entry nor any before it says anything of the prompt; `false`: that was not looked at.
    pub silent: bool,
}

/// The first and the last of some siblings, in the order they were added.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chain {
    pub first: Option<usize>,
    last: Option<usize>,
}

/// A session: header, entries in the order they were added, and the leaf, the entry that the next one follows.
///
/// Nothing changes or removes an entry. Entries are addressed by id, or by position (from 0).
#[derive(Debug, Clone)]
pub struct SessionTree {
    pub(super) header: Value,
    pub(super) header_line: Option<Box<str>>,
    pub(super) entries: Vec<Entry>,
    /// The positions of the ids. Ids are added with their entries, so it holds the id of each position as well.
    pub(super) index: NameMap,
    pub(super) leaf: Option<usize>,
    pub(super) roots: Chain,
    /// What outlines have in common, see [`Body`].
    pub(super) shapes: Vec<Value>,
    /// Entries whose parent was not there yet when they were added, and its id.
    pub(super) pending: Vec<(usize, String)>,
    /// The last entry that names the session.
    named: Option<usize>,
    /// The leaf whose branch is marked in the entries.
    marked: Option<usize>,
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
        set(&mut header, "type", "session");
        set(&mut header, "version", 3);
        set(&mut header, "id", id);
        set(&mut header, "timestamp", dates::iso(now));
        set(&mut header, "cwd", cwd);
        if let Some(parent) = parent {
            set(&mut header, "parentSession", parent);
        }
        Ok(Self::with_header(Value::Object(header)))
    }

    pub(super) fn with_header(header: Value) -> Self {
        Self {
            header,
            header_line: None,
            entries: Vec::new(),
            index: NameMap::default(),
            leaf: None,
            roots: Chain::default(),
            shapes: Vec::new(),
            pending: Vec::new(),
            named: None,
            marked: None,
        }
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
        tree.link(&mut Vec::new());
        Ok(tree)
    }

    /// Adds an entry that is complete, and makes it the leaf. Its place in the tree is settled by [`SessionTree::link`].
    pub(super) fn insert(&mut self, value: Value, line: Option<Box<str>>) -> Result<usize, SessionError> {
        let id = text(&value, "id").to_owned();
        let parent = value.get("parentId").and_then(Value::as_str).map(str::to_owned);
        let position = self.add(&id, Body::Whole(value), line)?;
        self.bind(position, parent.as_deref());
        Ok(position)
    }

    /// Adds an entry without a parent, and makes it the leaf.
    pub(super) fn add(&mut self, id: &str, body: Body, line: Option<Box<str>>) -> Result<usize, SessionError> {
        if id.is_empty() {
            return Err(SessionError::new("malformed"));
        }
        let position = self.entries.len();
        if self.index.add(id, position).is_some() {
            return Err(SessionError::new("duplicate_id"));
        }
        self.put(body, line);
        Ok(position)
    }

    /// Adds an entry whose id is in the index, without a parent, and makes it the leaf.
    pub(super) fn put(&mut self, body: Body, line: Option<Box<str>>) {
        let position = self.entries.len();
        let (parent, next, children) = (None, None, Chain::default());
        self.entries.push(Entry { body, parent, children, next, line, on_branch: false, silent: false });
        self.leaf = Some(position);
        if self.kind_at(position) == "session_info" {
            self.named = Some(position);
        }
    }

    /// The beginning of a new entry after the leaf: what all have.
    pub(super) fn begin(&self, kind: &str, stamp: &mut Stamp<'_>) -> Result<Object, SessionError> {
        let id = self.fresh_id(stamp)?;
        let mut entry = Object::new();
        set(&mut entry, "type", kind);
        set(&mut entry, "id", id);
        set(&mut entry, "parentId", self.leaf_id());
        set(&mut entry, "timestamp", dates::iso(stamp.now));
        Ok(entry)
    }

    /// Adds an entry that was begun after the leaf. It is the leaf from now on.
    pub(super) fn append(&mut self, entry: Object) -> Result<usize, SessionError> {
        let parent = self.leaf;
        let id = entry.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let position = self.add(&id, Body::Whole(Value::Object(entry)), None)?;
        self.attach(position, parent);
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
        (0..self.len()).map(|position| self.value_at(position))
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

    /// The type of an entry.
    pub(crate) fn kind_at(&self, position: usize) -> &str {
        text(self.value_at(position), "type")
    }

    /// The id of an entry.
    pub fn id_at(&self, position: usize) -> &str {
        self.index.name(position)
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

    /// Whether an entry is on the branch of the leaf. Takes as long as it is from the leaf of the last call to this one.
    pub(super) fn is_on_branch(&mut self, position: usize) -> bool {
        let mut common = self.leaf;
        while let Some(entry) = common.and_then(|at| self.entries.get_mut(at)).filter(|entry| !entry.on_branch) {
            entry.on_branch = true;
            common = entry.parent;
        }
        let mut left = std::mem::replace(&mut self.marked, self.leaf);
        while left != common {
            let Some(entry) = left.and_then(|at| self.entries.get_mut(at)) else { break };
            entry.on_branch = false;
            left = entry.parent;
        }
        self.entries.get(position).is_some_and(|entry| entry.on_branch)
    }

    /// The children of an entry, or the roots, in the order they were added.
    pub fn children(&self, of: Option<usize>) -> Vec<usize> {
        let mut children = Vec::new();
        let mut at =
            of.map_or(Some(self.roots), |of| Some(self.entries.get(of)?.children)).and_then(|chain| chain.first);
        while let Some(position) = at {
            children.push(position);
            at = self.entries.get(position).and_then(|entry| entry.next);
        }
        children
    }

    /// Hangs an entry on its parent, after those that hang there.
    pub(super) fn attach(&mut self, position: usize, parent: Option<usize>) {
        if let Some(entry) = self.entries.get_mut(position) {
            entry.parent = parent;
        }
        let chain = match parent.and_then(|parent| self.entries.get_mut(parent)) {
            Some(parent) => &mut parent.children,
            None => &mut self.roots,
        };
        let before = chain.last.replace(position);
        if before.is_none() {
            chain.first = Some(position);
        }
        if let Some(before) = before.and_then(|before| self.entries.get_mut(before)) {
            before.next = Some(position);
        }
    }

    /// The labels of now: for every entry the last one given to it on any branch. By position of the entry.
    pub fn labels(&self) -> Vec<Option<&str>> {
        let mut labels = Vec::new();
        for entry in self.label_entries() {
            labels.push(entry.map(|entry| text(self.value_at(entry), "label")));
        }
        labels
    }

    /// The entries that gave those labels.
    pub(super) fn label_entries(&self) -> Vec<Option<usize>> {
        let mut labels = vec![None; self.len()];
        for position in 0..self.len() {
            let entry = self.value_at(position);
            if text(entry, "type") != "label" {
                continue;
            }
            let target = self.position(text(entry, "targetId"));
            if let Some(label) = target.and_then(|target| labels.get_mut(target)) {
                *label = if text(entry, "label").is_empty() { None } else { Some(position) };
            }
        }
        labels
    }

    /// The name: the newest one given on any branch, unless it is blank.
    pub fn name(&self) -> Option<&str> {
        Some(trim(text(self.value_at(self.named?), "name"))).filter(|name| !name.is_empty())
    }

    /// The whole forest in depth-first order; children by time.
    pub fn tree(&self) -> Vec<TreeRow<'_>> {
        let labels = self.labels();
        let row = |(entry, depth)| TreeRow { entry, depth, label: labels.get(entry).copied().flatten() };
        self.order().into_iter().map(row).collect()
    }

    /// That order: every entry and its depth.
    pub(crate) fn order(&self) -> Vec<(usize, usize)> {
        let mut rows = Vec::with_capacity(self.len());
        let mut work: Vec<(usize, usize)> = Vec::new();
        let mut below = self.children(None);
        let mut depth = 0;
        loop {
            if below.len() > 1 {
                below = self.by_time(&below);
            }
            // The last one that is put there is the first one taken.
            for &child in below.iter().rev() {
                work.push((child, depth));
            }
            let Some(row) = work.pop() else { return rows };
            rows.push(row);
            below = self.children(Some(row.0));
            depth = row.1 + 1;
        }
    }

    fn by_time(&self, entries: &[usize]) -> Vec<usize> {
        let mut times = Vec::new();
        for &entry in entries {
            times.push(self.time_at(entry));
        }
        let time = |place: usize| times.get(place).copied().unwrap_or(0.0);
        let mut sorted = Vec::new();
        for place in sorted_positions(entries.len(), &mut |a, b| time(a).total_cmp(&time(b))) {
            sorted.push(entries.get(place).copied().unwrap_or_default());
        }
        sorted
    }
}
