//! JSON core: exact values, a pull reader, a writer, and an incremental parser for text that is still arriving.
//!
//! Own code rather than a library because the runtime needs four things together: digits kept exactly (64-bit ids),
//! lone surrogate escapes accepted (servers cut surrogate pairs between deltas), raw spans spliced unparsed into
//! requests, and a parser that reads every byte of a growing document once.
//!
//! | module | use |
//! |---|---|
//! | [`value`], [`object`], [`number`] | the document in memory |
//! | [`parse`](fn@parse), [`reader`] | strict reading (RFC 8259), whole or piece by piece |
//! | [`repair`](fn@repair) | the two faults models make inside strings |
//! | [`write`](mod@write) | text like `JSON.stringify` |
//! | [`partial`], [`build`] | streamed tool-call arguments |
//!
//! Nothing here recurses on the depth of its input: readers keep explicit stacks and refuse more than [`MAX_DEPTH`]
//! levels. Dropping, cloning and comparing a [`Value`] do recurse, which that limit keeps shallow.

pub mod build;
pub mod double;
pub mod error;
pub mod number;
pub mod object;
mod parse;
pub mod partial;
pub mod reader;
mod repair;
mod scan;
mod surrogate;
mod text;
pub mod value;
pub mod write;

pub use build::Builder;
pub use error::{JsonError, JsonErrorKind};
pub use number::Number;
pub use object::Object;
pub use parse::{parse, parse_bytes};
pub use reader::{Kind, Reader};
pub use repair::repair;
pub(crate) use scan::hex_unit;
pub use value::Value;
pub use write::{to_text, write_string, write_value};

/// Deepest nesting any reader accepts: 512 containers inside each other. Deeper text is
/// [`JsonErrorKind::TooDeep`], so a hostile document cannot exhaust the stack of whoever walks the value.
pub const MAX_DEPTH: usize = 512;
