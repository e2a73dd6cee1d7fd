//! Tool declarations.

use crate::context::Tool;
use crate::http::WireError;
use crate::json::{parse, to_text, Value};
use crate::literal::clean;
use crate::text::has;
use crate::transcript::tool_name;
use crate::write::Writer;

/// Keywords that hold a schema or a list of them.
const SCHEMAS: [&str; 16] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// Keywords that hold schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Writes the tools, of which there is at least one, and how they may be used. `choice` is the source of the caller's
/// word on that.
///
/// # Errors
/// `unsupported` when a tool demands what cannot be had.
pub(super) fn write(out: &mut Writer, tools: &[Tool<'_>], choice: Option<&str>, strict: bool) -> Result<(), WireError> {
    let mut any_strict = false;
    let mut schemas = Vec::with_capacity(tools.len());
    for tool in tools {
        let schema = tool.strict_parameters(strict)?;
        any_strict |= schema.is_some();
        schemas.push(schema.unwrap_or_else(|| {
            let mut plain = Writer::default();
            tool.write_parameters(&mut plain);
            plain.into_text()
        }));
    }
    out.key("tools").array(|out| {
        out.object(|out| {
            out.key("functionDeclarations").array(|out| {
                for (tool, schema) in tools.iter().zip(&schemas) {
                    out.object(|out| {
                        out.key("name").string(&tool_name(tool.name));
                        if let Some(description) = tool.description {
                            out.key("description").literal(description);
                        }
                        out.key("parametersJsonSchema").raw(&without_const(schema));
                    });
                }
            });
        });
    });
    let mode = match choice {
        Some("\"none\"") => "NONE",
        Some("\"any\"" | "\"required\"") => "ANY",
        _ if any_strict => "VALIDATED",
        Some(_) => "AUTO",
        None => return Ok(()),
    };
    out.key("toolConfig").object(|out| {
        out.key("functionCallingConfig").object(|out| out.key("mode").string(mode));
    });
    Ok(())
}

/// A schema in which every `const` that is a text or a number is an `enum` of one, because the service takes no notice
/// of `const`.
pub(super) fn without_const(schema: &str) -> String {
    let cleaned = clean(schema);
    if !has(&cleaned, "\"const\"") {
        return cleaned.into_owned();
    }
    let Ok(mut root) = parse(&cleaned) else {
        return cleaned.into_owned();
    };
    let mut left = vec![&mut root];
    while let Some(schema) = left.pop() {
        let Value::Object(members) = schema else { continue };
        if matches!(members.get("const"), Some(Value::String(_) | Value::Number(_))) {
            let only = members.remove("const").unwrap_or_default();
            members.insert("enum", vec![only]);
        }
        for (key, value) in members.iter_mut() {
            if SCHEMAS.contains(&key) {
                match value {
                    Value::Array(list) => list.iter_mut().for_each(|schema| left.push(schema)),
                    schema => left.push(schema),
                }
            } else if let (true, Value::Object(named)) = (NAMED.contains(&key), value) {
                named.iter_mut().for_each(|(_, schema)| left.push(schema));
            }
        }
    }
    to_text(&root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_become_lists_of_one_but_not_in_names_and_data() {
        for (schema, expected) in [
            (r#"{"const":"a"}"#, r#"{"enum":["a"]}"#),
            (r#"{"const":1.50,"enum":[1,2]}"#, r#"{"enum":[1.50]}"#),
            (r#"{"const":true}"#, r#"{"const":true}"#),
            (
                r#"{"properties":{"const":{"const":"x"}},"default":{"const":"y"}}"#,
                r#"{"properties":{"const":{"enum":["x"]}},"default":{"const":"y"}}"#,
            ),
            (
                r#"{"anyOf":[{"items":{"const":1}},{"not":{"$defs":{"d":{"const":2}}}}],"enum":[{"const":3}]}"#,
                r#"{"anyOf":[{"items":{"enum":[1]}},{"not":{"$defs":{"d":{"enum":[2]}}}}],"enum":[{"const":3}]}"#,
            ),
        ] {
            assert_eq!(without_const(schema), expected);
        }
    }
}
