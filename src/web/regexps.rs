//! [`RegExps`]: regular expressions by the browser.

use std::collections::HashMap;

use steersman_wire::schema::Patterns;
use wasm_bindgen::prelude::*;

use crate::slot::Slot;

/// Most expressions that are kept: texts with the format `regex` are expressions of the model's.
const KEPT: usize = 256;

#[wasm_bindgen]
extern "C" {
    #[derive(Clone)]
    type RegExp;
    #[wasm_bindgen(constructor, catch)]
    fn new(pattern: &str, flags: &str) -> Result<RegExp, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn test(this: &RegExp, text: &str) -> Result<bool, JsValue>;
}

/// `pattern` and `format` of tool schemas by the `RegExp` of the browser, as JSON Schema wants it.
#[derive(Default)]
pub struct RegExps {
    /// By the pattern, or by the name of a format behind a question mark, with which no pattern begins.
    compiled: Slot<HashMap<String, Option<RegExp>>>,
}

impl RegExps {
    fn run(&self, key: &str, pattern: &dyn Fn() -> String, text: &str) -> Option<bool> {
        let known = self.compiled.read(|compiled| compiled.get(key).cloned());
        let expression = known.unwrap_or_else(|| {
            let expression = compile(&pattern());
            let full = self.compiled.read(|compiled| compiled.len() >= KEPT);
            if full {
                drop(self.compiled.take());
            }
            self.compiled.change(|compiled| compiled.insert(key.to_owned(), expression.clone()));
            expression
        });
        expression?.test(text).ok()
    }
}

/// Without the flag `u` the older, laxer syntax is read.
fn compile(pattern: &str) -> Option<RegExp> {
    RegExp::new(pattern, "u").or_else(|_| RegExp::new(pattern, "")).ok()
}

impl Patterns for RegExps {
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        self.run(pattern, &|| pattern.to_owned(), text)
    }

    fn is_format(&self, name: &str, pattern: &dyn Fn() -> String, text: &str) -> Option<bool> {
        self.run(&["?", name].concat(), pattern, text)
    }
}
