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
    /// A mark, a member's name, a value, in this order; the latter two may be missing.
    struct Piece<'v>(&'static str, Option<&'v str>, Option<Id>);
    let mut out = String::new();
    let mut todo = vec![Piece("", None, Some(id))];
    while let Some(Piece(mark, name, value)) = todo.pop() {
        out.push_str(mark);
        if let Some(name) = name {
            json::write_string(&mut out, name);
            out.push(':');
        }
        let Some(value) = value else {
            continue;
        };
        let item = values.get(value);
        let object = item.of == Type::Object;
        match item.of {
            Type::Array | Type::Object => {
                let (open, close) = if object { ("{", "}") } else { ("[", "]") };
                out.push_str(open);
                todo.push(Piece(close, None, None));
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
            let mark = if count > 0 { "," } else { "" };
            let name = names.get(position).map(String::as_str);
            todo.push(Piece(mark, name, item.parts.get(position).copied()));
        }
    }
    out
}
