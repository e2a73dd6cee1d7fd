//! The difference between a value and its conversion.

use crate::json;
use crate::schema::node::Type;
use crate::schema::text;
use crate::schema::values::{Id, Values};
use crate::schema::{Edit, Step};

/// The smallest changes that lead from one value to the other. Parts with the same number are the same and not looked
/// into.
pub(in super::super) fn edits(values: &Values, before: Id, after: Id) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut todo = vec![(Vec::new(), before, Some(after))];
    while let Some((path, before, after)) = todo.pop() {
        let Some(after) = after else {
            edits.push(Edit { path, new: None });
            continue;
        };
        if before == after {
            continue;
        }
        let step = |step: Step| path.iter().cloned().chain([step]).collect::<Vec<_>>();
        let first = todo.len();
        let (old, new) = (values.get(before), values.get(after));
        match (old.of, new.of) {
            (Type::Object, Type::Object) => {
                // Conversions only take members out.
                let mut new = new.names.list.iter().zip(&new.parts).peekable();
                for (name, &part) in old.names.list.iter().zip(&old.parts) {
                    let kept = new.next_if(|(kept, _)| *kept == name);
                    let next = kept.map(|(_, &part)| part);
                    if next != Some(part) {
                        todo.push((step(Step::Key(name.clone())), part, next));
                    }
                }
            }
            (Type::Array, Type::Array) if old.parts.len() == new.parts.len() => {
                for (index, (&part, &new)) in old.parts.iter().zip(&new.parts).enumerate() {
                    if part != new {
                        todo.push((step(Step::Index(index)), part, Some(new)));
                    }
                }
            }
            _ => {
                let new = json::parse(&text::json(values, after)).ok();
                edits.push(Edit { path, new });
                continue;
            }
        }
        // The last in is the next out.
        if let Some(added) = todo.get_mut(first..) {
            added.reverse();
        }
    }
    edits
}
