//! Third pass: strict conversion of scalars by the types of a node, which may be a list.

use super::{scalar, Coercer};
use crate::schema::assertion::is_of_type;
use crate::schema::node::{Join, NodeId, Type};
use crate::schema::values::Id;

impl Coercer<'_, '_> {
    /// Converts what the types of the node ask for, in its branches first. References are not followed.
    pub(super) fn primitive(&mut self, id: NodeId, value: Id) -> Id {
        let node = self.node(id);
        let mut next = value;
        for &member in node.branches(Join::All).unwrap_or_default() {
            next = self.further(member, next);
        }
        for join in [Join::Any, Join::One] {
            next = self.branch(node.branches(join).unwrap_or_default(), next);
        }
        let Some(types) = node.types() else {
            return next;
        };
        let item = self.run.values.get(next);
        // A value that has one of several types keeps it.
        let fits = types.list.iter().any(|&wanted| is_of_type(item, wanted));
        if types.single || !fits {
            let convert = |&wanted: &Type| Some((wanted, scalar::converted(item, wanted, false)?));
            if let Some((wanted, text)) = types.list.iter().find_map(convert) {
                next = self.run.values.add_scalar(wanted, text);
            } else if !fits && self.is_string(next) {
                let mut wanted = types.list.iter().filter(|wanted| matches!(wanted, Type::Object | Type::Array));
                if let Some(parsed) = wanted.find_map(|&wanted| self.json_inside(next, wanted)) {
                    next = self.without_nulls(id, parsed);
                }
            }
        }
        let pass = |this: &mut Coercer<'_, '_>, node, value| this.primitive(node, value);
        match self.of(next) {
            Type::Object if types.list.contains(&Type::Object) => self.map_members(node, next, pass, false),
            Type::Array if types.list.contains(&Type::Array) => self.map_items(node, next, pass),
            _ => next,
        }
    }

    fn further(&mut self, node: NodeId, value: Id) -> Id {
        self.deeper(|this, node, value| this.primitive(node, value), node, value)
    }

    /// What a branch accepts stays; else the conversion of the first branch that accepts its own.
    fn branch(&mut self, branches: &[NodeId], value: Id) -> Id {
        if branches.iter().any(|&branch| self.run.passes(branch, value)) {
            return value;
        }
        for &branch in branches {
            let candidate = self.further(branch, value);
            if self.run.passes(branch, candidate) {
                return candidate;
            }
        }
        value
    }
}
