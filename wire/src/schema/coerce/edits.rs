//! The difference between a value and its conversion.

use crate::json::{self, write_string};
use crate::schema::node::Type;
use crate::schema::text;
use crate::schema::values::{Id, Values};
use crate::schema::{Edit, Step};
use crate::text::decimal;

/// A place where the two differ, and the values; nothing new for a member that was taken out.
struct Place<'v> {
    /// The number of the place that it is a part of.
    inside: usize,
    /// Its name in an object, and its position.
    name: Option<&'v str>,
    position: usize,
    old: Id,
    new: Option<Id>,
    /// Whether the places inside of it stand for it.
    parted: bool,
}

/// Where the two differ, the whole first, every part after what it is a part of. Parts with the same number are the same
/// and not looked into.
fn places(values: &Values, before: Id, after: Id) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    if before != after {
        places.push(Place { inside: 0, name: None, position: 0, old: before, new: Some(after), parted: false });
    }
    let mut inside = 0;
    while let Some(place) = places.get_mut(inside) {
        let known = values.get(place.old);
        if let Some(item) = place.new.map(|new| values.get(new)) {
            let alike = known.of == Type::Object || (known.of == Type::Array && item.parts.len() == known.parts.len());
            place.parted = alike && item.of == known.of;
            let parts = if place.parted { known.parts.as_slice() } else { &[] };
            let mut left = 0;
            for (position, &old) in parts.iter().enumerate() {
                let name = known.names.list.get(position);
                // Conversions only take members out.
                let kept = item.names.list.get(left) == name;
                let new = if kept { item.parts.get(left).copied() } else { None };
                left += usize::from(kept);
                if new != Some(old) {
                    places.push(Place { inside, name: name.map(String::as_str), position, old, new, parted: false });
                }
            }
        }
        inside += 1;
    }
    places
}

/// A place, then those it is in, from the inside out; the whole (0) is left out.
fn path<'p, 'v>(places: &'p [Place<'v>], mut number: usize) -> Vec<&'p Place<'v>> {
    let mut path = Vec::new();
    while let Some(place) = places.get(number).filter(|_| number > 0) {
        path.push(place);
        number = place.inside;
    }
    path
}

/// The smallest changes that lead from one value to the other.
pub(in super::super) fn edits(values: &Values, before: Id, after: Id) -> Vec<Edit> {
    let places = places(values, before, after);
    let edit = |(number, place): (usize, &Place<'_>)| Edit {
        path: path(&places, number)
            .iter()
            .rev()
            .map(|step| step.name.map_or(Step::Index(step.position), |name| Step::Key(name.to_owned())))
            .collect(),
        new: place.new.and_then(|new| json::parse(&text::json(values, new)).ok()),
    };
    places.iter().enumerate().filter(|(_, place)| !place.parted).map(edit).collect()
}

/// The same as JSON: a list of lists of a path and the value, which is not there where the member goes.
pub(in super::super) fn edits_text(values: &Values, before: Id, after: Id) -> String {
    let mut out = "[".to_owned();
    let places = places(values, before, after);
    for (number, place) in places.iter().enumerate() {
        if place.parted {
            continue;
        }
        out.push_str(if out.len() == 1 { "[[" } else { ",[[" });
        for (count, step) in path(&places, number).iter().rev().enumerate() {
            if count > 0 {
                out.push(',');
            }
            match step.name {
                Some(name) => write_string(&mut out, name),
                None => out.push_str(&decimal(step.position as u64)),
            }
        }
        out.push(']');
        if let Some(new) = place.new {
            out.push(',');
            out.push_str(&text::json(values, new));
        }
        out.push(']');
    }
    out.push(']');
    out
}
