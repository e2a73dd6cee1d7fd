//! What the tool declarations of the wires have in common.

use crate::doc::{At, Node};
use crate::http::WireError;
use crate::json::{parse, to_text, Value};
use crate::request::{Request, ANSWER_TOOL};
use crate::strict_schema::strict;
use crate::transcript::{tool_name, Target};
use crate::write::{escaped, Writer};

static ANSWER_TOOL_TEXT: Node<'static> = Node::of("\"Gives the final answer. Call it once everything else is done.\"");

/// A tool as the model is told about it.
#[derive(Default)]
pub(crate) struct Tool<'a> {
    /// Once it is declared, in a form that every provider takes.
    pub name: String,
    /// A string, or absent.
    pub description: At<'a>,
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
    pub definition: At<'a>,
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

impl<'a> Tool<'a> {
    /// Reads a tool.
    pub fn read(at: At<'a>) -> Self {
        let sampling = at.at("constrainedSampling");
        let demand = if !sampling.is_object() {
            Demand::Free
        } else if sampling.at("type").is("grammar") {
            Demand::Grammar
        } else if sampling.at("strict").is("require") {
            Demand::Require
        } else {
            Demand::Prefer
        };
        Self {
            name: at.text("name").into_owned(),
            description: at.string("description"),
            demand,
            variants: sampling.at("variants"),
            parameters: at.at("parameters"),
            ..Self::default()
        }
    }

    /// The tool that takes the answer, bound to its schema where possible.
    pub fn own(parameters: At<'a>) -> Self {
        Self {
            name: ANSWER_TOOL.to_owned(),
            description: &ANSWER_TOOL_TEXT,
            parameters,
            demand: Demand::Prefer,
            ..Self::default()
        }
    }

    /// Finds out how to declare it, or says what it demands in vain.
    pub fn declare(&mut self, target: &Target<'_>) -> Option<WireError> {
        let schema = parse(self.parameters.span()).unwrap_or_default();
        let grammar = self.demand == Demand::Grammar;
        let why = match self.demand {
            Demand::Free => "",
            Demand::Grammar if target.grammar => self.grammar(&schema),
            Demand::Grammar => "",
            _ => self.strict(schema, target),
        };
        let fault = if why.is_empty() || self.demand == Demand::Prefer {
            None
        } else {
            let what = if grammar {
                "\" cannot use grammar constrained sampling: "
            } else {
                "\" requires JSON-schema constrained sampling, but "
            };
            Some(WireError::unsupported(["Tool \"", &self.name, what, why, "."].concat()))
        };
        if self.schema.is_empty() {
            self.schema = typed(self.parameters);
        }
        self.name = tool_name(&self.name);
        fault
    }

    /// Takes the strict form of the schema, or says why there is none.
    fn strict(&mut self, schema: Value, target: &Target<'_>) -> &'static str {
        if !target.strict {
            return "strict tools are unsupported";
        }
        match strict(schema, target.refused) {
            Ok(schema) => (self.schema, self.strict) = (to_text(&schema), true),
            Err(why) => return why,
        }
        ""
    }

    /// Takes the grammar and the name of the argument, or says why one will not do.
    fn grammar(&mut self, schema: &Value) -> &'static str {
        for (name, syntax) in [("openai_regex", "regex"), ("openai_lark", "lark")] {
            let definition = self.variants.at(name);
            if !definition.is_blank() {
                (self.syntax, self.definition) = (syntax, definition);
            }
        }
        if self.syntax.is_empty() {
            return "no supported grammar variant was provided";
        }
        let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
        let [Value::String(property)] = required else {
            return "its schema needs exactly one required string property";
        };
        let kind = schema.get("properties").and_then(|all| all.get(property)).and_then(|one| one.get("type"));
        if kind.and_then(Value::as_str) != Some("string") {
            return "its required property must have type string";
        }
        self.property.push_str(property);
        ""
    }

    /// Writes the members that all wires have: name and description.
    pub fn write_name(&self, out: &mut Writer) {
        out.key("name").string(&self.name);
        out.member("description", self.description);
    }
}

impl Request<'_> {
    /// The argument of a grammar tool that takes the text; `None` for any other tool.
    pub fn grammar_property(&self, name: &str) -> Option<&str> {
        let tool = self.tools.iter().find(|tool| !tool.syntax.is_empty() && tool.name == name)?;
        Some(&tool.property)
    }
}

/// A schema as it is; one without a type gets `object`, which several hosts demand.
fn typed(schema: At<'_>) -> String {
    let source = schema.span();
    if !schema.at("type").is_absent() {
        return source.to_owned();
    }
    let mut out = Writer::default();
    out.put(r#"{"type":"object""#);
    if schema.at("properties").is_absent() {
        out.put(r#""properties":{}"#);
    }
    out.members_of(schema.only(b'{').span());
    out.close();
    out.into_text()
}

/// What stands before the text of a grammar tool where it is made into arguments. `grammar` lists the grammar tools:
/// name and the argument that takes the text.
pub(crate) fn grammar_start(grammar: &[(String, String)], name: &str) -> String {
    let property = grammar.iter().find(|tool| tool.0 == name).map_or("input", |tool| tool.1.as_str());
    ["{\"", &escaped(property), "\":\""].concat()
}
