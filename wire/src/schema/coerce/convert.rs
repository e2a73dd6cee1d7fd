//! Second pass: generous conversion, the first keyword that says what a node wants deciding.

use super::{scalar, Coercer};
use crate::schema::memo::pair;
use crate::schema::node::{Choices, Join, Node, NodeId, Type};
use crate::schema::text;
use crate::schema::values::Id;

impl<'r> Coercer<'_, 'r> {
    /// The value as the node wants it, as far as that can be told.
    pub(super) fn converted(&mut self, id: NodeId, value: Id) -> Id {
        let node = self.node(id);
        if let Some(&target) = node.reference() {
            return self.again(target, value, true);
        }
        if let Some(constant) = node.choices(true) {
            let literal = constant.values.first();
            return literal.map_or(value, |&literal| self.literal(literal, value));
        }
        if let Some(choices) = node.choices(false) {
            return self.choice(id, choices, value);
        }
        if let Some(branches) = node.branches(Join::Any).or(node.branches(Join::One)) {
            return self.union(id, node, branches, value);
        }
        if let Some(all) = node.branches(Join::All) {
            let next = all.iter().fold(value, |value, &member| self.convert(member, value));
            return self.members(node, next);
        }
        match node.types() {
            Some(types) if types.single => match types.list.first() {
                Some(Type::Object) => self.object(id, node, value),
                Some(Type::Array) => self.array(id, node, value),
                Some(&wanted) => self.scalar(value, wanted),
                None => value,
            },
            Some(_) => value,
            None if node.object().is_some_and(|rules| rules.declares || !rules.patterns.is_empty()) => {
                self.members(node, value)
            }
            None if node.array().is_some() => self.array(id, node, value),
            None => value,
        }
    }

    fn convert(&mut self, node: NodeId, value: Id) -> Id {
        self.deeper(|this, node, value| this.converted(node, value), node, value)
    }

    /// Converts where a schema may come back to itself with the same value: through a reference, and at the item of
    /// a list that was made around the value. A pair that is already being converted stays as it is.
    fn again(&mut self, node: NodeId, value: Id, remember: bool) -> Id {
        if self.entered.iter().any(|&(entered, old)| entered == node && self.same(old, value)) {
            self.cuts += 1;
            return value;
        }
        let key = pair(node, value);
        if let Some(known) = self.known.get(key).filter(|_| remember) {
            return known;
        }
        let cuts = self.cuts;
        self.entered.push((node, value));
        let result = self.convert(node, value);
        self.entered.pop();
        if remember && self.cuts == cuts {
            self.known.set(key, result);
        }
        result
    }

    /// Whether two numbers stand for the same value: containers by identity, scalars by value.
    fn same(&self, left: Id, right: Id) -> bool {
        let container = |id| matches!(self.of(id), Type::Array | Type::Object);
        left == right
            || (!container(left)
                && !container(right)
                && text::key(&self.run.values, left) == text::key(&self.run.values, right))
    }

    /// A new value if the old one converts, else the old one.
    fn scalar(&mut self, value: Id, wanted: Type) -> Id {
        match scalar::converted(self.run.values.get(value), wanted, true) {
            Some(text) => self.run.values.add_scalar(wanted, text),
            None => value,
        }
    }

    /// The literal, if the value converts to exactly it.
    fn literal(&mut self, literal: Id, value: Id) -> Id {
        let constants = &self.run.schema.constants;
        let wanted = match constants.get(literal).of.number() {
            Type::Null => return value,
            wanted => wanted,
        };
        let Some(text) = scalar::converted(self.run.values.get(value), wanted, true) else {
            return value;
        };
        let candidate = self.run.values.add_scalar(wanted, text);
        let exact = text::key(&self.run.values, candidate) == text::key(constants, literal);
        if exact {
            candidate
        } else {
            value
        }
    }

    /// A member of the enumeration stays; else the first one the value converts to.
    fn choice(&mut self, id: NodeId, choices: &Choices, value: Id) -> Id {
        let key = text::key(&self.run.values, value);
        if choices.keys.get(&key).is_some() {
            return value;
        }
        for &member in &choices.values {
            let candidate = self.literal(member, value);
            if candidate != value && self.run.passes(id, candidate) {
                return candidate;
            }
        }
        value
    }

    /// What a branch accepts stays; else the first branch's conversion that the whole node accepts.
    fn union(&mut self, id: NodeId, node: &'r Node, branches: &[NodeId], value: Id) -> Id {
        if branches.iter().any(|&branch| self.run.passes(branch, value)) {
            return self.members(node, value);
        }
        for &branch in branches {
            let candidate = self.convert(branch, value);
            let candidate = self.members(node, candidate);
            if self.run.passes(id, candidate) {
                return candidate;
            }
        }
        self.members(node, value)
    }

    /// The members of an object that the node itself declares.
    fn members(&mut self, node: &'r Node, value: Id) -> Id {
        self.map_members(node, value, |this, node, value| this.converted(node, value), false)
    }

    fn object(&mut self, id: NodeId, node: &'r Node, value: Id) -> Id {
        let value = match self.json_inside(value, Type::Object) {
            Some(object) => self.without_nulls(id, object),
            None => value,
        };
        self.members(node, value)
    }

    /// A list converts its items; a single value becomes a list of one. A tuple takes no single values. A string
    /// that would not do as the one item may hold the list as JSON.
    fn array(&mut self, id: NodeId, node: &'r Node, value: Id) -> Id {
        let items =
            |this: &mut Self, value| this.map_items(node, value, |this, node, value| this.converted(node, value));
        if self.of(value) == Type::Array {
            return items(self, value);
        }
        let rules = node.array();
        let tuple = rules.is_some_and(|rules| rules.old_form || !rules.prefix.is_empty());
        let list = match rules.and_then(|rules| rules.rest) {
            _ if tuple => value,
            Some(item) => {
                let item = self.again(item, value, false);
                self.run.values.add_array(vec![item])
            }
            None => self.run.values.add_array(vec![value]),
        };
        if !self.is_string(value) || self.run.passes(id, list) {
            return list;
        }
        match self.json_inside(value, Type::Array) {
            Some(array) => {
                let array = self.without_nulls(id, array);
                items(self, array)
            }
            None => list,
        }
    }
}
