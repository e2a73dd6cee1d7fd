//! JSON Schema for tool arguments: drafts 2020-12 and 7, with the conversions models need.
//!
//! A [`Schema`] is compiled once per tool. [`Schema::parse`] takes the arguments of one call and answers with the
//! edits that make them fit (`"42"` for an integer, one value where a list is asked, `null` for an optional
//! property), or with the [`Issue`]s that the model gets to read. [`Schema::check`] only checks.
//!
//! | file | what it decides |
//! |---|---|
//! | `compile`, `keywords`, `resolve`, `dialect`, `uri` | a schema document becomes a list of nodes; references become node numbers |
//! | `node` | the compiled form |
//! | `values` | the value under test as a list with shared parts, so that trying a conversion copies nothing below it |
//! | `check`, `frame`, `tasks`, `assertion` | validation on an explicit stack |
//! | `blame`, `issue`, `suggest` | which failure of a union to report, and in which words |
//! | `coerce` | conversions and the edits they come to |
//! | `decimal`, `text`, `memo` | exact numbers, values as text, results kept per (node, value) |
//! | `format` | the named string formats |
//!
//! Not supported, and refused where it stands rather than passed: references to documents that were not handed in
//! (nothing is fetched), dialects other than those of json-schema.org, `$recursiveRef`.
//! `contentEncoding`, `contentMediaType` and unknown keywords and formats are annotations. A keyword with a value of
//! the wrong type is ignored, because tool servers in use send such schemas (`"required": true`).

mod assertion;
mod blame;
mod check;
mod coerce;
mod compile;
mod decimal;
mod dialect;
mod format;
mod frame;
mod issue;
mod keywords;
mod memo;
mod node;
mod resolve;
mod suggest;
mod tasks;
mod text;
mod uri;
mod values;

#[cfg(feature = "native-patterns")]
mod native;

pub use issue::{failure_text, lines, Issue};
#[cfg(feature = "native-patterns")]
pub use native::NativePatterns;

use crate::json::Value;
use check::Run;
use node::{Node, NodeId};
use std::fmt;
use values::{Id, Values};

/// Which release's conversions and issue paths to reproduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// pi-agent-core 1.6: an unknown property is reported at its name, `"7.5"` becomes the integer 7.
    #[default]
    V1_6,
    /// pi-agent-core 0.85: an unknown property is reported at the object that holds it, strings convert only when
    /// they hold exactly the wanted type, of several missing properties the first is named.
    V0_85,
}

/// The draft of a schema that does not name one in `$schema`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Draft {
    /// 2020-12, also accepting the draft 7 forms of `items`, `definitions` and `dependencies`.
    #[default]
    V2020_12,
    /// Draft 7: keywords beside `$ref` are ignored, the keywords of later drafts do not exist.
    V7,
}

/// How to compile and check. The default is what tool calls need.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The draft of a schema without `$schema`.
    pub draft: Draft,
    /// Whose behaviour to reproduce.
    pub profile: Profile,
    /// Whether `format` is checked. Off, it is an annotation as in the 2020-12 specification.
    pub formats: bool,
    /// Documents that references may name, by absolute URI. Nothing is ever fetched.
    pub documents: &'a [(&'a str, &'a Value)],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { draft: Draft::default(), profile: Profile::default(), formats: true, documents: &[] }
    }
}

/// Regular expressions of the host: `pattern` and `patternProperties` are ECMA-262 expressions, which only a JavaScript
/// engine knows in full. The formats are expressions too, in a part of the language that all engines share; a host
/// that runs none takes them as annotations.
pub trait Patterns {
    /// Whether `pattern` matches somewhere in `text`; `None` when it is not a regular expression (or not one this
    /// host can run), which rejects the value with an issue that says so. Called during checks, often with the same
    /// patterns: keep the compiled ones.
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool>;

    /// The same for a format of strings, whose expression may be some kB long and is always the same for a `name`: a
    /// host that keeps what it compiled by the name need not ask for the expression again.
    fn is_format(&self, name: &str, pattern: &dyn Fn() -> String, text: &str) -> Option<bool> {
        let _ = name;
        self.is_match(&pattern(), text)
    }
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An element of an array, from 0.
    Index(usize),
}

