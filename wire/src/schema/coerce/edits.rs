//! The difference between a value and its conversion.

use crate::json;
use crate::schema::node::Type;
use crate::schema::text;
use crate::schema::values::{Id, Values};
use crate::schema::{Edit, Step};

/// A place where the two differ, and the values; nothing new for a member that was taken out.
struct Place {
    path: Vec<Step>,
    old: Id,
    new: Option<Id>,
}

/// The smallest changes that lead from one value to the other. Parts with the same number are the same and not looked
/// into.
pub(in super::super) fn edits(values: &Values, before: Id, after: Id) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut places = Vec::new();
    if before != after {
        places.push(Place { path: Vec::new(), old: before, new: Some(after) });
    }
    let mut next = 0;
    while let Some(place) = places.get_mut(next) {
        let (path, old, new) = (std::mem::take(&mut place.path), place.old, place.new);
        next += 1;
        let known = values.get(old);
        let item = new.map(|new| values.get(new));
        let same = item.filter(|item| item.of == known.of);
        match same {
            Some(item)
                if known.of == Type::Object || (known.of == Type::Array && item.parts.len() == known.parts.len()) =>
            {
                let mut left = 0;
                for (position, &old) in known.parts.iter().enumerate() {
                    let name = known.names.list.get(position);
                    // Conversions only take members out.
                    let kept = item.names.list.get(left) == name;
                    let new = if kept { item.parts.get(left).copied() } else { None };
                    left += usize::from(kept);
                    if new == Some(old) {
                        continue;
                    }
                    let mut path = path.clone();
                    path.push(name.map_or(Step::Index(position), |name| Step::Key(name.clone())));
                    places.push(Place { path, old, new });
                }
            }
            _ => {
                let new = new.and_then(|new| json::parse(&text::json(values, new)).ok());
                edits.push(Edit { path, new });
            }
        }
    }
    edits
}
