//! Tool declarations.

use super::compat::Compat;
use crate::context::Tool;
use crate::http::WireError;
use crate::json::{Kind, Reader};
use crate::read;
use crate::transcript::tool_name;
use crate::write::Writer;

/// Keywords that strict mode refuses here beyond what it refuses everywhere (PROVIDERS 4.1).
const REFUSED: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
];

/// Writes the list. `marker` is the source of a cache marker for the last tool.
pub(super) fn write(
    out: &mut Writer,
    tools: &[Tool<'_>],
    compat: &Compat,
    marker: Option<&str>,
) -> Result<(), WireError> {
    let mut strict = Vec::with_capacity(tools.len());
    for tool in tools {
        strict.push(tool.strict_form(compat.strict_tools, &REFUSED)?);
    }
    out.array(|out| {
        for (index, (tool, strict)) in tools.iter().zip(&strict).enumerate() {
            out.object(|out| {
                out.key("name").string(&tool_name(tool.name));
                if let Some(description) = tool.description {
                    out.key("description").literal(description);
                }
                if compat.eager_tool_input {
                    out.key("eager_input_streaming").bool(true);
                }
                if strict.is_some() {
                    out.key("strict").bool(true);
                }
                out.key("input_schema");
                schema(out, strict.as_deref().or(tool.parameters).unwrap_or("{}"));
                if let Some(marker) = marker.filter(|_| index + 1 == tools.len()) {
                    out.key("cache_control").raw(marker);
                }
            });
        }
    });
    Ok(())
}

/// The root of a schema may only say what an object has; alternatives there are refused.
fn schema(out: &mut Writer, source: &str) {
    let (mut properties, mut required) = ("{}", "[]");
    let mut others: Vec<(&str, &str)> = Vec::new();
    // The span was checked when it was cut out.
    let _ = read::members(&mut Reader::new(source), |key, reader| {
        match key {
            "properties" => properties = read::span(reader, Kind::Object)?.unwrap_or(properties),
            "required" => required = read::span(reader, Kind::Array)?.unwrap_or(required),
            _ => {
                let value = reader.raw()?;
                let kept = ["additionalProperties", "$defs", "definitions"].into_iter().find(|name| *name == key);
                others.extend(kept.map(|name| (name, value)));
            }
        }
        Ok(())
    });
    out.object(|out| {
        out.key("type").string("object");
        out.key("properties").raw(properties);
        out.key("required").raw(required);
        others.iter().for_each(|(name, value)| out.key(name).raw(value));
    });
}
