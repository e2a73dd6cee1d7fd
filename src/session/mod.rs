//! Sessions: an append-only tree of entries, the context a model sees of it, and compaction of what grew too long.
//!
//! Pure: no clock, no ids of its own, no storage. The host gives ids and times with a [`Stamp`]. An entry is kept as the
//! JSON it came as, so members that nobody here knows survive import and export.
//!
//! | module | use |
//! |---|---|
//! | [`tree`], [`append`](mod@append), [`branch`] | the entries, what may be added, sessions made of a branch |
//! | [`import`](mod@import), [`reader`], [`outline`], [`export`], [`web_ui`], [`v4`] | files of pi |
//! | [`context`], [`llm`] | what the model sees |
//! | [`tokens`], [`cut`], [`compact`], [`summary`], [`files`], [`branch_summary`] | compaction |
//! | [`store`], [`memory`], [`jsonl`], [`branches`] | stores: commits of entries, values, lists and usage, in memory or in a log; named branches |

pub mod append;
pub mod branch;
pub mod branch_summary;
pub mod branches;
pub mod compact;
pub mod context;
pub mod cut;
mod dates;
pub mod export;
pub mod files;
pub mod import;
pub mod jsonl;
mod link;
pub mod llm;
pub mod memory;
mod migrate;
pub mod outline;
pub(crate) mod read;
pub mod reader;
pub mod store;
pub mod summary;
mod system;
pub mod tokens;
pub mod tree;
pub mod v4;
pub mod web_ui;

pub use import::{import, Import, Report};
pub use tree::SessionTree;

/// Why something is refused; nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionError {
    /// What is wrong, as a word.
    pub code: &'static str,
    /// The line of the file, from 1.
    pub line: Option<usize>,
}

impl SessionError {
    pub(crate) const fn new(code: &'static str) -> Self {
        Self { code, line: None }
    }

    pub(crate) const fn at(code: &'static str, line: usize) -> Self {
        Self { code, line: Some(line) }
    }
}

impl std::fmt::Display for SessionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code)
    }
}

impl std::error::Error for SessionError {}

/// What the host gives to an operation that makes entries.
pub struct Stamp<'a> {
    /// Fresh ids; one that is taken already is drawn again. `None`: there are no more, the operation fails with `no_ids`.
    pub ids: &'a mut dyn FnMut() -> Option<String>,
    /// The time in milliseconds since 1970.
    pub now: f64,
}
