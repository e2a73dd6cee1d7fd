//! Reading files of versions 1 to 3 (SESSIONS 4.1 and 4.5). Damage is skipped or mended and reported; the source is
//! never changed.

use steersman_wire::json::{self, Value};
use steersman_wire::text::{around, trim};

use super::memory::MemoryStore;
use super::read::text;
use super::reader::Reader;
use super::tree::SessionTree;
use super::{v4, SessionError, Stamp};

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
        if !trim(line.text).is_empty() {
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
    let mut reader = Reader::new(header)?;
    for line in lines {
        if line.text.len() > LONGEST_LINE {
            return Err(SessionError::at("line_too_long", line.number));
        }
        match json::parse(line.text) {
            Ok(value) if value.as_object().is_some_and(|entry| entry.contains_key("type")) => {
                reader.entry(value, Some((line.text, line.number)), stamp)?;
            }
            _ if trim(line.text).is_empty() => {}
            Err(_) if !line.ended => {
                let cut = Report { offset: Some(line.offset), ..Report::of("truncated_tail", line.number) };
                reader.report(cut);
            }
            _ => reader.report(Report::of("bad_line", line.number)),
        }
    }
    let (tree, reports) = reader.finish(Some(first));
    Ok(Import { tree, reports, store: None })
}

impl<'a> Lines<'a> {
    /// All lines of a text.
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text, line: 0, offset: 0 }
    }
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
        let (text, rest, ended) = match around(self.rest, b'\n', false) {
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
