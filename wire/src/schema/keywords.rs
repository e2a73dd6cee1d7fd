//! From a schema object to its list of keywords.

use super::compile::{Compiler, Reference};
use super::dialect::Dialect;
use super::equal;
use super::format::Format;
use super::node::{ArrayRules, Choices, Keyword, NodeId, ObjectRules, Type, Types, TRUE};
use crate::json::{Number, Object, Value};
use crate::order::sorted_positions;

/// Reads one schema object. The order is that of [`Keyword`]'s variants; operands of the wrong type are left out.
pub(super) fn read<'d>(compiler: &mut Compiler<'d, '_>, id: NodeId, object: &'d Object, resource: u32) -> Vec<Keyword> {
    let dialect = compiler.resource(resource).map(|resource| resource.dialect.clone()).unwrap_or_default();
    if let Some(reason) = dialect.refused {
        return vec![Keyword::Never(reason)];
    }
    let mut reader = Reader { compiler, object, resource, id, dialect, out: Vec::new() };
    if !(reader.dialect.draft7 && reader.text("$ref").is_some()) {
        reader.values();
        reader.strings();
        reader.numbers();
        reader.objects();
        reader.arrays();
        reader.branches();
    } else {
        reader.inert();
    }
    reader.references();
    if !reader.dialect.draft7 {
        reader.unevaluated();
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
    fn get(&self, name: &str) -> Option<&'d Value> {
        self.object.get(name)
    }

    /// An operand of the validation vocabulary.
    fn assertion(&self, name: &str) -> Option<&'d Value> {
        self.get(name).filter(|_| self.dialect.assertions)
    }

    fn text(&self, name: &str) -> Option<&'d str> {
        self.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Option<Number> {
        self.assertion(name).and_then(Value::as_number).cloned()
    }

    /// A count; one with a fraction asks for the next whole number above.
    fn count(&self, name: &str) -> Option<u64> {
        self.number(name).map(|number| number.as_f64().ceil() as u64)
    }

    fn node(&mut self, value: &'d Value) -> NodeId {
        self.compiler.node(value, self.resource)
    }

    fn schema(&mut self, name: &str) -> Option<NodeId> {
        self.get(name).map(|value| self.node(value))
    }

    fn schemas(&mut self, name: &str) -> Option<Vec<NodeId>> {
        let list = self.get(name)?.as_array()?;
        Some(list.iter().map(|value| self.node(value)).collect())
    }

    fn named(&mut self, name: &str) -> Vec<(Box<str>, NodeId)> {
        let members = self.get(name).and_then(Value::as_object);
        let members = members.into_iter().flat_map(Object::iter);
        members.map(|(key, value)| (key.into(), self.node(value))).collect()
    }

    fn push(&mut self, keyword: Option<Keyword>) {
        self.out.extend(keyword);
    }

    fn values(&mut self) {
        let types = self.assertion("type").and_then(types).map(Keyword::Type);
        self.push(types);
        let listed = self.assertion("enum").and_then(Value::as_array);
        self.push(listed.map(|values| Keyword::Enum(choices(values))));
        let constant = self.assertion("const");
        self.push(constant.map(|value| Keyword::Const(choices(std::slice::from_ref(value)))));
    }

    fn strings(&mut self) {
        self.push(self.count("minLength").map(Keyword::MinLength));
        self.push(self.count("maxLength").map(Keyword::MaxLength));
        let pattern = self.assertion("pattern").and_then(Value::as_str);
        self.push(pattern.map(|pattern| Keyword::Pattern(pattern.into())));
        let format = self.text("format").filter(|_| self.dialect.formats);
        self.push(format.and_then(Format::named).map(Keyword::Format));
    }

    fn numbers(&mut self) {
        self.push(self.number("minimum").map(Keyword::Minimum));
        self.push(self.number("maximum").map(Keyword::Maximum));
        self.push(self.number("exclusiveMinimum").map(Keyword::ExclusiveMinimum));
        self.push(self.number("exclusiveMaximum").map(Keyword::ExclusiveMaximum));
        self.push(self.number("multipleOf").map(Keyword::MultipleOf));
    }

    fn objects(&mut self) {
        let required = self.assertion("required").and_then(Value::as_array);
        self.push(required.map(|names| Keyword::Required(strings(names))));
        let properties = self.named("properties");
        let name = |position: usize| properties.get(position).map(|(name, _)| name);
        let sorted = sorted_positions(properties.len(), &mut |a, b| name(a).cmp(&name(b)));
        let rules = ObjectRules {
            sorted,
            properties,
            patterns: self.named("patternProperties"),
            additional: self.schema("additionalProperties"),
            names: self.schema("propertyNames"),
            declares: self.get("properties").is_some_and(|value| value.as_object().is_some()),
        };
        let some = rules.declares || !rules.patterns.is_empty() || rules.additional.is_some() || rules.names.is_some();
        self.push(some.then(|| Keyword::Object(Box::new(rules))));
        self.push(self.count("minProperties").map(Keyword::MinProperties));
        self.push(self.count("maxProperties").map(Keyword::MaxProperties));
        self.dependencies();
    }

    /// `dependentRequired` and `dependentSchemas`, and `dependencies`, which draft 7 used for both.
    fn dependencies(&mut self) {
        let mut names = Vec::new();
        let mut nodes = Vec::new();
        let new = if self.dialect.draft7 { None } else { self.assertion("dependentRequired") };
        let old = self.get("dependencies");
        for (key, value) in [new, old].into_iter().flatten().filter_map(Value::as_object).flat_map(Object::iter) {
            match value {
                Value::Array(list) => names.push((key.into(), strings(list))),
                schema => nodes.push((key.into(), self.node(schema))),
            }
        }
        if !self.dialect.draft7 {
            nodes.append(&mut self.named("dependentSchemas"));
        }
        self.push((!names.is_empty()).then_some(Keyword::DependentRequired(names)));
        self.push((!nodes.is_empty()).then_some(Keyword::DependentSchemas(nodes)));
    }

    fn arrays(&mut self) {
        let draft7 = self.dialect.draft7;
        let rules = match self.schemas("items") {
            Some(prefix) => ArrayRules { prefix, rest: self.schema("additionalItems"), old_form: true },
            None => ArrayRules {
                prefix: self.schemas("prefixItems").filter(|_| !self.dialect.old_tuples).unwrap_or_default(),
                rest: self.schema("items"),
                old_form: false,
            },
        };
        let some = rules.old_form || !rules.prefix.is_empty() || rules.rest.is_some();
        self.push(some.then_some(Keyword::Array(rules)));
        self.push(self.count("minItems").map(Keyword::MinItems));
        self.push(self.count("maxItems").map(Keyword::MaxItems));
        let unique = self.assertion("uniqueItems") == Some(&Value::Bool(true));
        self.push(unique.then_some(Keyword::UniqueItems));
        if let Some(node) = self.schema("contains") {
            self.out.push(Keyword::Contains {
                node,
                min: self.count("minContains").filter(|_| !draft7).unwrap_or(1),
                max: self.count("maxContains").filter(|_| !draft7),
                marks: !draft7,
            });
        }
    }

    fn branches(&mut self) {
        let all_of = self.schemas("allOf").map(Keyword::AllOf);
        self.push(all_of);
        let any_of = self.schemas("anyOf").map(Keyword::AnyOf);
        self.push(any_of);
        let one_of = self.schemas("oneOf").map(Keyword::OneOf);
        self.push(one_of);
        let not = self.schema("not").map(Keyword::Not);
        self.push(not);
        if let Some(condition) = self.schema("if") {
            let keyword = Keyword::If {
                condition,
                then: self.schema("then").unwrap_or(TRUE),
                otherwise: self.schema("else").unwrap_or(TRUE),
            };
            self.out.push(keyword);
        } else {
            // Ignored, but a reference may point into them.
            self.schema("then");
            self.schema("else");
        }
        self.inert();
    }

    /// Subschemas that take no part in a check and may hold what references name.
    fn inert(&mut self) {
        for name in ["$defs", "definitions"] {
            self.named(name);
        }
    }

    fn references(&mut self) {
        if let Some(text) = self.text("$ref") {
            self.reference(text, Keyword::Ref(TRUE));
        }
        if self.dialect.draft7 {
            return;
        }
        if let Some(text) = self.text("$dynamicRef") {
            let (_, name) = super::uri::split_fragment(text);
            let keyword = Keyword::DynamicRef { name: name.into(), fallback: TRUE };
            self.reference(text, keyword);
        }
        if self.get("$recursiveRef").is_some() {
            self.out.push(Keyword::Never("the tool's schema uses $recursiveRef, which is not supported".into()));
        }
    }

    fn reference(&mut self, text: &'d str, keyword: Keyword) {
        self.compiler.unlinked.push(Reference { node: self.id, place: self.out.len(), text, resource: self.resource });
        self.out.push(keyword);
    }

    fn unevaluated(&mut self) {
        for (name, of) in [("unevaluatedProperties", Type::Object), ("unevaluatedItems", Type::Array)] {
            let keyword = self.schema(name).map(|node| Keyword::Unevaluated { node, of });
            self.push(keyword);
        }
    }
}

fn types(value: &Value) -> Option<Types> {
    let names: Vec<&str> = match value {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(Types {
        list: names.iter().copied().filter_map(Type::named).collect(),
        single: value.as_str().is_some(),
        unknown: names.iter().find(|name| Type::named(name).is_none()).map(|&name| name.into()),
    })
}

fn choices(values: &[Value]) -> Choices {
    let keys: Vec<String> = values.iter().map(equal::key_of).collect();
    let order = sorted_positions(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    let keys = order.into_iter().filter_map(|position| keys.get(position).cloned()).collect();
    Choices { values: values.to_vec(), keys }
}

/// The strings of a list.
fn strings(list: &[Value]) -> Vec<Box<str>> {
    list.iter().filter_map(Value::as_str).map(Into::into).collect()
}
