//! From a schema object to its list of keywords.

use super::compile::{Compiler, Reference};
use super::dialect::Dialect;
use super::format::Format;
use super::node::{ArrayRules, Choices, Join, Keyword, NodeId, ObjectRules, Required, Type, Types, LIMITS, TRUE};
use super::{text, uri};
use crate::json::{Object, Value};
use crate::order::NameMap;

/// What is made of the value of a keyword.
enum Read {
    Type,
    /// `enum`, or `const`.
    Choices,
    Constant,
    /// Of that number.
    Limit(u8),
    Pattern,
    Format,
    MultipleOf,
    Required,
    /// The keywords about the members of an object that look at each other, and in the same way those below.
    Members,
    Dependencies,
    Items,
    Unique,
    Contains,
    AllOf,
    AnyOf,
    OneOf,
    Not,
    If,
    /// Subschemas that take no part in a check and may hold what references name.
    Definitions,
    Ref,
    DynamicRef,
    RecursiveRef,
    Unevaluated(Type),
}

/// What draft 7 ignores beside `$ref`, in the order in which issues are reported. Keywords that are read together stand
/// under the name of one of them.
static CHECKS: [(&str, Read); 27] = [
    ("type", Read::Type),
    ("enum", Read::Choices),
    ("const", Read::Constant),
    ("minLength", Read::Limit(0)),
    ("maxLength", Read::Limit(1)),
    ("pattern", Read::Pattern),
    ("format", Read::Format),
    ("minimum", Read::Limit(2)),
    ("maximum", Read::Limit(3)),
    ("exclusiveMinimum", Read::Limit(4)),
    ("exclusiveMaximum", Read::Limit(5)),
    ("multipleOf", Read::MultipleOf),
    ("required", Read::Required),
    ("properties", Read::Members),
    ("minProperties", Read::Limit(6)),
    ("maxProperties", Read::Limit(7)),
    ("dependencies", Read::Dependencies),
    ("items", Read::Items),
    ("minItems", Read::Limit(8)),
    ("maxItems", Read::Limit(9)),
    ("uniqueItems", Read::Unique),
    ("contains", Read::Contains),
    ("allOf", Read::AllOf),
    ("anyOf", Read::AnyOf),
    ("oneOf", Read::OneOf),
    ("not", Read::Not),
    ("if", Read::If),
];

/// The rest.
static OTHERS: [(&str, Read); 7] = [
    ("$defs", Read::Definitions),
    ("definitions", Read::Definitions),
    ("$ref", Read::Ref),
    ("$dynamicRef", Read::DynamicRef),
    ("$recursiveRef", Read::RecursiveRef),
    ("unevaluatedProperties", Read::Unevaluated(Type::Object)),
    ("unevaluatedItems", Read::Unevaluated(Type::Array)),
];

/// Reads one schema object; operands of the wrong type are left out.
pub(super) fn read<'d>(compiler: &mut Compiler<'d, '_>, id: NodeId, object: &'d Object, resource: u32) -> Vec<Keyword> {
    let dialect = compiler.resource(resource).map_or(Dialect::Unknown, |resource| resource.dialect);
    let mut reader = Reader { compiler, object, resource, id, dialect, out: Vec::new() };
    if dialect == Dialect::Unknown {
        reader.never("the tool's schema names an unsupported dialect in $schema");
        return reader.out;
    }
    if !reader.old() || object.get("$ref").and_then(Value::as_str).is_none() {
        reader.read_all(&CHECKS);
    }
    reader.read_all(&OTHERS);
    reader.out
}

struct Reader<'c, 'd, 'o> {
    compiler: &'c mut Compiler<'d, 'o>,
    object: &'d Object,
    resource: u32,
    id: NodeId,
    dialect: Dialect,
    out: Vec<Keyword>,
}

impl<'d> Reader<'_, 'd, '_> {
    fn read_all(&mut self, keywords: &'static [(&str, Read)]) {
        for (name, read) in keywords {
            let value = self.object.get(name);
            if let Some(keyword) = self.keyword(read, value) {
                self.out.push(keyword);
            }
        }
    }

