//! The difference between a value and its conversion.

use crate::schema::values::{Id, Item, Values};
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
        match (values.get(before), values.get(after)) {
            (Item::Object(names, parts), Item::Object(new_names, new_parts)) => {
                // Conversions only take members out.
                let mut new = new_names.iter().zip(new_parts).peekable();
                for (name, &part) in names.iter().zip(parts) {
                    let kept = new.next_if(|(kept, _)| *kept == name);
                    let next = kept.map(|(_, &part)| part);
                    if next != Some(part) {
                        todo.push((step(Step::Key(name.as_ref().to_owned())), part, next));
                    }
                }
            }
            (Item::Array(parts), Item::Array(new_parts)) if parts.len() == new_parts.len() => {
                for (index, (&part, &new)) in parts.iter().zip(new_parts).enumerate() {
                    if part != new {
                        todo.push((step(Step::Index(index)), part, Some(new)));
                    }
                }
            }
            _ => {
                let new = Some(values.to_value(after));
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
