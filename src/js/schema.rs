//! The validator for the JavaScript side: schemas live here under keys, arguments come as JSON text.

use std::mem::ManuallyDrop;

use steersman_wire::json;
use steersman_wire::schema::{Edit, Options, Patterns, Profile, Schema, Step};
use wasm_bindgen::prelude::*;

use super::executor::environment;
use crate::table::{Key, Table};

thread_local! {
    /// Compiled, or why not.
    static SCHEMAS: ManuallyDrop<Table<Result<Schema, String>>> = const { ManuallyDrop::new(Table::new()) };
}

/// `pattern` by the host's own `RegExp`, as JSON Schema wants it.
struct HostPatterns;

impl Patterns for HostPatterns {
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        match environment()?.matches(pattern, text) {
            Ok(1) => Some(true),
            Ok(0) => Some(false),
            _ => None,
        }
    }
}

/// Compile a schema (JSON text) and keep it. `old`: the rules of 0.85. A document that is no schema rejects all
/// arguments and says why; an export must not fail, because what leaves one as an exception is taken for a trap.
#[wasm_bindgen(js_name = compileSchema)]
pub fn compile_schema(text: &str, old: bool) -> f64 {
    let profile = if old { Profile::V0_85 } else { Profile::V1_6 };
    let options = Options { profile, ..Options::default() };
    let schema = json::parse(text)
        .map_err(|error| error.to_string())
        .and_then(|document| Schema::compile(&document, &options).map_err(|error| error.to_string()));
    SCHEMAS.with(|schemas| schemas.insert(schema).to_number())
}

/// Forget a schema.
#[wasm_bindgen(js_name = dropSchema)]
pub fn drop_schema(key: f64) {
    SCHEMAS.with(|schemas| drop(schemas.remove(Key::from_number(key))));
}

/// Coerce and check arguments (JSON text). `undefined`: they are valid as they are. Else JSON:
/// `{"edits":[{"path":[...],"value":...}]}` (no value: remove the member) or `{"issues":[{"path":"a.0","message":...}]}`.
#[wasm_bindgen(js_name = checkArguments)]
pub fn check_arguments(key: f64, text: &str) -> Option<String> {
    let value = match json::parse(text) {
        Ok(value) => value,
        Err(error) => return Some(one_issue(&["cannot be read: ", &error.to_string()])),
    };
    let key = Key::from_number(key);
    // Taken out while it works: the host's RegExp is called, and nothing may be borrowed then.
    let schema = SCHEMAS.with(|schemas| schemas.take(key))?;
    let verdict = match &schema {
        Ok(schema) => schema.parse(&value, &HostPatterns),
        Err(reason) => {
            let refused = one_issue(&["the tool's schema cannot be used: ", reason]);
            drop(SCHEMAS.with(|schemas| schemas.restore(key, schema)));
            return Some(refused);
        }
    };
    drop(SCHEMAS.with(|schemas| schemas.restore(key, schema)));
    match verdict {
        Ok(edits) if edits.is_empty() => None,
        Ok(edits) => Some(edits_text(&edits)),
        Err(issues) => Some(issues_text(issues.iter().map(|issue| (issue.path.as_str(), issue.message.as_str())))),
    }
}

fn one_issue(message: &[&str]) -> String {
    issues_text(std::iter::once(("root", message.concat().as_str())))
}

fn edits_text(edits: &[Edit]) -> String {
    let mut out = String::from("{\"edits\":[");
    for (index, edit) in edits.iter().enumerate() {
        out.push_str(if index == 0 { "{\"path\":[" } else { ",{\"path\":[" });
        for (index, step) in edit.path.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            match step {
                Step::Key(key) => json::write_string(&mut out, key),
                Step::Index(index) => out.push_str(&index.to_string()),
            }
        }
        out.push(']');
        if let Some(new) = &edit.new {
            out.push_str(",\"value\":");
            json::write_value(&mut out, new);
        }
        out.push('}');
    }
    out.push_str("]}");
    out
}

fn issues_text<'a>(issues: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::from("{\"issues\":[");
    for (index, (path, message)) in issues.enumerate() {
        out.push_str(if index == 0 { "{\"path\":" } else { ",{\"path\":" });
        json::write_string(&mut out, path);
        out.push_str(",\"message\":");
        json::write_string(&mut out, message);
        out.push('}');
    }
    out.push_str("]}");
    out
}