    fn keyword(&mut self, read: &'static Read, value: Option<&'d Value>) -> Option<Keyword> {
        // What is read together may be there without its name.
        match read {
            Read::Members => return self.members(),
            Read::Dependencies => {
                self.dependencies();
                return None;
            }
            Read::Items => return self.items(),
            Read::If => return self.condition(),
            _ => {}
        }
        let value = value?;
        Some(match (read, value) {
            (Read::Type, _) => types(value)?,
            (Read::Choices, Value::Array(values)) => self.choices(values, false),
            (Read::Constant, _) => self.choices(std::slice::from_ref(value), true),
            (Read::Limit(number), Value::Number(bound)) => {
                Keyword::Limit(LIMITS.get(usize::from(*number))?, bound.clone())
            }
            (Read::MultipleOf, Value::Number(divisor)) => Keyword::MultipleOf(divisor.clone()),
            (Read::Pattern, Value::String(pattern)) => Keyword::Pattern(pattern.clone()),
            (Read::Format, Value::String(name)) if self.compiler.options.formats => {
                Keyword::Format(Box::new(Format::named(name)?))
            }
            (Read::Required, Value::Array(names)) => required(names, None),
            (Read::Unique, Value::Bool(true)) => Keyword::UniqueItems,
            (Read::Contains, _) => self.contains(value),
            (Read::AllOf, Value::Array(list)) => Keyword::Branches(Join::All, self.schemas(list)),
            (Read::AnyOf, Value::Array(list)) => Keyword::Branches(Join::Any, self.schemas(list)),
            (Read::OneOf, Value::Array(list)) => Keyword::Branches(Join::One, self.schemas(list)),
            (Read::Not, _) => Keyword::Branches(Join::Not, vec![self.node(value)]),
            (Read::Definitions, _) => {
                self.named(Some(value));
                return None;
            }
            (Read::Ref, Value::String(text)) => self.reference(text, Keyword::Ref(TRUE)),
            _ if self.old() => return None,
            (Read::DynamicRef, Value::String(text)) => {
                let (_, name) = uri::split_fragment(text);
                self.reference(text, Keyword::DynamicRef(name.to_owned(), TRUE))
            }
            (Read::RecursiveRef, _) => {
                Keyword::Never("the tool's schema uses $recursiveRef, which is not supported".to_owned())
            }
            (Read::Unevaluated(of), _) => Keyword::Unevaluated(self.node(value), *of),
            _ => return None,
        })
    }

    fn never(&mut self, reason: &str) {
        self.out.push(Keyword::Never(reason.to_owned()));
    }

    /// Whether it is draft 7, which does not know what later drafts brought.
    fn old(&self) -> bool {
        self.dialect == Dialect::Draft7
    }

