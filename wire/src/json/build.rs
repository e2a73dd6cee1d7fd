//! A native value built from the edits of a growing document.

use super::partial::{Edits, Literal, Piece};
use super::{Number, Object, Value};

/// Applies [`Edits`] and shows the object at any time. Each edit costs its own length; [`view`](Self::view) costs the
/// number of open containers.
///
/// Once [`Partial::finish`](super::partial::Partial::finish) says `Complete`, the object is the final value.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    /// The open containers, outermost first; all but the first are missing from their parents, where `null` keeps
    /// their place. After [`view`](Self::view) they are all in place and this holds the root alone.
    open: Vec<Value>,
    /// For every open container but the first, its position in its parent.
    path: Vec<usize>,
    /// Where the string that started last stands in the innermost open container.
    string: usize,
    key: String,
}

impl Builder {
    /// Shows an empty object until the edits open the root.
    pub fn new() -> Self {
        Self::default()
    }

    /// The object so far.
    pub fn view(&mut self) -> &Object {
        static EMPTY: Object = Object::new();
        while self.open.len() > 1 {
            let child = self.open.pop();
            let position = self.path.get(self.open.len() - 1).copied();
            if let (Some(child), Some(position), Some(parent)) = (child, position, self.open.last_mut()) {
                put(parent, position, child);
            }
        }
        self.open.first().and_then(Value::as_object).unwrap_or(&EMPTY)
    }

    /// The object, given away.
    pub fn into_object(mut self) -> Object {
        self.view();
        match self.open.pop() {
            Some(Value::Object(object)) => object,
            _ => Object::new(),
        }
    }

    /// Takes the open containers out of their parents again after a [`view`](Self::view).
    fn detach(&mut self) {
        while !self.open.is_empty() && self.open.len() <= self.path.len() {
            let position = self.path.get(self.open.len() - 1).copied();
            let child = match (self.open.last_mut(), position) {
                (Some(parent), Some(position)) => slot(parent, position).map(std::mem::take),
                _ => None,
            };
            self.open.push(child.unwrap_or_default());
        }
    }

    /// Puts a value where the cursor stands; gives its position in the innermost container.
    fn add(&mut self, value: Value) -> usize {
        self.detach();
        match self.open.last_mut() {
            Some(Value::Array(items)) => {
                items.push(value);
                items.len() - 1
            }
            Some(Value::Object(object)) => {
                let position = object.slot(std::mem::take(&mut self.key));
                if let Some(place) = object.at_mut(position) {
                    *place = value;
                }
                position
            }
            _ => 0,
        }
    }

    fn open(&mut self, container: Value) {
        if !self.open.is_empty() {
            let position = self.add(Value::Null);
            self.path.push(position);
        }
        self.open.push(container);
    }
}

fn slot(parent: &mut Value, position: usize) -> Option<&mut Value> {
    match parent {
        Value::Array(items) => items.get_mut(position),
        Value::Object(object) => object.at_mut(position),
        _ => None,
    }
}

fn put(parent: &mut Value, position: usize, child: Value) {
    if let Some(place) = slot(parent, position) {
        *place = child;
    }
}

impl Edits for Builder {
    fn open_object(&mut self) {
        self.open(Value::Object(Object::new()));
    }

    fn open_array(&mut self) {
        self.open(Value::Array(Vec::new()));
    }

    fn key(&mut self, name: &str) {
        self.key.clear();
        self.key.push_str(name);
    }

    fn string_start(&mut self) {
        self.string = self.add(Value::String(String::new()));
    }

    fn string_append(&mut self, piece: Piece<'_>) {
        self.detach();
        let parent = self.open.last_mut();
        if let Some(Value::String(text)) = parent.and_then(|parent| slot(parent, self.string)) {
            text.push_str(piece.text);
        }
    }

    fn number(&mut self, text: &str) {
        self.add(Value::Number(Number::trusted(text)));
    }

    fn literal(&mut self, value: Literal) {
        self.add(match value {
            Literal::True => Value::Bool(true),
            Literal::False => Value::Bool(false),
            Literal::Null => Value::Null,
        });
    }

    fn close(&mut self) {
        self.detach();
        // The root stays open: it has no parent to go back to.
        let Some(position) = self.path.pop() else {
            return;
        };
        if let (Some(child), Some(parent)) = (self.open.pop(), self.open.last_mut()) {
            put(parent, position, child);
        }
    }
}
