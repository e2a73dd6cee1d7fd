//! Reading files of versions 1 to 3 (SESSIONS 4.1 and 4.5). Damage is skipped or mended and reported; the source is
//! never changed.

use steersman_wire::json::{self, Object, Value};
use steersman_wire::order::NameMap;

use super::read::{given, text};
use super::store::MemoryStore;
use super::tree::SessionTree;
use super::{migrate, v4, SessionError, Stamp};

/// A longer line is refused.
const LONGEST_LINE: usize = 64 << 20;
/// The header has to stand within the first bytes.
const HEADER_WITHIN: usize = 1 << 20;

/// Something that was not as it should be, and what was made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// `truncated_tail` (the last line is cut), `bad_line` (skipped), `missing_id` (got one), `duplicate_id` (the second
    /// got another one), `orphan` (the parent is missing: a root now), `cycle` (broken at this entry), `future_version`,
    /// `kept_off_path` (a compaction that keeps nothing), `open_run` (a run was not over; kept, not resumed).
    pub code: &'static str,
    /// The line of the file, from 1.
    pub line: Option<usize>,
    /// The entry.
    pub id: Option<String>,
    /// Where in the file, in bytes (of a cut line).
    pub offset: Option<usize>,
}

impl Report {
    pub(super) fn of(code: &'static str, line: usize) -> Self {
        Self { code, line: Some(line), id: None, offset: None }
    }
}

/// A file that was read.
#[derive(Debug)]
pub struct Import {
    /// The session.
    pub tree: SessionTree,
    /// Everything that was not as it should be; empty for an undamaged file.
    pub reports: Vec<Report>,
    /// For a file of version 4: what stands beside the tree.
    pub store: Option<MemoryStore>,
}

/// Reads a session file of any version.
///
/// # Errors
/// `empty`, `not_a_session`, `line_too_long`, `no_ids`; for version 4 also `corrupt` with the line
pub fn import(source: &str, stamp: &mut Stamp<'_>) -> Result<Import, SessionError> {
    let body = source.strip_prefix('\u{feff}').unwrap_or(source);
    let start = source.len() - body.len();
    let mut lines = Lines { rest: body, line: 0, offset: start };
    let (first, ended) = loop {
        let line = lines.next().ok_or(SessionError::new("empty"))?;
        if !line.text.trim().is_empty() {
            break (line.text, line.ended);
        }
    };
    if lines.offset - first.len() > HEADER_WITHIN || first.len() > HEADER_WITHIN {
        return Err(SessionError::new("not_a_session"));
    }
    let header = json::parse(first).map_err(|_| SessionError::new("not_a_session"))?;
    if header.get("v").and_then(Value::as_f64) == Some(4.0) && text(&header, "kind") == "header" {
        return v4::read(&header, lines, ended);
    }
    if text(&header, "type") != "session" || text(&header, "id").is_empty() {
        return Err(SessionError::new("not_a_session"));
    }
    let version = header.get("version").and_then(Value::as_f64).unwrap_or(1.0);
    let mut reader = Reader {
        header_line: Some(first.into()),
        tree: SessionTree::with_header(header),
        reports: Vec::new(),
        lines: Vec::new(),
        holders: NameMap::default(),
    };
    for line in lines {
        if line.text.len() > LONGEST_LINE {
            return Err(SessionError::at("line_too_long", line.number));
        }
        match json::parse(line.text) {
            Ok(value) if value.as_object().is_some_and(|entry| entry.contains_key("type")) => {
                reader.entry(value, line.text, version, line.number, stamp)?;
            }
            _ if line.text.trim().is_empty() => {}
            Err(_) if !line.ended => {
                let cut = Report { offset: Some(line.offset), ..Report::of("truncated_tail", line.number) };
                reader.reports.push(cut);
            }
            _ => reader.reports.push(Report::of("bad_line", line.number)),
        }
    }
    Ok(reader.finish(version))
}

/// The lines of a file.
pub(super) struct Lines<'a> {
    rest: &'a str,
    line: usize,
    offset: usize,
}

/// One line, without its end.
pub(super) struct Line<'a> {
    pub text: &'a str,
    /// From 1.
    pub number: usize,
    /// In bytes of the file.
    pub offset: usize,
    /// Whether a line feed follows.
    pub ended: bool,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (text, rest, ended) = match steersman_wire::text::around(self.rest, b'\n', false) {
            Some((line, rest)) => (line, rest, true),
            None => (self.rest, "", false),
        };
        self.line += 1;
        let offset = self.offset;
        self.offset += self.rest.len() - rest.len();
        self.rest = rest;
        Some(Line { text: text.strip_suffix('\r').unwrap_or(text), number: self.line, offset, ended })
    }
}

