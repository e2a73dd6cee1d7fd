//! What the tool declarations of several wires have in common.

use crate::context::Tool;
use crate::http::WireError;
use crate::json::{parse, to_text, Kind, Reader, Value};
use crate::literal::Literal;
use crate::read;
use crate::strict_schema::strict;
use crate::write::{escaped, Writer};

/// How a tool's `constrainedSampling` asks to be sampled.
pub(crate) enum Sampling<'a> {
    /// As the provider likes.
    Free,
    /// Bound to its schema where possible.
    Prefer,
    /// Bound to its schema or not at all.
    Require,
    /// Bound to a grammar: Lark, else a regular expression.
    Grammar { lark: Option<Literal<'a>>, regex: Option<Literal<'a>> },
}

/// A tool that takes text of a grammar instead of JSON.
pub(crate) struct Grammar<'a> {
    /// `lark` or `regex`.
    pub syntax: &'static str,
    pub definition: Literal<'a>,
    /// The argument the text stands for.
    pub property: String,
}

impl<'a> Tool<'a> {
    pub fn sampling(&self) -> Sampling<'a> {
        let (mut grammar, mut require) = (false, false);
        let (mut lark, mut regex) = (None, None);
        let said = |literal: Option<Literal<'a>>| literal.filter(|literal| !literal.is_blank());
        let Some(source) = self.sampling else {
            return Sampling::Free;
        };
        // The span was checked when it was cut out.
        let _ = read::members(&mut Reader::new(source), |key, reader| {
            match key {
                "type" => grammar = read::text(reader)?.as_deref() == Some("grammar"),
                "strict" => require = read::text(reader)?.as_deref() == Some("require"),
                "variants" => read::members(reader, |key, reader| {
                    match key {
                        "openai_lark" => lark = said(read::literal(reader)?),
                        "openai_regex" => regex = said(read::literal(reader)?),
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        });
        match (grammar, require) {
            (true, _) => Sampling::Grammar { lark, regex },
            (false, true) => Sampling::Require,
            (false, false) => Sampling::Prefer,
        }
    }

    /// Writes the schema as it is; one without a type gets `object`, which several hosts demand.
    pub fn write_parameters(&self, out: &mut Writer) {
        let (mut typed, mut listed) = (false, false);
        let source = self.parameters.unwrap_or("{}");
        let _ = read::members(&mut Reader::new(source), |key, reader| {
            typed |= key == "type";
            listed |= key == "properties";
            reader.skip()
        });
        if typed {
            return out.raw(source);
        }
        out.object(|out| {
            out.key("type").string("object");
            if !listed {
                out.key("properties").object(|_| {});
            }
            out.members_of(source);
        });
    }

    /// The schema in its strict form where the tool asks for that and the schema allows it.
    ///
    /// # Errors
    /// `unsupported` when the tool demands what cannot be had.
    pub fn strict_parameters(&self, supported: bool) -> Result<Option<String>, WireError> {
        self.strict_form(supported, &[])
    }

    /// [`strict_parameters`](Self::strict_parameters) for a provider that refuses further keywords.
    pub fn strict_form(&self, supported: bool, refused: &[&str]) -> Result<Option<String>, WireError> {
        let require = match self.sampling() {
            Sampling::Require => true,
            Sampling::Prefer => false,
            _ => return Ok(None),
        };
        let made = if supported {
            let schema = parse(self.parameters.unwrap_or("{}")).unwrap_or_default();
            strict(schema, refused).map(|schema| to_text(&schema))
        } else {
            Err("strict tools are unsupported")
        };
        match made {
            Ok(schema) => Ok(Some(schema)),
            Err(why) if require => Err(self.refusal("requires JSON-schema constrained sampling, but ", why)),
            Err(_) => Ok(None),
        }
    }

    /// The grammar of a tool that has one.
    ///
    /// # Errors
    /// `unsupported` when the grammar or the schema around it does not fit.
    pub fn grammar(&self) -> Result<Option<Grammar<'a>>, WireError> {
        let fail = |why| Err(self.refusal("cannot use grammar constrained sampling: ", why));
        let (syntax, definition) = match self.sampling() {
            Sampling::Grammar { lark: Some(definition), .. } => ("lark", definition),
            Sampling::Grammar { regex: Some(definition), .. } => ("regex", definition),
            Sampling::Grammar { .. } => return fail("no supported grammar variant was provided"),
            _ => return Ok(None),
        };
        let schema = parse(self.parameters.unwrap_or("{}")).unwrap_or_default();
        let property = match schema.get("required") {
            Some(Value::Array(names)) => match names.as_slice() {
                [Value::String(name)] => name.clone(),
                _ => return fail("its schema needs exactly one required string property"),
            },
            _ => return fail("its schema needs exactly one required string property"),
        };
        let kind = schema.get("properties").and_then(|all| all.get(&property)).and_then(|one| one.get("type"));
        if kind.and_then(Value::as_str) != Some("string") {
            return fail("its required property must have type string");
        }
        Ok(Some(Grammar { syntax, definition, property }))
    }

    fn refusal(&self, what: &str, why: &str) -> WireError {
        WireError::unsupported(["Tool \"", &self.name.text(), "\" ", what, why, "."].concat())
    }
}

/// What stands before the text of a grammar tool where it is made into arguments. `grammar` lists the grammar tools:
/// name and the argument that takes the text.
pub(crate) fn grammar_start(grammar: &[(String, String)], name: &str) -> String {
    let property = grammar.iter().find(|tool| tool.0 == name).map_or("input", |tool| tool.1.as_str());
    ["{\"", &escaped(property), "\":\""].concat()
}

/// A string member of an object given as source.
pub(crate) fn string_member<'a>(object: &'a str, name: &str) -> Option<Literal<'a>> {
    let mut found = None;
    let _ = read::members(&mut Reader::new(object), |key, reader| {
        if key == name && reader.peek()? == Kind::String {
            read::set(&mut found, reader)?;
            return Ok(());
        }
        reader.skip()
    });
    found
}