/// One change a conversion makes to the arguments. No edit lies inside another, so each can be applied on its own to
/// the original arguments, in any order.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Where; empty for the whole value.
    pub path: Vec<Step>,
    /// The value to put there; `None` removes the member.
    pub new: Option<Value>,
}

/// Why a document cannot be a schema at all. Faults inside a schema do not fail it: they reject the values at their
/// place, with an [`Issue`] that names the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaError {
    /// The document is neither an object nor a boolean.
    NotASchema,
    /// More than a million subschemas, given documents included.
    TooLarge,
}

impl SchemaError {
    /// What is wrong, in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotASchema => "a JSON schema must be an object or a boolean",
            Self::TooLarge => "the JSON schema has more than a million subschemas",
        }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::error::Error for SchemaError {}

/// A compiled schema. Immutable; holds no part of the document it came from.
pub struct Schema {
    nodes: Vec<Node>,
    root: NodeId,
    /// The values of `const` and `enum`.
    constants: Values,
    /// `$dynamicAnchor`s as (resource, name, node).
    dynamic: Vec<(u32, String, NodeId)>,
    profile: Profile,
}

impl Schema {
    /// Compiles a schema document. Costs time and memory linear in the document; references are resolved here.
    pub fn compile(document: &Value, options: &Options) -> Result<Self, SchemaError> {
        compile::compile(document, options)
    }

    /// Whether `value` is valid as it stands.
    pub fn is_valid(&self, value: &Value, patterns: &dyn Patterns) -> bool {
        let mut run = Run::new(self, patterns);
        let id = run.values.load(value);
        run.passes(self.root, id)
    }

    /// Why `value` is not valid as it stands: one issue per failing keyword, empty when it is valid.
    pub fn check(&self, value: &Value, patterns: &dyn Patterns) -> Vec<Issue> {
        let mut run = Run::new(self, patterns);
        let id = run.values.load(value);
        run.issues(self.root, id)
    }

    /// Converts the arguments of a tool call towards the schema and checks the outcome.
    ///
    /// `Ok` lists the changes to make, none when the arguments fit as they are. `Err` lists what is wrong with the
    /// arguments after conversion, at least one issue. Time is linear in the arguments for ordinary schemas and
    /// bounded for all: a schema that asks for unreasonable work rejects the arguments with an issue.
    pub fn parse(&self, value: &Value, patterns: &dyn Patterns) -> Result<Vec<Edit>, Vec<Issue>> {
        let mut run = Run::new(self, patterns);
        let (before, after, issues) = self.judge(value, &mut run);
        if issues.is_empty() {
            Ok(coerce::edits(&run.values, before, after))
        } else {
            Err(issues)
        }
    }

    /// [`parse`](Self::parse) for hosts that work with text. `None`: the arguments fit as they are. Text that begins with
    /// `[`: the changes to make, as JSON, each a list of its path and its value (no value: the member is removed).
    /// Other text: the issues in [`lines`].
    pub fn verdict(&self, value: &Value, patterns: &dyn Patterns) -> Option<String> {
        let mut run = Run::new(self, patterns);
        let (before, after, issues) = self.judge(value, &mut run);
        if !issues.is_empty() {
            Some(lines(&issues))
        } else if before != after {
            Some(coerce::edits_text(&run.values, before, after))
        } else {
            None
        }
    }

    /// The arguments before and after conversion, and what is wrong with them then.
    fn judge(&self, value: &Value, run: &mut Run) -> (Id, Id, Vec<Issue>) {
        let before = run.values.load(value);
        let after = run.coerce(before);
        (before, after, run.issues(self.root, after))
    }

    fn node(&self, id: NodeId) -> &Node {
        static ANYTHING: Node = Node { keywords: Vec::new(), resource: 0 };
        self.nodes.get(id as usize).unwrap_or(&ANYTHING)
    }
}
