//! A store that is a log of lines: a header, then a line for each commit, in the form of version 4 (SESSIONS 4.2).
//!
//! It knows no files: a [`Log`] is anything that can be read, added to and cut. A commit is one line, so a log whose end was
//! lost has lost whole commits; what is left of a last line is cut off when the store is opened.

use steersman_wire::json::{self, Value};

use super::import::{Lines, Report};
use super::memory::MemoryStore;
use super::store::SessionStore;
use super::{v4, SessionError};

/// Bytes that are kept somewhere. What fails is told as a [`SessionError`] with a code of the log's own choice, such as
/// `quota`; a store passes it on.
pub trait Log {
    /// All there is.
    ///
    /// # Errors
    /// It cannot be read.
    fn read_all(&mut self) -> Result<Vec<u8>, SessionError>;

    /// Adds to the end.
    ///
    /// # Errors
    /// It cannot be written. A part may have been.
    fn append(&mut self, bytes: &[u8]) -> Result<(), SessionError>;

    /// Sees to it that what was added outlives the process.
    ///
    /// # Errors
    /// It may not.
    fn flush(&mut self) -> Result<(), SessionError>;

    /// Cuts off all that lies beyond so many bytes.
    ///
    /// # Errors
    /// It cannot be written.
    fn truncate(&mut self, length: u64) -> Result<(), SessionError>;
}

/// A store over a log. A commit is in the log before it counts.
///
/// ```
/// use steersman::session::jsonl::{JsonlStore, Log};
/// use steersman::session::store::SessionStore;
/// use steersman::session::{SessionError, SessionTree};
///
/// #[derive(Clone, Default)]
/// struct Bytes(Vec<u8>);
///
/// impl Log for Bytes {
///     fn read_all(&mut self) -> Result<Vec<u8>, SessionError> {
///         Ok(self.0.clone())
///     }
///     fn append(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
///         self.0.extend_from_slice(bytes);
///         Ok(())
///     }
///     fn flush(&mut self) -> Result<(), SessionError> {
///         Ok(())
///     }
///     fn truncate(&mut self, length: u64) -> Result<(), SessionError> {
///         self.0.truncate(length as usize);
///         Ok(())
///     }
/// }
///
/// let header = SessionTree::new("s1", "/project", None, 0.0)?.header().clone();
/// let mut store = JsonlStore::create(Bytes::default(), header)?;
/// store.create_branch("main", None, 0.0)?;
/// store.set_name(Some("Weather"), 1.0)?;
///
/// // The power went off in the middle of the last commit.
/// let mut log = store.into_log();
/// log.0.truncate(log.0.len() - 5);
/// let store = JsonlStore::open(log)?;
/// assert_eq!(store.reports()[0].code, "truncated_tail");
/// assert_eq!(store.memory().tips(), [("main", None)]);
/// # Ok::<(), SessionError>(())
/// ```
#[derive(Debug)]
pub struct JsonlStore<L> {
    log: L,
    header: Value,
    memory: MemoryStore,
    reports: Vec<Report>,
    /// How long the log is, in bytes.
    length: u64,
    closed: bool,
}

impl<L: Log> JsonlStore<L> {
    /// A new store in an empty log. `header`: that of a tree ([`SessionTree::header`](super::SessionTree::header)).
    ///
    /// # Errors
    /// `not_empty`, and what the log says
    pub fn create(log: L, header: Value) -> Result<Self, SessionError> {
        Self::with(log, header, &MemoryStore::new())
    }

    /// A new store in an empty log that begins with what another one holds, such as a fork.
    ///
    /// # Errors
    /// `not_empty`, and what the log says
    pub fn with(log: L, header: Value, memory: &MemoryStore) -> Result<Self, SessionError> {
        let mut log = log;
        if !log.read_all()?.is_empty() {
            return Err(SessionError::new("not_empty"));
        }
        let mut text = v4::header_line(&header);
        let writes = memory.writes();
        if !writes.is_empty() {
            text.push_str(&v4::transaction_line(&writes));
        }
        log.append(text.as_bytes())?;
        log.flush()?;
        let mut own = MemoryStore::new();
        own.replay(writes)?;
        Ok(Self { log, header, memory: own, reports: Vec::new(), length: text.len() as u64, closed: false })
    }

    /// The store of a log. What is left of a cut last line is cut off.
    ///
    /// # Errors
    /// `empty`, `corrupt` with the line, and what the log says
    pub fn open(log: L) -> Result<Self, SessionError> {
        let mut log = log;
        let bytes = log.read_all()?;
        if bytes.is_empty() {
            return Err(SessionError::new("empty"));
        }
        let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let text = bytes.get(..complete).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let mut lines = Lines::of(text.ok_or(SessionError::new("corrupt"))?);
        let first = lines.next().ok_or(SessionError::at("corrupt", 1))?;
        let header = json::parse(first.text).map_err(|_| SessionError::at("corrupt", 1))?;
        let header = v4::tree_header(&header)?;
        let (memory, mut reports) = v4::transactions(lines)?;
        if complete < bytes.len() {
            log.truncate(complete as u64)?;
            let line = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
            reports.push(Report { offset: Some(complete), ..Report::of("truncated_tail", line) });
        }
        Ok(Self { log, header, memory, reports, length: complete as u64, closed: false })
    }

    /// The header, in the form of version 3.
    pub fn header(&self) -> &Value {
        &self.header
    }

    /// What was not as it should be when the log was opened.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Gives the log back.
    pub fn into_log(self) -> L {
        self.log
    }
}

impl<L: Log> SessionStore for JsonlStore<L> {
    fn memory(&self) -> &MemoryStore {
        &self.memory
    }

    fn commit(&mut self, writes: Vec<Value>, now: f64) -> Result<u64, SessionError> {
        if self.closed {
            return Err(SessionError::new("closed"));
        }
        let first = self.memory.last_seq() + 1;
        let stamped = self.memory.stamped(writes, now)?;
        self.memory.check(&stamped)?;
        if stamped.is_empty() {
            return Ok(first);
        }
        let line = v4::transaction_line(&stamped);
        if let Err(error) = self.log.append(line.as_bytes()).and_then(|()| self.log.flush()) {
            // Half a line in the middle would make the log unreadable: if it stays, nothing more may follow.
            self.closed = self.log.truncate(self.length).is_err();
            return Err(error);
        }
        self.length += line.len() as u64;
        self.memory.replay(stamped)?;
        Ok(first)
    }

    fn close(&mut self) {
        self.closed = true;
    }
}
