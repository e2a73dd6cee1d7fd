//! A session that is read entry by entry (SESSIONS 4.1 and 4.5): ids that are missing or taken, and what older versions
//! wrote differently.

use steersman_wire::json::{Object, Value};
use steersman_wire::order::NameMap;

use super::import::Report;
use super::outline::Body;
use super::read::{set, text};
use super::tree::SessionTree;
use super::{dates, migrate, SessionError, Stamp};

/// What refers to other entries by id.
const REFERENCES: [&str; 3] = ["parentId", "targetId", "firstKeptEntryId"];

/// A session that is being read.
pub struct Reader {
    tree: SessionTree,
    version: f64,
    reports: Vec<Report>,
    /// The line of each entry.
    lines: Vec<usize>,
    /// For every id that came more than once the last entry that had it so far, by position.
    holders: NameMap,
}

impl Reader {
    /// Begins with the header.
    ///
    /// # Errors
    /// `not_a_session`
    pub fn new(header: Value) -> Result<Self, SessionError> {
        if text(&header, "type") != "session" || text(&header, "id").is_empty() {
            return Err(SessionError::new("not_a_session"));
        }
        let version = header.get("version").and_then(Value::as_f64).unwrap_or(1.0);
        Ok(Self {
            tree: SessionTree::with_header(header),
            version,
            reports: Vec::new(),
            lines: Vec::new(),
            holders: NameMap::default(),
        })
    }

    pub(super) fn report(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// What was not as it should be so far; `finish` does not tell it again.
    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.reports)
    }

    /// Adds what outlines have in common.
    pub fn shape(&mut self, shape: Value) {
        self.tree.shapes.push(shape);
    }

    /// Reads an outline, of version 3 and later: the place of its shape, its id, which nobody has yet, its parent (empty: the
    /// entry before), which only one entry can be, and its time (ISO 8601).
    ///
    /// # Errors
    /// `duplicate_id`, `malformed` (no id)
    pub fn outline(&mut self, shape: usize, id: &str, parent: Option<&str>, time: &str) -> Result<(), SessionError> {
        let time = dates::millis(time).unwrap_or(0.0);
        let position = self.tree.add(id, Body::Outline { shape, time }, None)?;
        match parent {
            Some("") => self.tree.attach(position, position.checked_sub(1)),
            _ => self.tree.bind(position, parent),
        }
        Ok(())
    }

    /// Reads many entries of version 3 and later at once, whose ids nobody has yet. The text is their ids between spaces,
    /// a `|`, and a word for each of them: of an outline the place of its shape among these `shapes`, the parent (empty: the
    /// entry before; `-`: none), which only one entry can be, and the time in milliseconds, between commas; of others
    /// `-`, and the entry is the next one of `whole`.
    ///
    /// # Errors
    /// `corrupt`: these do not fit together; what was read so far is of no use then
    pub fn pack(&mut self, pack: &str, shapes: &[Value], whole: &[Value]) -> Result<(), SessionError> {
        let tree = &mut self.tree;
        let base = tree.shapes.len();
        let (ids, rows) = pack.split_once('|').unwrap_or_default();
        if ids.split(' ').count() != rows.split(' ').count() {
            return Err(SessionError::new("corrupt"));
        }
        tree.shapes.extend_from_slice(shapes);
        tree.index.add_all(&mut ids.split(' '), tree.entries.len());
        let mut whole = whole.iter();
        for row in rows.split(' ') {
            let position = tree.entries.len();
            let mut columns = row.split(',');
            let mut next = || columns.next().unwrap_or_default();
            let (shape, parent, time) = (dates::number(next().as_bytes()), next(), next());
            let Some(shape) = shape else {
                let entry = whole.next().ok_or(SessionError::new("corrupt"))?.clone();
                let parent = entry.get("parentId").and_then(Value::as_str).map(str::to_owned);
                tree.put(Body::Whole(entry), None);
                tree.bind(position, parent.as_deref());
                continue;
            };
            let time = dates::number(time.as_bytes()).unwrap_or_default() as f64;
            let shape = base + shape as usize;
            if shape >= tree.shapes.len() {
                return Err(SessionError::new("corrupt"));
            }
            tree.put(Body::Outline { shape, time }, None);
            match parent {
                "" => tree.attach(position, position.checked_sub(1)),
                "-" => tree.attach(position, None),
                _ => tree.bind(position, Some(parent)),
            }
        }
        Ok(())
    }

    /// Reads an entry. `line`: its text, and its number from 1; without a text its place among the entries. Gives the entry
    /// where it is another one now.
    ///
    /// # Errors
    /// `no_ids`; then nothing has changed
    pub fn entry(
        &mut self,
        value: Value,
        line: Option<(&str, usize)>,
        stamp: &mut Stamp<'_>,
    ) -> Result<Option<&Value>, SessionError> {
        let mut value = value;
        let position = self.tree.len();
        let Value::Object(entry) = &mut value else { return Ok(None) };
        let mut changed = self.version < 3.0;
        if changed {
            migrate::entry(entry, self.version, &self.tree);
        }
        let id = entry.get("id").and_then(Value::as_str).unwrap_or_default();
        let renamed = id.is_empty() || self.tree.position(id).is_some();
        let holder = if renamed { id.to_owned() } else { String::new() };
        if renamed {
            let fresh = self.tree.fresh_id(stamp)?;
            set_id(entry, &fresh);
            if !holder.is_empty() || self.version >= 2.0 {
                let code = if holder.is_empty() { "missing_id" } else { "duplicate_id" };
                let line = line.map_or(position, |(_, number)| number);
                self.reports.push(Report { code, line: Some(line), id: Some(fresh), offset: None });
            }
            changed = true;
        }
        // Of several entries with one id the nearest before it is meant.
        for key in REFERENCES {
            if let Some(holder) = entry.get(key).and_then(Value::as_str).and_then(|id| self.holders.get(id)) {
                set(entry, key, self.tree.id_at(holder));
                changed = true;
            }
        }
        if !holder.is_empty() {
            self.holders.set(&holder, position);
        }
        let text = line.filter(|_| !changed).map(|(text, _)| text.into());
        self.tree.insert(value, text)?;
        if let Some((_, number)) = line {
            self.lines.push(number);
        }
        Ok(changed.then(|| self.tree.value_at(position)))
    }

    /// The session, and what was not as it should be: by line where the entries had lines, else by place.
    pub fn finish(mut self, header_line: Option<&str>) -> (SessionTree, Vec<Report>) {
        let mut found = Vec::new();
        self.tree.link(&mut found);
        self.tree.off_path(&mut found);
        for (code, position) in found {
            let line = self.lines.get(position).copied().unwrap_or(position);
            let id = Some(self.tree.id_at(position).to_owned());
            self.reports.push(Report { code, line: Some(line), id, offset: None });
        }
        if self.version > 3.0 {
            self.reports.push(Report::of("future_version", 1));
        }
        self.tree.header_line = header_line.map(Box::from);
        if self.version < 3.0 {
            if let Value::Object(header) = &mut self.tree.header {
                set(header, "version", 3);
            }
            self.tree.header_line = None;
        }
        (self.tree, self.reports)
    }
}

/// Sets an id; a new one stands after the type and before the parent, as in files of today.
fn set_id(entry: &mut Object, id: &str) {
    if !entry.contains_key("id") {
        let rest = std::mem::take(entry);
        for key in ["type", "id", "parentId"] {
            set(entry, key, rest.get(key).cloned());
        }
        for (key, value) in rest {
            entry.insert(key, value);
        }
    }
    set(entry, "id", id);
}
