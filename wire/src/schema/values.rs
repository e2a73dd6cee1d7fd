//! Values under test, as a list of items that refer to each other by number.
//!
//! Items never change once they are complete, so a number stands for the same value throughout a run: results are
//! remembered by it, and a converted object shares every part that did not change with the original.

use super::decimal;
use super::node::Type;
use crate::json::Value;
use crate::order::NameMap;
use std::rc::Rc;

/// Position of a value in [`Values`].
pub(super) type Id = u32;

/// The value `null`, always present.
pub(super) const NULL: Id = 0;

/// Up to this many members a scan finds a name faster than an index.
const SCANNED: usize = 12;

/// One value; its parts by number.
pub(super) struct Item {
    /// [`Type::Integer`] for every number without a fraction.
    pub of: Type,
    /// A string, or the JSON of another scalar: numbers keep their digits.
    pub text: String,
    /// The names of an object's members.
    pub names: Rc<Names>,
    /// The items of an array, the values of an object's members.
    pub parts: Vec<Id>,
}

/// The member names of an object, shared by the versions of it that conversions make.
#[derive(Default)]
pub(super) struct Names {
    pub list: Vec<String>,
    /// Positions by name, for objects worth it.
    index: Option<NameMap>,
}

impl Names {
    fn new(list: Vec<String>) -> Rc<Self> {
        let index = (list.len() > SCANNED).then(|| {
            let mut index = NameMap::default();
            for (position, name) in list.iter().enumerate() {
                index.set(name, position);
            }
            index
        });
        Rc::new(Self { list, index })
    }

    pub fn at(&self, position: u32) -> &str {
        self.list.get(position as usize).map_or("", String::as_str)
    }

    /// The position of a name.
    fn find(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name),
            None => self.list.iter().position(|known| known == name),
        }
    }
}

/// All values of a run.
pub(super) struct Values {
    items: Vec<Item>,
    null: Item,
    /// The names of what has none.
    no_names: Rc<Names>,
}

impl Values {
    pub fn new() -> Self {
        let no_names = Rc::new(Names::default());
        let null = |names: &Rc<Names>| Item {
            of: Type::Null,
            text: "null".to_owned(),
            names: names.clone(),
            parts: Vec::new(),
        };
        Self { items: vec![null(&no_names)], null: null(&no_names), no_names }
    }

    pub fn get(&self, id: Id) -> &Item {
        self.items.get(id as usize).unwrap_or(&self.null)
    }

    fn add(&mut self, of: Type, text: String, names: Rc<Names>, parts: Vec<Id>) -> Id {
        self.items.push(Item { of, text, names, parts });
        (self.items.len() - 1) as Id
    }

    pub fn add_scalar(&mut self, of: Type, text: String) -> Id {
        let of = match of {
            Type::Number if decimal::is_integer(&text) => Type::Integer,
            _ => of,
        };
        self.add(of, text, self.no_names.clone(), Vec::new())
    }

    pub fn add_array(&mut self, parts: Vec<Id>) -> Id {
        self.add(Type::Array, String::new(), self.no_names.clone(), parts)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds a document: each level after the one above it, and each container after its parts have their numbers.
    pub fn load(&mut self, value: &Value) -> Id {
        let root = self.add_scalar(Type::Null, String::new());
        let mut open = vec![(root, value)];
        while let Some((id, value)) = open.pop() {
            let mut names = Vec::new();
            let mut parts = Vec::new();
            let mut part = |this: &mut Self, value| {
                let id = this.add_scalar(Type::Null, String::new());
                parts.push(id);
                open.push((id, value));
            };
            let (of, text) = match value {
                Value::Null => (Type::Null, "null"),
                Value::Bool(true) => (Type::Boolean, "true"),
                Value::Bool(false) => (Type::Boolean, "false"),
                Value::Number(number) if number.is_integer() => (Type::Integer, number.as_str()),
                Value::Number(number) => (Type::Number, number.as_str()),
                Value::String(text) => (Type::String, text.as_str()),
                Value::Array(items) => {
                    items.iter().for_each(|value| part(self, value));
                    (Type::Array, "")
                }
                Value::Object(object) => {
                    for (name, value) in object.iter() {
                        names.push(name.to_owned());
                        part(self, value);
                    }
                    (Type::Object, "")
                }
            };
            let names = if names.is_empty() { self.no_names.clone() } else { Names::new(names) };
            if let Some(place) = self.items.get_mut(id as usize) {
                *place = Item { of, text: text.to_owned(), names, parts };
            }
        }
        root
    }

    /// The position and value of a member.
    pub fn member(&self, id: Id, name: &str) -> Option<(usize, Id)> {
        let item = self.get(id);
        let position = item.names.find(name)?;
        item.parts.get(position).map(|&part| (position, part))
    }

    /// The container `id` with other parts in the same places; `id` itself when they are the same.
    pub fn with_parts(&mut self, id: Id, parts: Vec<Id>) -> Id {
        let item = self.get(id);
        if item.parts == parts {
            return id;
        }
        self.add(item.of, String::new(), item.names.clone(), parts)
    }

    /// The object `id` without the members at `positions`.
    pub fn without(&mut self, id: Id, positions: &[usize]) -> Id {
        if positions.is_empty() {
            return id;
        }
        let item = self.get(id);
        let (mut names, mut parts) = (Vec::new(), Vec::new());
        for (position, &part) in item.parts.iter().enumerate() {
            if !positions.contains(&position) {
                names.push(item.names.at(position as u32).to_owned());
                parts.push(part);
            }
        }
        self.add(Type::Object, String::new(), Names::new(names), parts)
    }
}
