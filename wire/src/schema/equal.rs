//! JSON equality, as `const`, `enum` and `uniqueItems` compare: numbers by value, objects whatever the order of
//! their members.

use super::decimal;
use super::values::{Id, Item, Values};
use crate::json::Value;
use crate::order::sorted_positions;

/// A text such that two values are equal exactly when theirs are. Comparing and sorting these replaces a pairwise
/// comparison, which would be quadratic for `uniqueItems`.
pub(super) fn key(values: &Values, id: Id) -> String {
    enum Todo<'v> {
        Value(Id),
        Name(&'v str),
        Close,
    }
    let mut out = String::new();
    let mut todo = vec![Todo::Value(id)];
    while let Some(next) = todo.pop() {
        let id = match next {
            Todo::Value(id) => id,
            Todo::Name(name) => {
                write_text(&mut out, name);
                continue;
            }
            Todo::Close => {
                out.push(']');
                continue;
            }
        };
        match values.get(id) {
            Item::Null => out.push('n'),
            Item::Bool(value) => out.push(if *value { 't' } else { 'f' }),
            Item::Number(text) => decimal::write_key(&mut out, text),
            Item::String(text) => write_text(&mut out, text),
            Item::Array(parts) => {
                out.push('[');
                todo.push(Todo::Close);
                todo.extend(parts.iter().rev().map(|&part| Todo::Value(part)));
            }
            Item::Object(names, parts) => {
                let members = sorted_positions(parts.len(), &mut |a, b| names.at(a).cmp(names.at(b)));
                out.push('{');
                todo.push(Todo::Close);
                for &member in members.iter().rev() {
                    todo.extend(parts.get(member).map(|&part| Todo::Value(part)));
                    todo.push(Todo::Name(names.at(member)));
                }
            }
        }
    }
    out
}

/// [`key`] of a document.
pub(super) fn key_of(value: &Value) -> String {
    let mut values = Values::new();
    let id = values.load(value);
    key(&values, id)
}

/// Whether two of the items are equal.
pub(super) fn has_duplicates(values: &Values, items: &[Id]) -> bool {
    let keys: Vec<String> = items.iter().map(|&item| key(values, item)).collect();
    let order = sorted_positions(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    order.windows(2).any(|two| match *two {
        [first, second] => keys.get(first) == keys.get(second),
        _ => false,
    })
}

/// With its length in front a text needs no escaping.
fn write_text(out: &mut String, text: &str) {
    out.push('"');
    out.push_str(&text.len().to_string());
    out.push(':');
    out.push_str(text);
}
