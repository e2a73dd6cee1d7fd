//! Values under test, as a list of items that refer to each other by number.
//!
//! Items never change once they are complete, so a number stands for the same value throughout a run: results are
//! remembered by it, and a converted object shares every part that did not change with the original.

use super::node::Type;
use crate::json::{Number, Object, Value};
use crate::order::sorted_positions;
use std::borrow::Cow;
use std::rc::Rc;

/// Position of a value in [`Values`].
pub(super) type Id = u32;

/// The value `null`, always present.
pub(super) const NULL: Id = 0;

/// Up to this many members a scan finds a name faster than an index.
const SCANNED: usize = 12;

/// One value; its parts by number.
pub(super) enum Item<'a> {
    Null,
    Bool(bool),
    /// The exact text of a JSON number.
    Number(Cow<'a, str>),
    String(Cow<'a, str>),
    Array(Vec<Id>),
    /// The values of the members, in the order of their names.
    Object(Rc<Names<'a>>, Vec<Id>),
}

/// The member names of an object, shared by the versions of it that conversions make.
pub(super) struct Names<'a> {
    names: Vec<Cow<'a, str>>,
    /// Positions sorted by name, for objects worth it.
    sorted: Vec<usize>,
}

impl<'a> Names<'a> {
    fn new(names: Vec<Cow<'a, str>>) -> Self {
        let mut sorted = Vec::new();
        if names.len() > SCANNED {
            sorted = sorted_positions(names.len(), &mut |a, b| names.get(a).cmp(&names.get(b)));
        }
        Self { names, sorted }
    }

    pub fn at(&self, position: usize) -> &str {
        self.names.get(position).map_or("", AsRef::as_ref)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Cow<'a, str>> {
        self.names.iter()
    }

    /// The position of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.names.iter().position(|known| known == name);
        }
        let order = |&position: &usize| self.at(position).cmp(name);
        let found = self.sorted.binary_search_by(order).ok()?;
        self.sorted.get(found).copied()
    }
}

/// A value to load: one that outlives the run, or one made during it.
enum Source<'a> {
    Kept(&'a Value),
    Made(Value),
}

/// All values of a run.
pub(super) struct Values<'a> {
    items: Vec<Item<'a>>,
}

impl<'a> Values<'a> {
    pub fn new() -> Self {
        Self { items: vec![Item::Null] }
    }

