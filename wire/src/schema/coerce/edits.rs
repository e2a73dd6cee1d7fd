//! The difference between a value and its conversion.

use crate::json;
use crate::schema::node::Type;
use crate::schema::text;
use crate::schema::values::{Id, Values};
use crate::schema::{Edit, Step};

/// A place where the two differ: which part of the place before it, and the values; nothing new for a member that
/// was taken out.
struct Place {
    parent: usize,
    part: usize,
    old: Id,
    new: Option<Id>,
}

/// The smallest changes that lead from one value to the other. Parts with the same number are the same and not looked
/// into.
pub(in super::super) fn edits(values: &Values, before: Id, after: Id) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut places = Vec::new();
    if before != after {
        places.push(Place { parent: 0, part: 0, old: before, new: Some(after) });
    }
    let mut next = 0;
    while let Some(&Place { old, new, .. }) = places.get(next) {
        let known = values.get(old);
        let new = new.map(|new| (new, values.get(new)));
        match new {
            // Conversions only take members out.
            Some((_, new)) if known.of == Type::Object && new.of == Type::Object => {
                let mut kept = new.names.list.iter().zip(&new.parts).peekable();
                for (part, (name, &old)) in known.names.list.iter().zip(&known.parts).enumerate() {
                    let new = kept.next_if(|(kept, _)| *kept == name).map(|(_, &new)| new);
                    if new != Some(old) {
                        places.push(Place { parent: next, part, old, new });
                    }
                }
            }
            Some((_, new))
                if known.of == Type::Array && new.of == Type::Array && new.parts.len() == known.parts.len() =>
            {
                for (part, (&old, &new)) in known.parts.iter().zip(&new.parts).enumerate() {
                    if old != new {
                        places.push(Place { parent: next, part, old, new: Some(new) });
                    }
                }
            }
            _ => {
                let new = new.and_then(|(new, _)| json::parse(&text::json(values, new)).ok());
                edits.push(Edit { path: path(values, &places, next), new });
            }
        }
        next += 1;
    }
    edits
}

/// The steps that lead to a place.
fn path(values: &Values, places: &[Place], mut at: usize) -> Vec<Step> {
    let mut path = Vec::new();
    while let Some((place, parent)) = places.get(at).and_then(|place| Some((place, places.get(place.parent)?))) {
        // The first place is the whole value.
        if at == 0 {
            break;
        }
        at = place.parent;
        let parent = values.get(parent.old);
        path.push(match parent.names.list.get(place.part) {
            Some(name) => Step::Key(name.clone()),
            None => Step::Index(place.part),
        });
    }
    path.reverse();
    path
}