struct Reader {
    header_line: Option<Box<str>>,
    tree: SessionTree,
    reports: Vec<Report>,
    /// The line of each entry.
    lines: Vec<usize>,
    /// For every id that came more than once the last entry that had it so far, by position.
    holders: NameMap,
}

impl Reader {
    fn entry(
        &mut self,
        value: Value,
        text: &str,
        version: f64,
        line: usize,
        stamp: &mut Stamp<'_>,
    ) -> Result<(), SessionError> {
        let mut value = value;
        let previous = self.tree.leaf_id().map(str::to_owned);
        let position = self.tree.len();
        let Value::Object(entry) = &mut value else { return Ok(()) };
        let mut changed = migrate::entry(entry, version, previous.as_deref(), &|index| {
            // The header counts as 0, and the lines that were skipped do not count.
            index.checked_sub(1).map(|position| self.tree.id_at(position).to_owned())
        });
        let id = entry.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let renamed = self.tree.position(&id).is_some() || id.is_empty();
        if renamed {
            let fresh = self.tree.fresh_id(stamp)?;
            if !id.is_empty() || version >= 2.0 {
                let code = if id.is_empty() { "missing_id" } else { "duplicate_id" };
                self.reports.push(Report { id: Some(fresh.clone()), ..Report::of(code, line) });
            }
            set_id(entry, &fresh);
            changed = true;
        }
        // Of several entries with one id the nearest before it is meant.
        for key in ["parentId", "targetId", "firstKeptEntryId"] {
            let meant = entry.get(key).and_then(Value::as_str).and_then(|id| self.holders.get(id));
            let meant = meant.map(|meant| self.tree.id_at(meant));
            if let Some(meant) = meant.filter(|meant| entry.get(key).and_then(Value::as_str) != Some(meant)) {
                entry.insert(key, meant);
                changed = true;
            }
        }
        if renamed && !id.is_empty() {
            self.holders.set(&id, position);
        }
        self.tree.insert(value, (!changed).then(|| text.into()))?;
        self.lines.push(line);
        Ok(())
    }

    fn finish(mut self, version: f64) -> Import {
        let line = |position: usize| self.lines.get(position).copied();
        let mut found = Vec::new();
        self.tree.link(&mut |code, position| found.push((code, position)));
        found.extend(off_path(&self.tree).into_iter().map(|position| ("kept_off_path", position)));
        for (code, position) in found {
            let id = Some(self.tree.id_at(position).to_owned());
            self.reports.push(Report { code, line: line(position), id, offset: None });
        }
        if version > 3.0 {
            self.reports.push(Report::of("future_version", 1));
        }
        self.tree.header_line = self.header_line;
        if version < 3.0 {
            if let Value::Object(header) = &mut self.tree.header {
                header.insert("version", 3);
            }
            self.tree.header_line = None;
        }
        Import { tree: self.tree, reports: self.reports, store: None }
    }
}

/// Sets an id; it stands after the type, as in files of today.
fn set_id(entry: &mut Object, id: &str) {
    if entry.contains_key("id") {
        entry.insert("id", id);
        return;
    }
    let parent = entry.remove("parentId").unwrap_or_default();
    let mut ordered = Object::new();
    for (key, value) in std::mem::take(entry) {
        let is_type = key == "type";
        ordered.insert(key, value);
        if is_type {
            ordered.insert("id", id);
            ordered.insert("parentId", parent.clone());
        }
    }
    *entry = ordered;
}

/// The compactions whose kept entry is not on the path before them, themselves excepted.
fn off_path(tree: &SessionTree) -> Vec<usize> {
    if !tree.entries().any(|entry| text(entry, "type") == "compaction") {
        return Vec::new();
    }
    let mut entered = vec![0usize; tree.len()];
    let mut left = vec![0usize; tree.len()];
    // In depth-first order the entries below one are a run: the rows after it until the depth falls back.
    let rows = tree.tree();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        while let Some((entry, _)) = open.last().copied().filter(|(_, depth)| *depth >= row.depth) {
            left.get_mut(entry).into_iter().for_each(|end| *end = at);
            open.pop();
        }
        entered.get_mut(row.entry).into_iter().for_each(|start| *start = at);
        open.push((row.entry, row.depth));
    }
    open.into_iter().for_each(|(entry, _)| left.get_mut(entry).into_iter().for_each(|end| *end = rows.len()));
    let below = |entry: usize, above: usize| {
        let at = entered.get(entry);
        at >= entered.get(above) && at < left.get(above)
    };
    (0..tree.len())
        .filter(|&position| {
            let entry = tree.value_at(position);
            let Some(kept) = given(entry, "firstKeptEntryId").filter(|_| text(entry, "type") == "compaction") else {
                return false;
            };
            let kept = kept.as_str().and_then(|kept| tree.position(kept));
            !kept.is_some_and(|kept| below(position, kept))
        })
        .collect()
}
