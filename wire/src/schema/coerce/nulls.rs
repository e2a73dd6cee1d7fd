//! First pass: `null` for an optional property means that it is left out.

use super::Coercer;
use crate::schema::node::{NodeId, Type};
use crate::schema::values::{Id, NULL};

impl Coercer<'_, '_> {
    /// Takes out optional properties that are `null` where their schema refuses it. References are not followed, and
    /// what a pattern or `additionalProperties` allows is no optional property.
    pub(super) fn without_nulls(&mut self, id: NodeId, value: Id) -> Id {
        let node = self.node(id);
        if self.of(value) == Type::Array {
            return self.map_items(node, value, |this, node, value| this.without_nulls(node, value));
        }
        let mut dropped = Vec::new();
        let properties = node.object().map_or(&[][..], |rules| &rules.properties);
        for (name, property) in properties {
            let Some((position, member)) = self.run.values.member(value, name) else {
                continue;
            };
            let null = self.of(member) == Type::Null;
            let required = node.requires(name);
            let reference = self.node(*property).reference().is_some();
            if null && !required && !reference && !self.run.passes(*property, NULL) {
                dropped.push(position);
            }
        }
        let value = self.run.values.without(value, &dropped);
        let declared = self.old();
        self.map_members(node, value, |this, node, value| this.without_nulls(node, value), declared)
    }
}
