//! Tool declarations.

use super::compat::Compat;
use crate::context::Tool;
use crate::http::WireError;
use crate::transcript::tool_name;
use crate::write::Writer;

/// Tools of a request, as far as they are not plain.
pub(crate) struct Tools<'a> {
    list: Vec<Tool<'a>>,
    flat: bool,
    /// Grammar tools: name and the argument that takes the text.
    pub grammar: Vec<(String, String)>,
}

impl<'a> Tools<'a> {
    pub fn new(list: Vec<Tool<'a>>, compat: &Compat<'_>) -> Result<Self, WireError> {
        let mut grammar = Vec::new();
        if compat.supports_grammar_tools {
            for tool in &list {
                if let Some(made) = tool.grammar()? {
                    grammar.push((tool.name.text().into_owned(), made.property));
                }
            }
        }
        Ok(Self { list, flat: false, grammar })
    }

    /// For an API that has type and members of a tool in one object.
    pub fn flat(mut self) -> Self {
        self.flat = true;
        self
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Writes the list. `cache_control` is the source of a marker for the last tool.
    pub fn write(&self, out: &mut Writer, compat: &Compat<'_>, cache_control: Option<&str>) -> Result<(), WireError> {
        let mut outcome = Ok(());
        out.array(|out| {
            for (index, tool) in self.list.iter().enumerate() {
                let marker = cache_control.filter(|_| index + 1 == self.list.len());
                outcome = std::mem::replace(&mut outcome, Ok(()))
                    .and_then(|()| write_tool(out, tool, compat, self.flat, marker));
            }
        });
        outcome
    }
}

fn write_tool(
    out: &mut Writer,
    tool: &Tool<'_>,
    compat: &Compat<'_>,
    flat: bool,
    cache_control: Option<&str>,
) -> Result<(), WireError> {
    let grammar = if compat.supports_grammar_tools { tool.grammar()? } else { None };
    let strict = if grammar.is_none() { tool.strict_parameters(compat.supports_strict_mode)? } else { None };
    let kind = if grammar.is_some() { "custom" } else { "function" };
    let members = |out: &mut Writer| {
        out.key("name").string(&tool_name(tool.name));
        if let Some(description) = tool.description {
            out.key("description").literal(description);
        }
        if let Some(grammar) = &grammar {
            let definition = |out: &mut Writer| {
                out.key("syntax").string(grammar.syntax);
                out.key("definition").literal(grammar.definition);
            };
            return out.key("format").object(|out| {
                out.key("type").string("grammar");
                nested(out, (!flat).then_some("grammar"), &definition);
            });
        }
        out.key("parameters");
        match &strict {
            Some(schema) => out.raw(schema),
            None => tool.write_parameters(out),
        }
        if compat.supports_strict_mode {
            out.key("strict").bool(strict.is_some());
        }
    };
    out.object(|out| {
        out.key("type").string(kind);
        nested(out, (!flat).then_some(kind), &members);
        if let Some(marker) = cache_control {
            out.key("cache_control").raw(marker);
        }
    });
    Ok(())
}

/// Members in an object of their own where that has a name, else where they are.
fn nested(out: &mut Writer, name: Option<&str>, members: &dyn Fn(&mut Writer)) {
    match name {
        Some(name) => out.key(name).object(members),
        None => members(out),
    }
}