    fn get(&self, name: &str) -> Option<&'d Value> {
        self.object.get(name)
    }

    fn node(&mut self, value: &'d Value) -> NodeId {
        self.compiler.node(value, self.resource)
    }

    fn schema(&mut self, name: &str) -> Option<NodeId> {
        self.get(name).map(|value| self.node(value))
    }

    fn schemas(&mut self, list: &'d [Value]) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        for value in list {
            nodes.push(self.node(value));
        }
        nodes
    }

    fn named(&mut self, schemas: Option<&'d Value>) -> Vec<(String, NodeId)> {
        let mut nodes = Vec::new();
        if let Some(Value::Object(members)) = schemas {
            for (key, value) in members.iter() {
                nodes.push((key.to_owned(), self.node(value)));
            }
        }
        nodes
    }

    fn choices(&mut self, list: &[Value], constant: bool) -> Keyword {
        let constants = &mut self.compiler.constants;
        let (mut values, mut keys) = (Vec::new(), NameMap::default());
        for value in list {
            let id = constants.load(value);
            keys.set(&text::key(constants, id), 0);
            values.push(id);
        }
        Keyword::Choices(Box::new(Choices { values, keys, constant }))
    }

    fn members(&mut self) -> Option<Keyword> {
        let properties = self.get("properties");
        let mut rules = ObjectRules {
            properties: self.named(properties),
            by_name: NameMap::default(),
            patterns: self.named(self.get("patternProperties")),
            additional: self.schema("additionalProperties"),
            names: self.schema("propertyNames"),
            declares: matches!(properties, Some(Value::Object(_))),
        };
        for (name, node) in &rules.properties {
            rules.by_name.set(name, *node as usize);
        }
        let some = rules.declares || !rules.patterns.is_empty() || rules.additional.or(rules.names).is_some();
        some.then(|| Keyword::Object(Box::new(rules)))
    }

    /// `dependentRequired` and `dependentSchemas`, and `dependencies`, which draft 7 used for both.
    fn dependencies(&mut self) {
        let mut nodes = Vec::new();
        for name in ["dependentRequired", "dependencies", "dependentSchemas"] {
            let members = self.get(name).and_then(Value::as_object);
            let Some(members) = members.filter(|_| name == "dependencies" || !self.old()) else {
                continue;
            };
            for (key, value) in members.iter() {
                match value {
                    Value::Array(list) => self.out.push(required(list, Some(key.to_owned()))),
                    schema => nodes.push(Keyword::DependentSchema(key.to_owned(), self.node(schema))),
                }
            }
        }
        self.out.append(&mut nodes);
    }

    fn items(&mut self) -> Option<Keyword> {
        let prefix = self.get("prefixItems").filter(|_| self.dialect == Dialect::Draft2020).and_then(Value::as_array);
        let tuple = self.get("items").and_then(Value::as_array);
        let rules = ArrayRules {
            prefix: self.schemas(tuple.or(prefix).unwrap_or_default()),
            rest: self.schema(if tuple.is_some() { "additionalItems" } else { "items" }),
            old_form: tuple.is_some(),
        };
        (rules.old_form || !rules.prefix.is_empty() || rules.rest.is_some()).then_some(Keyword::Array(rules))
    }

    fn contains(&mut self, value: &'d Value) -> Keyword {
        let marks = !self.old();
        let bound = |name| Some(self.get(name).filter(|_| marks)?.as_f64()?.ceil() as u32);
        let (min, max) = (bound("minContains").unwrap_or(1), bound("maxContains").unwrap_or(u32::MAX));
        Keyword::Contains(self.node(value), Join::Count { min, max, marks })
    }

    fn condition(&mut self) -> Option<Keyword> {
        let condition = self.schema("if");
        // Read in any case: a reference may point into them.
        let (then, otherwise) = (self.schema("then").unwrap_or(TRUE), self.schema("else").unwrap_or(TRUE));
        Some(Keyword::Branches(Join::Choose { then, otherwise }, vec![condition?]))
    }

    fn reference(&mut self, text: &'d str, keyword: Keyword) -> Keyword {
        let (node, place) = (self.id, self.out.len());
        self.compiler.unlinked.push(Reference { node, place, text, resource: self.resource });
        keyword
    }
}

fn types(value: &Value) -> Option<Keyword> {
    let mut types = Types { single: !matches!(value, Value::Array(_)), ..Types::default() };
    let listed = value.as_array().unwrap_or(std::slice::from_ref(value));
    for name in listed {
        match name.as_str().map(|name| (name, Type::named(name))) {
            Some((_, Some(named))) => types.list.push(named),
            Some((name, None)) => types.unknown = name.to_owned(),
            None => {}
        }
    }
    (!listed.is_empty()).then_some(Keyword::Type(types))
}

fn required(list: &[Value], beside: Option<String>) -> Keyword {
    let mut names = Vec::new();
    for name in list {
        if let Some(name) = name.as_str() {
            names.push(name.to_owned());
        }
    }
    Keyword::Required(Required { names, beside })
}
