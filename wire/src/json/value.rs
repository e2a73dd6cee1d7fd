//! A JSON document in memory.

use super::{Number, Object};

/// Any JSON value.
///
/// The readers of this crate make at most [`MAX_DEPTH`](super::MAX_DEPTH) levels, so dropping, cloning and comparing
/// (which recurse) stay shallow. Code that nests values by hand has to keep that limit itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number with its exact digits.
    Number(Number),
    /// A string; lone surrogate escapes of the source are U+FFFD here.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object, members in order.
    Object(Object),
}

impl Value {
    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The nearest double, if it is a number.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member `key`, if it is an object that has one.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }
}

/// `null`
impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::Null
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// NaN and the infinities become `null`, as in `JSON.stringify`.
impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Number::from_f64(value).map_or(Self::Null, Self::Number)
    }
}

macro_rules! from_parts {
    ($($part:ty => $variant:ident),*) => {$(
        impl From<$part> for Value {
            fn from(part: $part) -> Self {
                Self::$variant(part.into())
            }
        }
    )*};
}
from_parts!(
    i32 => Number, u32 => Number, i64 => Number, u64 => Number, usize => Number, Number => Number,
    &str => String, String => String, Vec<Value> => Array, Object => Object
);

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
