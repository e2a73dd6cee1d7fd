//! Tool declarations.

use crate::json::{parse, to_text, Value};
use crate::request::Request;
use crate::source::{is_among, names};
use crate::text::has;
use crate::write::Writer;

/// Keywords that hold a schema or a list of them.
const SCHEMAS: &[u8] = names![
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
const NAMED: &[u8] = names!["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Writes the tools, of which there is at least one, and how they may be used.
pub(super) fn write(out: &mut Writer, request: &Request<'_>) {
    out.put(r#""tools":[{"functionDeclarations":["#);
    for tool in &request.tools {
        out.open();
        tool.write_name(out);
        out.key("parametersJsonSchema").raw(&without_const(&tool.schema));
        out.close();
    }
    out.put("]}]");
    let mode = match request.options.tool_choice.span() {
        "\"none\"" => "NONE",
        "\"any\"" | "\"required\"" => "ANY",
        _ if request.tools.iter().any(|tool| tool.strict) => "VALIDATED",
        "" => return,
        _ => "AUTO",
    };
    out.put(r#""toolConfig":{"functionCallingConfig":{"mode":"#).string(mode);
    out.put("}}");
}

/// A schema in which every `const` that is a text or a number is an `enum` of one, because the service takes no notice
/// of `const`.
pub(super) fn without_const(schema: &str) -> String {
    let mut root = match parse(schema) {
        Ok(root) if has(schema, "\"const\"") => root,
        _ => return schema.to_owned(),
    };
    let mut left = vec![&mut root];
    while let Some(schema) = left.pop() {
        let Value::Object(members) = schema else {
            continue;
        };
        if matches!(members.get("const"), Some(Value::String(_) | Value::Number(_))) {
            let only = members.remove("const").unwrap_or_default();
            members.insert("enum", vec![only]);
        }
        for (key, value) in members.iter_mut() {
            if is_among(SCHEMAS, key) {
                match value {
                    Value::Array(list) => list.iter_mut().for_each(|schema| left.push(schema)),
                    schema => left.push(schema),
                }
            } else if let (true, Value::Object(named)) = (is_among(NAMED, key), value) {
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
