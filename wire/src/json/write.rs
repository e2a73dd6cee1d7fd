//! Writing JSON as `JSON.stringify` does: no white space, the fewest escapes.

use super::scan::plain_len;
use super::Value;

/// The compact text of a value. Numbers are written with the digits they came with.
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// A container being written, and what is left of it.
enum Open<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(std::slice::Iter<'a, (String, Value)>),
}

/// Appends the compact text of a value.
pub fn write_value(out: &mut String, value: &Value) {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next {
        // Whether the value just written opened a container, so that no comma is due.
        let mut fresh = false;
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(number) => out.push_str(number.as_str()),
            Value::String(text) => write_string(out, text),
            Value::Array(items) => {
                out.push('[');
                open.push(Open::Array(items.iter()));
                fresh = true;
            }
            Value::Object(object) => {
                out.push('{');
                open.push(Open::Object(object.entries().iter()));
                fresh = true;
            }
        }
        next = None;
        while let (None, Some(container)) = (next, open.last_mut()) {
            let closer = match container {
                Open::Array(items) => {
                    next = items.next();
                    if next.is_some() && !fresh {
                        out.push(',');
                    }
                    ']'
                }
                Open::Object(members) => {
                    if let Some((key, value)) = members.next() {
                        if !fresh {
                            out.push(',');
                        }
                        write_string(out, key);
                        out.push(':');
                        next = Some(value);
                    }
                    '}'
                }
            };
            if next.is_none() {
                out.push(closer);
                open.pop();
                fresh = false;
            }
        }
    }
}

/// Appends a string in quotes, escaped as `JSON.stringify` does: the quote, the backslash, and controls below 0x20
/// (short forms where they exist, else `\u` and four lower-case digits). Everything else stays as it is.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    loop {
        let (plain, tail) = rest.split_at_checked(plain_len(rest.as_bytes())).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = tail.chars();
        let Some(special) = chars.next() else {
            break;
        };
        write_escape(out, special);
        rest = chars.as_str();
    }
    out.push('"');
}

/// Appends the escape of a quote, a backslash or a control below 0x20.
pub(super) fn write_escape(out: &mut String, special: char) {
    let letter = match special {
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '"' | '\\' => special,
        _ => {
            let code = u32::from(special);
            out.push_str(if code < 0x10 { "\\u000" } else { "\\u001" });
            out.push(char::from_digit(code % 0x10, 16).unwrap_or('0'));
            return;
        }
    };
    out.push('\\');
    out.push(letter);
}
