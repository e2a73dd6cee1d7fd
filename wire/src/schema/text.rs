//! Values as text: as JSON, and in a form in which equal values read the same.

use super::decimal;
use super::node::Type;
use super::values::{Id, Values};
use crate::json;
use crate::order::{sorted_positions, NameMap};

/// The value as JSON.
pub(super) fn json(values: &Values, id: Id) -> String {
    written(values, id, false)
}

/// A text such that two values are equal, as `const`, `enum` and `uniqueItems` compare, exactly when theirs are:
/// numbers by value, objects whatever the order of their members. Looking up these replaces a pairwise comparison,
/// which would be quadratic for `uniqueItems`.
pub(super) fn key(values: &Values, id: Id) -> String {
    written(values, id, true)
}

/// Whether two of the items are equal.
pub(super) fn has_duplicates(values: &Values, items: &[Id]) -> bool {
    let mut keys = NameMap::default();
    items.iter().any(|&item| keys.set(&key(values, item), 0).is_some())
}

fn written(values: &Values, id: Id, sorted: bool) -> String {
    enum Todo<'v> {
        Value(Id),
        Name(&'v str),
        Mark(char),
    }
    let mut out = String::new();
    let mut todo = vec![Todo::Value(id)];
    while let Some(next) = todo.pop() {
        let item = match next {
            Todo::Value(id) => values.get(id),
            Todo::Name(name) => {
                json::write_string(&mut out, name);
                out.push(':');
                continue;
            }
            Todo::Mark(mark) => {
                out.push(mark);
                continue;
            }
        };
        let object = item.of == Type::Object;
        match item.of {
            Type::Array | Type::Object => {
                out.push(if object { '{' } else { '[' });
                todo.push(Todo::Mark(if object { '}' } else { ']' }));
            }
            Type::String => json::write_string(&mut out, &item.text),
            Type::Integer | Type::Number if sorted => decimal::write_key(&mut out, &item.text),
            _ => out.push_str(&item.text),
        }
        let names = &item.names.list;
        let order = sorted_positions(item.parts.len(), &mut |a, b| match sorted {
            true => names.get(a).cmp(&names.get(b)),
            false => a.cmp(&b),
        });
        for (count, &position) in order.iter().enumerate().rev() {
            if let Some(&part) = item.parts.get(position) {
                todo.push(Todo::Value(part));
            }
            if object {
                todo.push(Todo::Name(item.names.at(position as u32)));
            }
            if count > 0 {
                todo.push(Todo::Mark(','));
            }
        }
    }
    out
}
