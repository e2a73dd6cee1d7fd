//! Writing JSON as `JSON.stringify` does: no white space, the fewest escapes.

use super::scan::plain_len;
use super::Value;

/// The compact text of a value. Numbers are written with the digits they came with.
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// Appends the compact text of a value.
pub fn write_value(out: &mut String, value: &Value) {
    // The containers that are open, and how many of their values are written.
    let mut open: Vec<(&Value, usize)> = Vec::new();
    let mut value = value;
    loop {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(number) => out.push_str(number.as_str()),
            Value::String(text) => write_string(out, text),
            Value::Array(_) => {
                out.push('[');
                open.push((value, 0));
            }
            Value::Object(_) => {
                out.push('{');
                open.push((value, 0));
            }
        }
        loop {
            let Some((container, count)) = open.last_mut() else {
                return;
            };
            let (name, next, closer) = match container {
                Value::Array(items) => (None, items.get(*count), ']'),
                Value::Object(object) => {
                    let member = object.entries().get(*count);
                    (member.map(|member| member.0.as_str()), member.map(|member| &member.1), '}')
                }
                _ => return,
            };
            let Some(next) = next else {
                out.push(closer);
                open.pop();
                continue;
            };
            if *count > 0 {
                out.push(',');
            }
            if let Some(name) = name {
                write_string(out, name);
                out.push(':');
            }
            *count += 1;
            value = next;
            break;
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
