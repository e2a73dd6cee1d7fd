//! The compiled form of a schema: numbered nodes, each a list of keywords in the order they are checked.

use super::format::Format;
use crate::json::{Number, Value};

/// Position of a node in the list of its schema.
pub(super) type NodeId = u32;

/// The schema `true`: no keywords.
pub(super) const TRUE: NodeId = 0;
/// The schema `false`.
pub(super) const FALSE: NodeId = 1;

/// One schema object.
pub(super) struct Node {
    pub keywords: Vec<Keyword>,
    /// The schema resource (document part with its own `$id`) it stands in: `$dynamicRef` looks through them.
    pub resource: u32,
}

/// The types of JSON, as bits.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Type {
    Null = 1,
    Boolean = 2,
    Integer = 4,
    Number = 8,
    String = 16,
    Array = 32,
    Object = 64,
}

impl Type {
    /// Every type with its name in schemas and with the words for a value of it.
    const NAMES: [(Self, &'static str, &'static str); 7] = [
        (Self::Null, "null", "null"),
        (Self::Boolean, "boolean", "a boolean"),
        (Self::Integer, "integer", "an integer"),
        (Self::Number, "number", "a number"),
        (Self::String, "string", "a string"),
        (Self::Array, "array", "an array"),
        (Self::Object, "object", "an object"),
    ];

    pub fn named(name: &str) -> Option<Self> {
        let entry = Self::NAMES.iter().find(|entry| entry.1 == name);
        entry.map(|entry| entry.0)
    }

    /// With its article, for issues.
    pub fn words(self) -> &'static str {
        let entry = Self::NAMES.iter().find(|entry| entry.0 == self);
        entry.map_or("", |entry| entry.2)
    }
}

/// `type`: the named types in their order.
pub(super) struct Types {
    pub list: Vec<Type>,
    /// Written as one string and not as a list; only that form takes part in the first conversions.
    pub single: bool,
    /// A name that is no type: with no known name beside it nothing is accepted.
    pub unknown: Option<Box<str>>,
}

/// One or several literal values.
pub(super) struct Choices {
    pub values: Vec<Value>,
    /// [`equal::key`](super::equal::key) of each, sorted.
    pub keys: Vec<String>,
}

/// `properties`, `patternProperties`, `additionalProperties` and `propertyNames`, which look at each other.
#[derive(Default)]
pub(super) struct ObjectRules {
    /// In document order.
    pub properties: Vec<(Box<str>, NodeId)>,
    /// Positions in `properties`, sorted by name.
    pub sorted: Vec<usize>,
    pub patterns: Vec<(Box<str>, NodeId)>,
    pub additional: Option<NodeId>,
    pub names: Option<NodeId>,
    /// `properties` is there, maybe empty.
    pub declares: bool,
}

impl ObjectRules {
    /// The schema of a declared property.
    pub fn property(&self, name: &str) -> Option<NodeId> {
        let entry = |&position: &usize| self.properties.get(position);
        let found = self.sorted.binary_search_by(|position| entry(position).map_or("", |(key, _)| key).cmp(name));
        let position = self.sorted.get(found.ok()?)?;
        entry(position).map(|(_, node)| *node)
    }
}

/// `prefixItems` and `items`, or the array form of `items` and `additionalItems`.
#[derive(Default)]
pub(super) struct ArrayRules {
    pub prefix: Vec<NodeId>,
    pub rest: Option<NodeId>,
    /// The array form of draft 7: conversions leave its `rest` alone.
    pub old_form: bool,
}

/// A keyword with its operand. The order of the variants is the order in which a node checks them, and so the order
/// of issues.
pub(super) enum Keyword {
    /// No value is allowed, for the reason given (empty for the schema `false`).
    Never(Box<str>),
    Type(Types),
    Enum(Choices),
    Const(Choices),
    MinLength(u64),
    MaxLength(u64),
    Pattern(Box<str>),
    Format(Format),
    Minimum(Number),
    Maximum(Number),
    ExclusiveMinimum(Number),
    ExclusiveMaximum(Number),
    MultipleOf(Number),
    Required(Vec<Box<str>>),
    Object(Box<ObjectRules>),
    MinProperties(u64),
    MaxProperties(u64),
    DependentRequired(Vec<(Box<str>, Vec<Box<str>>)>),
    DependentSchemas(Vec<(Box<str>, NodeId)>),
    Array(ArrayRules),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    Contains {
        node: NodeId,
        min: u64,
        max: Option<u64>,
        /// Whether matching items count as evaluated (since 2020-12).
        marks: bool,
    },
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    If {
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    Ref(NodeId),
    DynamicRef {
        name: Box<str>,
        fallback: NodeId,
    },
    /// `unevaluatedProperties` and `unevaluatedItems`.
    Unevaluated {
        node: NodeId,
        of: Type,
    },
}

/// Finds one keyword's operand in a node.
macro_rules! operand {
    ($name:ident, $variant:ident, $type:ty) => {
        pub fn $name(&self) -> Option<&$type> {
            self.keywords.iter().find_map(|keyword| match keyword {
                Keyword::$variant(operand) => Some(operand),
                _ => None,
            })
        }
    };
}

impl Node {
    operand!(types, Type, Types);
    operand!(choices, Enum, Choices);
    operand!(constant, Const, Choices);
    operand!(object, Object, Box<ObjectRules>);
    operand!(array, Array, ArrayRules);
    operand!(required, Required, Vec<Box<str>>);
    operand!(all_of, AllOf, Vec<NodeId>);
    operand!(any_of, AnyOf, Vec<NodeId>);
    operand!(one_of, OneOf, Vec<NodeId>);
    operand!(reference, Ref, NodeId);

    /// Whether evaluated members and items have to be remembered.
    pub fn collects(&self) -> bool {
        matches!(self.keywords.last(), Some(Keyword::Unevaluated { .. }))
    }
}
