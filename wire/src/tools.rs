//! What the tool declarations of the wires have in common.

use crate::doc::At;
use crate::http::WireError;
use crate::json::{parse, to_text, Value};
use crate::literal::Literal;
use crate::request::Request;
use crate::strict_schema::strict;
use crate::transcript::tool_name;
use crate::write::{escaped, Writer};

/// A tool as the model is told about it.
#[derive(Default)]
pub(crate) struct Tool<'a> {
    /// Once it is declared, in a form that every provider takes.
    pub name: String,
    pub description: Option<Literal<'a>>,
    /// The JSON Schema.
    pub parameters: At<'a>,
    demand: Demand,
    /// `variants` of `constrainedSampling`.
    variants: At<'a>,
    /// While system messages are replayed: it is taken back.
    pub removed: bool,
    /// Once it is declared: the schema to send, in its strict form where `strict` says so.
    pub schema: String,
    pub strict: bool,
    /// Of a tool that takes text of a grammar instead of JSON, once it is declared: `lark` or `regex`; else empty.
    pub syntax: &'static str,
    pub definition: Literal<'a>,
    /// The argument the text stands for.
    pub property: String,
}

/// How a tool's `constrainedSampling` asks to be sampled.
#[derive(Default, PartialEq, Eq)]
pub(crate) enum Demand {
    /// As the provider likes.
    #[default]
    Free,
    /// Bound to its schema where possible.
    Prefer,
    /// Bound to its schema or not at all.
    Require,
    /// Bound to a grammar.
    Grammar,
}

/// What a provider can do with tools.
pub(crate) struct Can<'k> {
    pub grammar: bool,
    pub strict: bool,
    /// Keywords that its strict mode refuses beyond those that all refuse.
    pub refused: &'k [&'k str],
}

impl<'a> Tool<'a> {
    /// Reads a list of tools.
    pub fn list(at: At<'a>) -> Vec<Self> {
        let mut list = Vec::new();
        for tool in at.items() {
            let sampling = tool.at("constrainedSampling");
            let demand = if sampling.first() != b'{' {
                Demand::Free
            } else if sampling.literal("type").is("grammar") {
                Demand::Grammar
            } else if sampling.literal("strict").is("require") {
                Demand::Require
            } else {
                Demand::Prefer
            };
            list.push(Self {
                name: tool.text("name").into_owned(),
                description: tool.at("description").as_literal(),
                demand,
                variants: sampling.at("variants"),
                parameters: tool.at("parameters"),
                ..Self::default()
            });
        }
        list
    }

    /// A tool of our own, bound to its schema where possible.
    pub fn own(name: &str, description: &'static str, parameters: At<'a>) -> Self {
        let description = Some(Literal::of_span(description));
        Self { name: name.to_owned(), description, parameters, demand: Demand::Prefer, ..Self::default() }
    }

    /// Finds out how to declare it.
    fn declare(&mut self, can: &Can<'_>) -> Result<(), WireError> {
        let schema = parse(self.parameters.span()).unwrap_or_default();
        let (what, made) = match self.demand {
            Demand::Grammar if can.grammar => ("cannot use grammar constrained sampling: ", self.grammar(&schema)),
            Demand::Prefer | Demand::Require => {
                ("requires JSON-schema constrained sampling, but ", self.strict(schema, can))
            }
            _ => ("", Err("")),
        };
        match (made, &self.demand) {
            (Err(why), Demand::Require | Demand::Grammar) if !what.is_empty() => {
                return Err(WireError::unsupported(["Tool \"", &self.name, "\" ", what, why, "."].concat()));
            }
            _ => {}
        }
        if self.schema.is_empty() {
            self.schema = typed(self.parameters);
        }
        self.name = tool_name(&self.name);
        Ok(())
    }

    fn strict(&mut self, schema: Value, can: &Can<'_>) -> Result<(), &'static str> {
        if !can.strict {
            return Err("strict tools are unsupported");
        }
        self.schema = to_text(&strict(schema, can.refused)?);
        self.strict = true;
        Ok(())
    }

    /// Takes the grammar and the name of the argument, or says why one will not do.
    fn grammar(&mut self, schema: &Value) -> Result<(), &'static str> {
        for (name, syntax) in [("openai_regex", "regex"), ("openai_lark", "lark")] {
            let definition = self.variants.literal(name);
            if !definition.is_blank() {
                (self.syntax, self.definition) = (syntax, definition);
            }
        }
        if self.syntax.is_empty() {
            return Err("no supported grammar variant was provided");
        }
        let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
        let [Value::String(property)] = required else {
            return Err("its schema needs exactly one required string property");
        };
        let kind = schema.get("properties").and_then(|all| all.get(property)).and_then(|one| one.get("type"));
        if kind.and_then(Value::as_str) != Some("string") {
            return Err("its required property must have type string");
        }
        self.property.push_str(property);
        Ok(())
    }

    /// Writes the members that all wires have: name and description.
    pub fn write_name(&self, out: &mut Writer) {
        out.key("name").string(&self.name);
        if let Some(description) = self.description {
            out.key("description").literal(description);
        }
    }
}

impl Request<'_> {
    /// Finds out how the tools are declared to a provider.
    ///
    /// # Errors
    /// `unsupported` when a tool demands what cannot be had.
    pub fn declare(&mut self, can: &Can<'_>) -> Result<(), WireError> {
        for tool in &mut self.tools {
            tool.declare(can)?;
        }
        Ok(())
    }

    /// The argument of a grammar tool that takes the text; `None` for any other tool.
    pub fn grammar_property(&self, name: &str) -> Option<&str> {
        let tool = self.tools.iter().find(|tool| !tool.syntax.is_empty() && tool.name == name)?;
        Some(&tool.property)
    }
}

/// A schema as it is; one without a type gets `object`, which several hosts demand.
fn typed(schema: At<'_>) -> String {
    let source = schema.span();
    if schema.at("type").first() != 0 {
        return source.to_owned();
    }
    let mut out = Writer::default();
    out.put(r#"{"type":"object""#);
    if schema.at("properties").first() == 0 {
        out.put(r#""properties":{}"#);
    }
    out.members_of(if schema.first() == b'{' { source } else { "" });
    out.close();
    out.into_text()
}

/// What stands before the text of a grammar tool where it is made into arguments. `grammar` lists the grammar tools:
/// name and the argument that takes the text.
pub(crate) fn grammar_start(grammar: &[(String, String)], name: &str) -> String {
    let property = grammar.iter().find(|tool| tool.0 == name).map_or("input", |tool| tool.1.as_str());
    ["{\"", &escaped(property), "\":\""].concat()
}
