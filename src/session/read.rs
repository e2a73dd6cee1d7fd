//! Reading and making the JSON of entries and messages.

use steersman_wire::json::{Object, Value};
use steersman_wire::text::joined;

/// A text member; empty when it is missing or no text.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A number member; 0 when it is missing or no number.
pub(crate) fn number(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or(0.0)
}

/// A member that is neither missing nor `null`.
pub(super) fn given<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|member| !member.is_null())
}

/// Sets a member; nobody asks what was there.
pub(super) fn set(object: &mut Object, key: &str, value: impl Into<Value>) {
    set_value(object, key, value.into());
}

/// The same, once for all kinds of values.
#[inline(never)]
fn set_value(object: &mut Object, key: &str, value: Value) {
    object.insert(key, value);
}

/// The texts of an array member.
pub(crate) fn texts(value: &Value, key: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for item in items(value, key) {
        if let Value::String(text) = item {
            texts.push(text.clone());
        }
    }
    texts
}

/// Adds texts to a text.
pub(super) fn add(out: &mut String, texts: &[&str]) {
    for text in texts {
        out.push_str(text);
    }
}

/// The elements of an array member.
pub(crate) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// One text block in an array, the long form of a text.
pub(super) fn text_blocks(text: &str) -> Value {
    let mut block = Object::new();
    set(&mut block, "type", "text");
    set(&mut block, "text", text);
    Value::Array(vec![Value::Object(block)])
}

/// The length of a text as JavaScript counts it: a unit for each letter, and one more for one of four bytes.
pub(super) fn units(text: &str) -> usize {
    let mut units = 0;
    for byte in text.bytes() {
        units += usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0);
    }
    units
}

/// The texts of a content that is a text or an array of blocks.
pub(super) fn texts_of(content: Option<&Value>) -> Vec<&str> {
    let mut texts = Vec::new();
    match content {
        Some(Value::String(text)) => texts.push(text.as_str()),
        Some(Value::Array(blocks)) => {
            for block in blocks {
                if text(block, "type") == "text" {
                    texts.push(text(block, "text"));
                }
            }
        }
        _ => {}
    }
    texts
}

/// Those texts in one.
pub(super) fn joined_text(content: Option<&Value>, separator: &str) -> String {
    joined(&texts_of(content), separator)
}
