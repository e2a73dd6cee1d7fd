//! The compiled form of a schema: numbered nodes, each a list of keywords in the order they are checked.

use super::format::Format;
use super::values::Id;
use crate::json::Number;
use crate::order::NameMap;
use std::cmp::Ordering;
use std::mem::discriminant;

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

/// The types of JSON, scalars before containers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
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

    /// The type with integers counted as numbers.
    pub fn number(self) -> Self {
        if self == Self::Integer {
            Self::Number
        } else {
            self
        }
    }

    /// With its article, for issues.
    pub fn words(self) -> &'static str {
        let entry = Self::NAMES.iter().find(|entry| entry.0 == self);
        entry.map_or("", |entry| entry.2)
    }
}

/// `type`: the named types in their order.
#[derive(Default)]
pub(super) struct Types {
    pub list: Vec<Type>,
    /// Written as one string and not as a list; only that form takes part in the first conversions.
    pub single: bool,
    /// A name that is no type, empty without one. With no known name beside it nothing is accepted.
    pub unknown: String,
}

/// `enum`, or `const` with its one value.
pub(super) struct Choices {
    /// In the constants of the schema.
    pub values: Vec<Id>,
    /// The [`key`](super::text::key) of each.
    pub keys: NameMap,
    pub constant: bool,
}

/// What a limit measures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// The length of a string in code points.
    Length,
    /// A number itself.
    Value,
    /// How many members an object has.
    Members,
    /// How many items an array has.
    Items,
}

/// A keyword that bounds a measure.
pub(super) struct Limit {
    pub of: Measure,
    /// Whether it is a lower bound.
    pub least: bool,
    /// Whether the bound itself is allowed.
    pub equal: bool,
    /// What is asked for, the bound following, and what follows the bound.
    pub words: [&'static str; 2],
}

impl Limit {
    /// Whether a measure that stands so to the bound is within it.
    pub fn allows(&self, order: Ordering) -> bool {
        match order {
            Ordering::Less => !self.least,
            Ordering::Equal => self.equal,
            Ordering::Greater => self.least,
        }
    }
}

const fn limit(of: Measure, least: bool, equal: bool, words: [&'static str; 2]) -> Limit {
    Limit { of, least, equal, words }
}

/// Those of strings, of numbers, of objects and of arrays.
pub(super) static LIMITS: [Limit; 10] = [
    limit(Measure::Length, true, true, ["must have at least ", " characters"]),
    limit(Measure::Length, false, true, ["must have at most ", " characters"]),
    limit(Measure::Value, true, true, ["must be at least ", ""]),
    limit(Measure::Value, false, true, ["must be at most ", ""]),
    limit(Measure::Value, true, false, ["must be greater than ", ""]),
    limit(Measure::Value, false, false, ["must be less than ", ""]),
    limit(Measure::Members, true, true, ["must have at least ", " properties"]),
    limit(Measure::Members, false, true, ["must have at most ", " properties"]),
    limit(Measure::Items, true, true, ["must have at least ", " items"]),
    limit(Measure::Items, false, true, ["must have at most ", " items"]),
];

/// `properties`, `patternProperties`, `additionalProperties` and `propertyNames`, which look at each other.
#[derive(Default)]
pub(super) struct ObjectRules {
    /// In document order.
    pub properties: Vec<(String, NodeId)>,
    /// The same by name.
    pub by_name: NameMap,
    pub patterns: Vec<(String, NodeId)>,
    pub additional: Option<NodeId>,
    pub names: Option<NodeId>,
    /// `properties` is there, maybe empty.
    pub declares: bool,
}

impl ObjectRules {
    /// The schema of a declared property.
    pub fn property(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).map(|node| node as NodeId)
    }
}

/// `prefixItems` and `items`, or the array form of `items` and `additionalItems`.
pub(super) struct ArrayRules {
    pub prefix: Vec<NodeId>,
    pub rest: Option<NodeId>,
    /// The array form of draft 7: conversions leave its `rest` alone.
    pub old_form: bool,
}

/// `required`, or one of `dependentRequired`.
pub(super) struct Required {
    pub names: Vec<String>,
    /// The member beside which they are required.
    pub beside: Option<String>,
}

/// How the outcomes of a keyword's subschemas become its own.
#[derive(Clone, Copy)]
pub(super) enum Join {
    All,
    Any,
    One,
    Not,
    /// `if`: the outcome chooses what counts.
    Choose {
        then: NodeId,
        otherwise: NodeId,
    },
    /// `contains`; matching items count as evaluated since 2020-12.
    Count {
        min: u32,
        max: u32,
        marks: bool,
    },
}

/// A keyword with its operand. (A plain tag instead of one folded into the operands makes the code that looks at it
/// smaller.)
#[repr(u8)]
pub(super) enum Keyword {
    /// No value is allowed, for the reason given (empty for the schema `false`).
    Never(String),
    Type(Types),
    Choices(Box<Choices>),
    Limit(&'static Limit, Number),
    Pattern(String),
    Format(Box<Format>),
    MultipleOf(Number),
    Required(Required),
    UniqueItems,
    Object(Box<ObjectRules>),
    /// The schema that holds where there is a member of that name.
    DependentSchema(String, NodeId),
    Array(ArrayRules),
    Contains(NodeId, Join),
    /// `allOf`, `anyOf`, `oneOf`, `not`, and the condition of `if`.
    Branches(Join, Vec<NodeId>),
    Ref(NodeId),
    /// The name of the anchor, and what is meant where no resource has it.
    DynamicRef(String, NodeId),
    /// `unevaluatedProperties` or `unevaluatedItems`.
    Unevaluated(NodeId, Type),
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
    operand!(object, Object, Box<ObjectRules>);
    operand!(array, Array, ArrayRules);
    operand!(reference, Ref, NodeId);

    /// Whether a member of that name is required, whatever else there is.
    pub fn requires(&self, name: &String) -> bool {
        self.keywords.iter().any(|keyword| match keyword {
            Keyword::Required(required) => required.beside.is_none() && required.names.contains(name),
            _ => false,
        })
    }

    /// `const` or `enum`.
    pub fn choices(&self, constant: bool) -> Option<&Choices> {
        self.keywords.iter().find_map(|keyword| match keyword {
            Keyword::Choices(choices) if choices.constant == constant => Some(&**choices),
            _ => None,
        })
    }

    /// The branches of `allOf`, `anyOf` or `oneOf`; none without the keyword.
    pub fn branches(&self, wanted: Join) -> Option<&[NodeId]> {
        self.keywords.iter().find_map(|keyword| match keyword {
            Keyword::Branches(join, nodes) if discriminant(join) == discriminant(&wanted) => Some(nodes.as_slice()),
            _ => None,
        })
    }

    /// Whether evaluated members and items have to be remembered.
    pub fn collects(&self) -> bool {
        matches!(self.keywords.last(), Some(Keyword::Unevaluated(..)))
    }
}
