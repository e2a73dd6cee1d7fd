//! The validator for the JavaScript side: schemas live here under keys, arguments come as JSON text.

use steersman_wire::json;
use steersman_wire::schema::{Options, Patterns, Profile, Schema};
use steersman_wire::text::json_fault;
use wasm_bindgen::prelude::*;

use super::executor::environment;
use super::kept::{keep, lend, Kept};

/// A schema, or why it is none.
type Compiled = Result<Schema, String>;

/// `pattern` by the host's own `RegExp`, as JSON Schema wants it.
struct HostPatterns;

impl Patterns for HostPatterns {
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        matches(pattern, "", text)
    }

    fn is_format(&self, name: &str, pattern: &dyn Fn() -> String, text: &str) -> Option<bool> {
        // No pattern begins so: what is not known yet is not found.
        let key = ["?", name].concat();
        matches(&key, "", text).or_else(|| matches(&key, &pattern(), text))
    }
}

fn matches(key: &str, pattern: &str, text: &str) -> Option<bool> {
    match environment()?.matches(key, pattern, text) {
        Ok(1) => Some(true),
        Ok(0) => Some(false),
        _ => None,
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

/// Coerce and check arguments (JSON text): [`Schema::verdict`].
#[wasm_bindgen(js_name = checkArguments)]
pub fn check_arguments(key: f64, text: &str) -> Option<String> {
    let mut verdict = None;
    lend(key, &mut |schema: &mut Compiled| {
        verdict = match (json::parse(text), schema) {
            (Err(error), _) => Some(json_fault("  - root: cannot be read: ", &error)),
            (_, Err(reason)) => Some(["  - root: the tool's schema cannot be used: ", reason].concat()),
            (Ok(value), Ok(schema)) => schema.verdict(&value, &HostPatterns),
        };
    });
    verdict
}