    pub fn get(&self, id: Id) -> &Item<'a> {
        self.items.get(id as usize).unwrap_or(&Item::Null)
    }

    pub fn add(&mut self, item: Item<'a>) -> Id {
        self.items.push(item);
        (self.items.len() - 1) as Id
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds a document; strings are borrowed from it.
    pub fn load(&mut self, value: &'a Value) -> Id {
        self.load_source(Source::Kept(value))
    }

    /// Adds a document made during the run.
    pub fn load_made(&mut self, value: Value) -> Id {
        self.load_source(Source::Made(value))
    }

    fn load_source(&mut self, source: Source<'a>) -> Id {
        let root = self.add(Item::Null);
        let mut open = vec![(root, source)];
        while let Some((id, source)) = open.pop() {
            let item = match source {
                Source::Kept(Value::Null) | Source::Made(Value::Null) => continue,
                Source::Kept(&Value::Bool(value)) | Source::Made(Value::Bool(value)) => Item::Bool(value),
                Source::Kept(Value::Number(number)) => Item::Number(Cow::Borrowed(number.as_str())),
                Source::Made(Value::Number(number)) => Item::Number(Cow::Owned(number.as_str().to_owned())),
                Source::Kept(Value::String(text)) => Item::String(Cow::Borrowed(text)),
                Source::Made(Value::String(text)) => Item::String(Cow::Owned(text)),
                Source::Kept(Value::Array(items)) => {
                    Item::Array(self.reserve(&mut open, items.iter().map(Source::Kept)))
                }
                Source::Made(Value::Array(items)) => {
                    Item::Array(self.reserve(&mut open, items.into_iter().map(Source::Made)))
                }
                Source::Kept(Value::Object(object)) => {
                    let names = object.keys().map(Cow::Borrowed).collect();
                    let parts = self.reserve(&mut open, object.values().map(Source::Kept));
                    Item::Object(Rc::new(Names::new(names)), parts)
                }
                Source::Made(Value::Object(object)) => {
                    let names = object.keys().map(|name| Cow::Owned(name.to_owned())).collect();
                    let values = object.into_iter().map(|(_, value)| Source::Made(value));
                    let parts = self.reserve(&mut open, values);
                    Item::Object(Rc::new(Names::new(names)), parts)
                }
            };
            if let Some(place) = self.items.get_mut(id as usize) {
                *place = item;
            }
        }
        root
    }

    /// Gives each part a number and leaves it to be loaded.
    fn reserve(&mut self, open: &mut Vec<(Id, Source<'a>)>, parts: impl Iterator<Item = Source<'a>>) -> Vec<Id> {
        parts
            .map(|part| {
                let id = self.add(Item::Null);
                open.push((id, part));
                id
            })
            .collect()
    }

    /// The elements or the member values; nothing for other values.
    pub fn parts(&self, id: Id) -> &[Id] {
        match self.get(id) {
            Item::Array(parts) | Item::Object(_, parts) => parts,
            _ => &[],
        }
    }

    /// The position and value of a member.
    pub fn member(&self, id: Id, name: &str) -> Option<(usize, Id)> {
        match self.get(id) {
            Item::Object(names, parts) => {
                let position = names.find(name)?;
                parts.get(position).map(|&part| (position, part))
            }
            _ => None,
        }
    }

    /// The container `id` with other parts in the same places; `id` itself when they are the same.
    pub fn with_parts(&mut self, id: Id, parts: Vec<Id>) -> Id {
        let item = match self.get(id) {
            Item::Array(old) if *old != parts => Item::Array(parts),
            Item::Object(names, old) if *old != parts => Item::Object(names.clone(), parts),
            _ => return id,
        };
        self.add(item)
    }

    /// The object `id` without the members at `positions`.
    pub fn without(&mut self, id: Id, positions: &[usize]) -> Id {
        let Item::Object(names, parts) = self.get(id) else {
            return id;
        };
        if positions.is_empty() {
            return id;
        }
        let kept = names.iter().zip(parts).enumerate();
        let kept = kept.filter(|(position, _)| !positions.contains(position));
        let (names, parts) = kept.map(|(_, (name, &part))| (name.clone(), part)).unzip();
        self.add(Item::Object(Rc::new(Names::new(names)), parts))
    }

    pub fn type_of(&self, id: Id) -> Type {
        match self.get(id) {
            Item::Null => Type::Null,
            Item::Bool(_) => Type::Boolean,
            Item::Number(text) if super::decimal::is_integer(text) => Type::Integer,
            Item::Number(_) => Type::Number,
            Item::String(_) => Type::String,
            Item::Array(_) => Type::Array,
            Item::Object(..) => Type::Object,
        }
    }

    /// The value as a document of its own.
    pub fn to_value(&self, id: Id) -> Value {
        enum Todo<'v> {
            Make(Id),
            Array(usize),
            Object(&'v Names<'v>),
        }
        let mut todo = vec![Todo::Make(id)];
        let mut done: Vec<Value> = Vec::new();
        while let Some(next) = todo.pop() {
            let value = match next {
                Todo::Make(id) => match self.get(id) {
                    Item::Null => Value::Null,
                    Item::Bool(value) => Value::Bool(*value),
                    Item::Number(text) => Number::from_text(text).map_or(Value::Null, Value::Number),
                    Item::String(text) => Value::String(text.as_ref().to_owned()),
                    Item::Array(parts) => {
                        todo.push(Todo::Array(parts.len()));
                        todo.extend(parts.iter().rev().map(|&part| Todo::Make(part)));
                        continue;
                    }
                    Item::Object(names, parts) => {
                        todo.push(Todo::Object(names));
                        todo.extend(parts.iter().rev().map(|&part| Todo::Make(part)));
                        continue;
                    }
                },
                Todo::Array(count) => Value::Array(done.split_off(done.len().saturating_sub(count))),
                Todo::Object(names) => {
                    let values = done.split_off(done.len().saturating_sub(names.names.len()));
                    let names = names.iter().map(|name| name.as_ref());
                    Value::Object(names.zip(values).collect::<Object>())
                }
            };
            done.push(value);
        }
        done.pop().unwrap_or_default()
    }
}
