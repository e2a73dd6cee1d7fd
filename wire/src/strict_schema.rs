//! The form of a tool schema that constrained sampling takes (PROVIDERS 5.1): every property required, optional ones
//! nullable, nothing additional.

use crate::json::{self, Object, Value};
use crate::order::NameMap;
use crate::source::{is_among, names};

/// Keywords that no strict mode takes.
const REFUSED: &[u8] = names![
    "$ref",
    "$defs",
    "definitions",
    "allOf",
    "oneOf",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "prefixItems",
    "not",
    "if",
    "then",
    "else",
];

/// Deeper schemas are refused; providers allow far less.
const DEPTH: usize = 32;

const NO_NAMES: &str = "object required must be a string array";

/// The strict form of a schema, or why there is none. `refused` are keywords that this provider does not take either.
pub(crate) fn strict(mut schema: Value, refused: &[u8]) -> Result<Value, &'static str> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("root schema must have type object");
    }
    node(&mut schema, DEPTH, refused)?;
    Ok(schema)
}

/// Whether a schema (source) is in the strict form already.
pub(crate) fn is_strict(schema: &str) -> bool {
    let value = json::parse(schema).unwrap_or_default();
    let before = json::to_text(&value);
    strict(value, &[]).is_ok_and(|strict| json::to_text(&strict) == before)
}

fn node(schema: &mut Value, depth: usize, refused: &[u8]) -> Result<(), &'static str> {
    let depth = depth.checked_sub(1).ok_or("deeply nested schemas are unsupported")?;
    if !matches!(schema, Value::Object(_)) {
        return Err("boolean schemas are unsupported");
    }
    if has_any(schema, REFUSED) {
        return Err("references, combinations, conditions and patterns are unsupported");
    }
    if has_any(schema, refused) {
        return Err("limits of numbers, texts and lists are unsupported");
    }
    if !has_any(schema, names!["type", "anyOf", "enum"]) {
        return Err("schemas without a type are unsupported");
    }
    match member(schema, "anyOf") {
        None => {}
        Some(Value::Array(variants)) if !variants.is_empty() => {
            for variant in variants {
                if is_structured(variant) {
                    return Err("object and array unions are unsupported");
                }
                node(variant, depth, refused)?;
            }
        }
        Some(_) => return Err("anyOf must contain at least one schema"),
    }
    match member(schema, "items") {
        None => {}
        Some(Value::Array(_)) => return Err("tuple schemas are unsupported"),
        Some(items) => node(items, depth, refused)?,
    }
    if schema.get("type").and_then(Value::as_str) == Some("object") {
        return object(schema, depth, refused);
    }
    if has_any(schema, names!["properties"]) {
        return Err("properties require type object");
    }
    Ok(())
}

fn object(schema: &mut Value, depth: usize, refused: &[u8]) -> Result<(), &'static str> {
    if !matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false))) {
        return Err("schema-valued or true additionalProperties is unsupported");
    }
    let mut required = NameMap::default();
    // Of them, those that no property was found for.
    let mut unknown = 0;
    if let Some(list) = schema.get("required") {
        for name in list.as_array().ok_or(NO_NAMES)? {
            unknown += usize::from(required.set(name.as_str().ok_or(NO_NAMES)?, 0).is_none());
        }
    }
    let mut names = Vec::new();
    match member(schema, "properties") {
        None => {}
        Some(Value::Object(properties)) => {
            for (name, property) in properties.iter_mut() {
                names.push(Value::from(name));
                node(property, depth, refused)?;
                if required.get(name).is_some() {
                    unknown -= 1;
                } else if !allows_null(property, depth) {
                    let null = with("type", "null".into());
                    *property = with("anyOf", Value::Array(vec![std::mem::take(property), null]));
                }
            }
        }
        Some(_) => return Err("object properties must be a schema map"),
    }
    if unknown > 0 {
        return Err("required contains an unknown property");
    }
    if let Value::Object(members) = schema {
        members.insert("required", names);
        members.insert("additionalProperties", false);
    }
    Ok(())
}

/// The object with that one member.
fn with(name: &str, value: Value) -> Value {
    let mut object = Object::new();
    object.insert(name, value);
    Value::Object(object)
}

fn member<'v>(schema: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match schema {
        Value::Object(members) => members.get_mut(name),
        _ => None,
    }
}

fn has_any(schema: &Value, names: &[u8]) -> bool {
    schema.as_object().is_some_and(|members| members.keys().any(|name| is_among(names, name)))
}

/// Whether one of the types of a schema is `name`.
fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(several)) => several.iter().any(|one| one.as_str() == Some(name)),
        _ => false,
    }
}

fn is_structured(schema: &Value) -> bool {
    has_type(schema, "object") || has_type(schema, "array") || has_any(schema, names!["properties", "items"])
}

fn allows_null(schema: &Value, depth: usize) -> bool {
    let list = |key| schema.get(key).and_then(Value::as_array).unwrap_or_default();
    has_type(schema, "null")
        || schema.get("const").is_some_and(Value::is_null)
        || list("enum").iter().any(Value::is_null)
        || depth.checked_sub(1).is_some_and(|depth| list("anyOf").iter().any(|variant| allows_null(variant, depth)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, to_text};

    fn made_strict(schema: &str) -> Result<String, &'static str> {
        strict(parse(schema).unwrap(), names!["maximum"]).map(|schema| to_text(&schema))
    }

    #[test]
    fn optional_properties_become_nullable_and_everything_required() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["number","null"]},
            "c":{"type":"array","items":{"type":"object","properties":{"d":{"enum":[1]}}}}},"required":["a"]}"#;
        let expected = concat!(
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["number","null"]},"c":{"anyOf":["#,
            r#"{"type":"array","items":{"type":"object","properties":{"d":{"anyOf":[{"enum":[1]},{"type":"null"}]}},"#,
            r#""required":["d"],"additionalProperties":false}},{"type":"null"}]}},"required":["a","b","c"],"#,
            r#""additionalProperties":false}"#
        );
        assert_eq!(made_strict(schema).unwrap(), expected);
    }

    #[test]
    fn what_takes_null_already_stays_as_it_is() {
        let kept = [r#"{"type":"null"}"#, r#"{"enum":[1,null]}"#, r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#];
        for property in kept {
            let schema = [r#"{"type":"object","properties":{"p":"#, property, "}}"].concat();
            assert!(made_strict(&schema).unwrap().contains(&[r#"{"p":"#, property, "}"].concat()), "{property}");
        }
    }

    #[test]
    fn schemas_that_cannot_be_strict_are_refused() {
        for property in [
            r##"{"$ref":"#/x"}"##,
            "{}",
            "true",
            r#"{"anyOf":[{"type":"object"}]}"#,
            r#"{"anyOf":[]}"#,
            r#"{"type":"array","items":[{"type":"string"}]}"#,
            r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
            r#"{"type":"object","required":["x"]}"#,
            r#"{"type":"string","properties":{}}"#,
            r#"{"type":"array","items":{"type":"number","maximum":1}}"#,
        ] {
            let schema = [r#"{"type":"object","properties":{"p":"#, property, "}}"].concat();
            assert!(made_strict(&schema).is_err(), "{property}");
        }
        assert!(made_strict(r#"{"type":"array"}"#).is_err());
        let deep = r#"{"type":"array","items":"#.repeat(60) + r#"{"type":"string"}"# + &"}".repeat(60);
        assert!(made_strict(&[r#"{"type":"object","properties":{"p":"#, &deep, "}}"].concat()).is_err());
    }
}
