//! Entries of which the tree knows only what it needs, because the host keeps the rest: a host that has the entries as
//! objects of its own does not pay for a second copy of every message.

use steersman_wire::json::Value;

use super::dates;
use super::read::text;
use super::tree::SessionTree;

/// What is known of an entry.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// All of it.
    Whole(Value),
    /// What it has in common with others, by its place among the shapes, and its time: type, and of a message the role,
    /// the model, and whether there is content. The host fills in the rest where it matters.
    Outline { shape: usize, time: f64 },
}

/// So many of the latest shapes are looked through for one that fits.
const LATEST: usize = 8;

impl SessionTree {
    /// An entry; `null` where there is none. Of an outline: its shape.
    pub fn value_at(&self, position: usize) -> &Value {
        let value = match self.entries.get(position).map(|entry| &entry.body) {
            Some(Body::Whole(value)) => Some(value),
            Some(Body::Outline { shape, .. }) => self.shapes.get(*shape),
            None => None,
        };
        value.unwrap_or(&Value::Null)
    }

    /// The time of an entry in milliseconds; 0 where it has none.
    pub(super) fn time_at(&self, position: usize) -> f64 {
        match self.entries.get(position).map(|entry| &entry.body) {
            Some(Body::Whole(value)) => dates::millis(text(value, "timestamp")).unwrap_or(0.0),
            Some(Body::Outline { time, .. }) => *time,
            None => 0.0,
        }
    }

    /// Whether only the outline of an entry is here.
    pub fn is_outline(&self, position: usize) -> bool {
        self.entries.get(position).is_some_and(|entry| matches!(entry.body, Body::Outline { .. }))
    }

    /// Takes an entry from the host in place of its outline.
    pub fn fill(&mut self, position: usize, value: Value) {
        if let Some(entry) = self.entries.get_mut(position) {
            entry.body = Body::Whole(value);
        }
    }

    /// Keeps the outline of an entry only.
    pub fn outline(&mut self, position: usize) {
        let time = self.time_at(position);
        let Some(entry) = self.entries.get_mut(position) else { return };
        let Body::Whole(Value::Object(value)) = &mut entry.body else { return };
        let mut shape = std::mem::take(value);
        for own in ["id", "parentId", "timestamp"] {
            shape.remove(own);
        }
        let shape = Value::Object(shape);
        let latest = self.shapes.len().saturating_sub(LATEST);
        let known = self.shapes.iter().skip(latest).position(|known| *known == shape).map(|place| latest + place);
        let place = known.unwrap_or(self.shapes.len());
        if known.is_none() {
            self.shapes.push(shape);
        }
        entry.body = Body::Outline { shape: place, time };
    }

    /// Those of some entries that are outlines: an operation that reads messages needs them in full.
    pub fn outlines(&self, positions: &[usize]) -> Vec<usize> {
        let mut outlines = Vec::new();
        for &position in positions {
            if self.is_outline(position) {
                outlines.push(position);
            }
        }
        outlines
    }
}
