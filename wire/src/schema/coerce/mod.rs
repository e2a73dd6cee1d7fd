//! Conversion of arguments towards their schema, before they are checked.
//!
//! Models write `"42"` for a number, one value for a list, `null` for what they leave out, and JSON inside a string.
//! Three passes go over the value, each with the outcome of the one before:
//!
//! 1. `nulls`: an optional property that is `null` and may not be is taken out.
//! 2. `convert`: generous conversion by `$ref`, `const`, `enum`, unions and a single `type`. The 0.85 profile has no
//!    such pass.
//! 3. `primitive`: what is left, by the types of a node, lists of types included.
//!
//! A value no rule applies to stays; the check then reports it. Nothing is changed in place: see
//! [`values`](super::values). The passes recurse, at most [`MAX_DEPTH`] deep; what lies deeper stays as it is.

mod convert;
mod edits;
mod nulls;
mod primitive;
mod scalar;

pub(super) use edits::{edits, edits_text};

use super::check::Run;
use super::memo::Memo;
use super::node::{Node, NodeId, Type};
use super::values::{Id, NULL};
use super::Profile;
use crate::json;
use crate::text::trim_start;

/// Nested steps of a pass: levels of the value, and branches and references on the way. Far above what tools use, low
/// enough for the stack of a wasm module.
const MAX_DEPTH: usize = 256;

/// One conversion of a value towards a node: what a pass does at each level.
type Pass = fn(&mut Coercer<'_, '_>, NodeId, Id) -> Id;

impl Run<'_> {
    /// The value after all conversions; the same one when nothing changes.
    pub(super) fn coerce(&mut self, value: Id) -> Id {
        let root = self.schema.root;
        let mut coercer = Coercer {
            run: self,
            depth: 0,
            entered: Vec::new(),
            cuts: 0,
            known: Memo::default(),
            parsed: Memo::default(),
        };
        let value = coercer.without_nulls(root, value);
        let value = match coercer.old() {
            true => value,
            false => coercer.converted(root, value),
        };
        coercer.primitive(root, value)
    }
}

struct Coercer<'c, 'r> {
    run: &'c mut Run<'r>,
    depth: usize,
    /// The pairs that are being converted where a schema can come back to itself with the same value.
    entered: Vec<(NodeId, Id)>,
    /// How often that was cut short: outcomes that depend on a cut are not remembered.
    cuts: usize,
    /// Outcomes of references by pair, so that a recursive union converts each part once.
    known: Memo,
    /// What the JSON in a string comes to, `NULL` when it is none.
    parsed: Memo,
}

impl<'r> Coercer<'_, 'r> {
    /// Whether the 0.85 profile holds.
    fn old(&self) -> bool {
        self.run.schema.profile == Profile::V0_85
    }

    fn node(&self, id: NodeId) -> &'r Node {
        self.run.schema.node(id)
    }

    fn of(&self, value: Id) -> Type {
        self.run.values.get(value).of
    }

    fn is_string(&self, value: Id) -> bool {
        self.of(value) == Type::String
    }

    /// Does one level of a pass unless it would be one too many.
    fn deeper(&mut self, pass: Pass, node: NodeId, value: Id) -> Id {
        if self.depth >= MAX_DEPTH || self.node(node).keywords.is_empty() || !self.run.step() {
            return value;
        }
        self.depth += 1;
        let result = pass(self, node, value);
        self.depth -= 1;
        result
    }

    /// Sends the members of an object through a pass, each by the schemas that name it. `declared` leaves out all
    /// but `properties`.
    fn map_members(&mut self, node: &'r Node, value: Id, pass: Pass, declared: bool) -> Id {
        let item = self.run.values.get(value);
        let Some(rules) = node.object().filter(|_| item.of == Type::Object) else {
            return value;
        };
        let (names, mut parts) = (item.names.clone(), item.parts.clone());
        for (name, part) in names.list.iter().zip(&mut parts) {
            let property = rules.property(name);
            if let Some(node) = property {
                *part = self.deeper(pass, node, *part);
            }
            if declared {
                continue;
            }
            let mut matched = property.is_some();
            for (pattern, node) in &rules.patterns {
                // The 0.85 profile does not convert by pattern.
                if !self.old() && self.run.patterns.is_match(pattern, name) == Some(true) {
                    matched = true;
                    *part = self.deeper(pass, *node, *part);
                }
            }
            if let Some(node) = rules.additional.filter(|_| !matched) {
                *part = self.deeper(pass, node, *part);
            }
        }
        self.run.values.with_parts(value, parts)
    }

    /// Sends the items of an array through a pass.
    fn map_items(&mut self, node: &'r Node, value: Id, pass: Pass) -> Id {
        let item = self.run.values.get(value);
        let Some(rules) = node.array().filter(|_| item.of == Type::Array) else {
            return value;
        };
        let mut parts = item.parts.clone();
        let old = self.old();
        for (position, part) in parts.iter_mut().enumerate() {
            let item = match rules.prefix.get(position) {
                // The 0.85 profile knows tuples only in their older form.
                Some(_) if old && !rules.old_form => rules.rest,
                Some(&item) => Some(item),
                None if rules.old_form => None,
                None => rules.rest,
            };
            if let Some(item) = item {
                *part = self.deeper(pass, item, *part);
            }
        }
        self.run.values.with_parts(value, parts)
    }

    /// The object or array a string holds as JSON text, where that is what is wanted.
    fn json_inside(&mut self, value: Id, wanted: Type) -> Option<Id> {
        let item = self.run.values.get(value);
        let open = if wanted == Type::Object { '{' } else { '[' };
        if item.of != Type::String || !trim_start(&item.text).starts_with(open) {
            return None;
        }
        let key = u64::from(value);
        let found = match self.parsed.get(key) {
            Some(found) => found,
            None => {
                let parsed = json::parse(&item.text).ok();
                let found = parsed.map_or(NULL, |parsed| self.run.values.load(&parsed));
                self.parsed.set(key, found);
                found
            }
        };
        (self.of(found) == wanted).then_some(found)
    }
}
