//! From a schema object to its list of keywords.

use super::compile::{Compiler, Reference};
use super::dialect::Dialect;
use super::format::Format;
use super::node::{ArrayRules, Choices, Join, Keyword, Measure, NodeId, ObjectRules, Type, Types, LIMITS, TRUE};
use super::{text, uri};
use crate::json::{Number, Object, Value};
use crate::order::NameMap;

/// Reads one schema object. The keywords come in the order in which their issues are reported; operands of the wrong
/// type are left out.
pub(super) fn read<'d>(compiler: &mut Compiler<'d, '_>, id: NodeId, object: &'d Object, resource: u32) -> Vec<Keyword> {
    let dialect = compiler.resource(resource).map_or(Dialect::Unknown, |resource| resource.dialect);
    let mut reader = Reader { compiler, object, resource, id, dialect, out: Vec::new() };
    if dialect == Dialect::Unknown {
        reader.add(Keyword::Never("the tool's schema names an unsupported dialect in $schema".to_owned()));
        return reader.out;
    }
    if !(reader.draft7() && reader.text("$ref").is_some()) {
        reader.values();
        reader.strings();
        reader.limits(Measure::Value);
        if let Some(divisor) = reader.number("multipleOf") {
            reader.add(Keyword::MultipleOf(divisor));
        }
        reader.objects();
        reader.arrays();
        reader.branches();
    }
    // Subschemas that take no part in a check and may hold what references name.
    reader.named("$defs");
    reader.named("definitions");
    reader.references();
    if !reader.draft7() {
        reader.unevaluated("unevaluatedProperties", Type::Object);
        reader.unevaluated("unevaluatedItems", Type::Array);
    }
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
    fn add(&mut self, keyword: Keyword) {
        self.out.push(keyword);
    }

    fn draft7(&self) -> bool {
        self.dialect == Dialect::Draft7
    }

    fn get(&self, name: &str) -> Option<&'d Value> {
        self.object.get(name)
    }

    /// An operand that draft 7 does not have.
    fn newer(&self, name: &str) -> Option<&'d Value> {
        self.get(name).filter(|_| !self.draft7())
    }

    fn text(&self, name: &str) -> Option<&'d str> {
        self.get(name).and_then(Value::as_str)
    }

    fn list(&self, name: &str) -> Option<&'d [Value]> {
        self.get(name).and_then(Value::as_array)
    }

    fn number(&self, name: &str) -> Option<Number> {
        self.get(name).and_then(Value::as_number).cloned()
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

    fn named(&mut self, name: &str) -> Vec<(String, NodeId)> {
        let mut nodes = Vec::new();
        if let Some(Value::Object(members)) = self.get(name) {
            for (key, value) in members.iter() {
                nodes.push((key.to_owned(), self.node(value)));
            }
        }
        nodes
    }

    fn limits(&mut self, of: Measure) {
        for limit in &LIMITS {
            if limit.of == of {
                if let Some(bound) = self.number(limit.name) {
                    self.add(Keyword::Limit(limit, bound));
                }
            }
        }
    }

    fn values(&mut self) {
        let mut types = Types::default();
        let listed = match self.get("type") {
            Some(Value::Array(names)) => names,
            Some(name) => {
                types.single = true;
                std::slice::from_ref(name)
            }
            None => &[],
        };
        for name in listed {
            match name.as_str().map(|name| (name, Type::named(name))) {
                Some((_, Some(named))) => types.list.push(named),
                Some((name, None)) => types.unknown = name.to_owned(),
                None => {}
            }
        }
        if !listed.is_empty() {
            self.add(Keyword::Type(types));
        }
        if let Some(values) = self.list("enum") {
            self.choices(values, false);
        }
        if let Some(value) = self.get("const") {
            self.choices(std::slice::from_ref(value), true);
        }
    }

    fn choices(&mut self, list: &[Value], constant: bool) {
        let constants = &mut self.compiler.constants;
        let (mut values, mut keys) = (Vec::new(), NameMap::default());
        for value in list {
            let id = constants.load(value);
            keys.set(&text::key(constants, id), 0);
            values.push(id);
        }
        self.add(Keyword::Choices(Box::new(Choices { values, keys, constant })));
    }

    fn strings(&mut self) {
        self.limits(Measure::Length);
        if let Some(pattern) = self.text("pattern") {
            self.add(Keyword::Pattern(pattern.to_owned()));
        }
        let format = self.text("format").filter(|_| self.compiler.options.formats);
        if let Some(format) = format.and_then(Format::named) {
            self.add(Keyword::Format(format));
        }
    }

    fn objects(&mut self) {
        if let Some(names) = self.list("required") {
            self.add(Keyword::Required(strings(names)));
        }
        let mut rules = ObjectRules {
            properties: self.named("properties"),
            by_name: NameMap::default(),
            patterns: self.named("patternProperties"),
            additional: self.schema("additionalProperties"),
            names: self.schema("propertyNames"),
            declares: self.get("properties").is_some_and(|value| value.as_object().is_some()),
        };
        for (name, node) in &rules.properties {
            rules.by_name.set(name, *node as usize);
        }
        if rules.declares || !rules.patterns.is_empty() || rules.additional.or(rules.names).is_some() {
            self.add(Keyword::Object(Box::new(rules)));
        }
        self.limits(Measure::Members);
        self.dependencies();
    }

    /// `dependentRequired` and `dependentSchemas`, and `dependencies`, which draft 7 used for both.
    fn dependencies(&mut self) {
        let mut names = Vec::new();
        let mut nodes = Vec::new();
        for name in ["dependentRequired", "dependencies", "dependentSchemas"] {
            let Some(Value::Object(members)) = self.get(name).filter(|_| name == "dependencies" || !self.draft7())
            else {
                continue;
            };
            for (key, value) in members.iter() {
                match value {
                    Value::Array(list) => names.push((key.to_owned(), strings(list))),
                    schema => nodes.push((key.to_owned(), self.node(schema))),
                }
            }
        }
        if !names.is_empty() {
            self.add(Keyword::DependentRequired(names));
        }
        if !nodes.is_empty() {
            self.add(Keyword::DependentSchemas(nodes));
        }
    }

    fn arrays(&mut self) {
        let prefix = self.list("prefixItems").filter(|_| self.dialect == Dialect::Draft2020);
        let tuple = self.list("items");
        let rules = ArrayRules {
            prefix: self.schemas(tuple.or(prefix).unwrap_or_default()),
            rest: self.schema(if tuple.is_some() { "additionalItems" } else { "items" }),
            old_form: tuple.is_some(),
        };
        if rules.old_form || !rules.prefix.is_empty() || rules.rest.is_some() {
            self.add(Keyword::Array(rules));
        }
        self.limits(Measure::Items);
        if self.get("uniqueItems").and_then(Value::as_bool) == Some(true) {
            self.add(Keyword::UniqueItems);
        }
        if let Some(node) = self.schema("contains") {
            let bound = |name| self.newer(name).and_then(Value::as_f64).map(|bound| bound.ceil() as u32);
            let (min, max) = (bound("minContains").unwrap_or(1), bound("maxContains").unwrap_or(u32::MAX));
            self.add(Keyword::Contains(node, Join::Count { min, max, marks: !self.draft7() }));
        }
    }

    fn branches(&mut self) {
        for (name, join) in [("allOf", Join::All), ("anyOf", Join::Any), ("oneOf", Join::One)] {
            if let Some(list) = self.list(name) {
                let nodes = self.schemas(list);
                self.add(Keyword::Branches(join, nodes));
            }
        }
        let excluded = self.schema("not");
        self.branch(Join::Not, excluded);
        let condition = self.schema("if");
        // Read in any case: a reference may point into them.
        let (then, otherwise) = (self.schema("then").unwrap_or(TRUE), self.schema("else").unwrap_or(TRUE));
        self.branch(Join::Choose { then, otherwise }, condition);
    }

    fn branch(&mut self, join: Join, node: Option<NodeId>) {
        if let Some(node) = node {
            self.add(Keyword::Branches(join, vec![node]));
        }
    }

    fn references(&mut self) {
        if let Some(text) = self.text("$ref") {
            self.reference(text, Keyword::Ref(TRUE));
        }
        if let Some(text) = self.newer("$dynamicRef").and_then(Value::as_str) {
            let (_, name) = uri::split_fragment(text);
            self.reference(text, Keyword::DynamicRef(name.to_owned(), TRUE));
        }
        if self.newer("$recursiveRef").is_some() {
            self.add(Keyword::Never("the tool's schema uses $recursiveRef, which is not supported".to_owned()));
        }
    }

    fn reference(&mut self, text: &'d str, keyword: Keyword) {
        let (node, place) = (self.id, self.out.len());
        self.compiler.unlinked.push(Reference { node, place, text, resource: self.resource });
        self.add(keyword);
    }

    fn unevaluated(&mut self, name: &str, of: Type) {
        if let Some(node) = self.schema(name) {
            self.add(Keyword::Unevaluated(node, of));
        }
    }
}

/// The strings of a list.
fn strings(list: &[Value]) -> Vec<String> {
    let mut out = Vec::new();
    for text in list {
        if let Some(text) = text.as_str() {
            out.push(text.to_owned());
        }
    }
    out
}
