//! Objects that keep the order of their members.

use std::cmp::Ordering;

use super::Value;
use crate::order::Index;

/// Up to this many members a plain scan beats any index.
const SCANNED: usize = 16;

/// The members of a JSON object in the order of first appearance. Setting an existing name replaces its value in
/// place, as in JavaScript. Lookups cost O(log² n) in large objects whatever the names are (no hash to attack).
/// Equality ignores the order of members.
#[derive(Debug, Clone, Default)]
pub struct Object {
    entries: Vec<(String, Value)>,
    /// Kept once there are more than [`SCANNED`] members.
    index: Option<Box<Index>>,
}

impl Object {
    /// An object without members.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), index: None }
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a member.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.at(self.position(key)?)
    }

    /// The value of a member, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let position = self.position(key)?;
        self.at_mut(position)
    }

    /// Whether a member of that name exists.
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets a member: a new name goes to the end, a known one keeps its place. Returns the value it replaces.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.set(key.into(), value.into())
    }

    fn set(&mut self, key: String, value: Value) -> Option<Value> {
        let before = self.len();
        let position = self.slot(key);
        let old = std::mem::replace(self.at_mut(position)?, value);
        (self.len() == before).then_some(old)
    }

    /// Removes a member; later members move up. Costs O(n).
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let position = self.position(key)?;
        let (_, value) = self.entries.remove(position);
        self.index = None;
        self.reindex();
        Some(value)
    }

    /// The members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The members in order, values changeable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value)> {
        self.entries.iter_mut().map(|(key, value)| (key.as_str(), value))
    }

    /// The names in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value)
    }

    pub(super) fn entries(&self) -> &[(String, Value)] {
        &self.entries
    }

    /// The value at a position.
    pub(super) fn at(&self, position: usize) -> Option<&Value> {
        self.entries.get(position).map(|(_, value)| value)
    }

    /// The value at a position, to change it.
    pub(super) fn at_mut(&mut self, position: usize) -> Option<&mut Value> {
        self.entries.get_mut(position).map(|(_, value)| value)
    }

    /// The position of a member, made with the value `null` when it is new.
    pub(super) fn slot(&mut self, key: String) -> usize {
        if let Some(position) = self.position(&key) {
            return position;
        }
        let position = self.entries.len();
        self.entries.push((key, Value::Null));
        match &mut self.index {
            Some(index) => index.add(position, &order_in(&self.entries)),
            None => self.reindex(),
        }
        position
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.find(&|position| name(&self.entries, position).cmp(key)),
            None => self.entries.iter().position(|(name, _)| name == key),
        }
    }

    fn reindex(&mut self) {
        if self.index.is_none() && self.entries.len() > SCANNED {
            let mut index = Index::new();
            (0..self.entries.len()).for_each(|position| index.add(position, &order_in(&self.entries)));
            self.index = Some(Box::new(index));
        }
    }
}

fn name(entries: &[(String, Value)], position: usize) -> &str {
    entries.get(position).map_or("", |(name, _)| name.as_str())
}

fn order_in(entries: &[(String, Value)]) -> impl Fn(usize, usize) -> Ordering + '_ {
    |a, b| name(entries, a).cmp(name(entries, b))
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut object = Self::new();
        for (key, value) in members {
            object.insert(key, value);
        }
        object
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}
