//! Reading and making the JSON of entries and messages.

use steersman_wire::json::{Object, Value};

/// A text member; empty when it is missing or no text.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A number member; 0 when it is missing or no number.
pub(super) fn number(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or(0.0)
}

/// A member that is neither missing nor `null`.
pub(super) fn given<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|member| !member.is_null())
}

/// The elements of an array member.
pub(super) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// An object of some members.
pub(super) fn object(members: &[(&str, &Value)]) -> Object {
    let mut object = Object::new();
    for (key, value) in members {
        object.insert(*key, (*value).clone());
    }
    object
}

/// One text block in an array, the long form of a text.
pub(super) fn text_blocks(text: &str) -> Value {
    Value::Array(vec![Value::Object(object(&[("type", &"text".into()), ("text", &text.into())]))])
}

/// The length of a text as JavaScript counts it.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The texts of a content that is a text or an array of blocks, one after the other.
pub(super) fn each_text<'a>(content: Option<&'a Value>, each: &mut dyn FnMut(&'a str)) {
    match content {
        Some(Value::String(text)) => each(text),
        Some(Value::Array(blocks)) => {
            blocks.iter().filter(|block| text(block, "type") == "text").for_each(|block| each(text(block, "text")));
        }
        _ => {}
    }
}

/// Those texts in one.
pub(super) fn joined_text(content: Option<&Value>, separator: &str) -> String {
    let mut out = String::new();
    let mut first = true;
    each_text(content, &mut |text| {
        if !std::mem::take(&mut first) {
            out.push_str(separator);
        }
        out.push_str(text);
    });
    out
}
