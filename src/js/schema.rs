//! The validator for the JavaScript side: schemas live here under keys, arguments come as JSON text.

use steersman_wire::json;
use steersman_wire::schema::{Edit, Issue, Options, Patterns, Profile, Schema, Step};
use steersman_wire::text::{decimal, json_fault};
use wasm_bindgen::prelude::*;

use super::executor::environment;
use super::kept::{keep, lend, Kept};

/// A schema, or why it is none.
type Compiled = Result<Schema, String>;

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
    let schema: Compiled = json::parse(text)
        .map_err(|error| json_fault("", &error))
        .and_then(|document| Schema::compile(&document, &options).map_err(|error| error.as_str().to_owned()));
    keep(Kept::Value(Box::new(schema)))
}

/// Coerce and check arguments (JSON text). `undefined`: they are valid as they are. Else JSON:
/// `{"edits":[{"path":[...],"value":...}]}` (no value: remove the member) or `{"issues":[{"path":"a.0","message":...}]}`.
#[wasm_bindgen(js_name = checkArguments)]
pub fn check_arguments(key: f64, text: &str) -> Option<String> {
    let mut verdict = None;
    lend(key, &mut |schema: &mut Compiled| {
        let checked = match (json::parse(text), schema) {
            (Err(error), _) => Err(refusal(json_fault("cannot be read: ", &error))),
            (_, Err(reason)) => Err(refusal(["the tool's schema cannot be used: ", reason].concat())),
            (Ok(value), Ok(schema)) => schema.parse(&value, &HostPatterns),
        };
        verdict = match checked {
            Ok(edits) if edits.is_empty() => None,
            Ok(edits) => Some(edits_text(&edits)),
            Err(issues) => Some(issues_text(&issues)),
        };
    });
    verdict
}

fn refusal(message: String) -> Vec<Issue> {
    vec![Issue { path: "root".to_owned(), message }]
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
                Step::Index(index) => out.push_str(&decimal(*index as u64)),
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

fn issues_text(issues: &[Issue]) -> String {
    let mut out = String::from("{\"issues\":[");
    for (index, issue) in issues.iter().enumerate() {
        out.push_str(if index == 0 { "{\"path\":" } else { ",{\"path\":" });
        json::write_string(&mut out, &issue.path);
        out.push_str(",\"message\":");
        json::write_string(&mut out, &issue.message);
        out.push('}');
    }
    out.push_str("]}");
    out
}
