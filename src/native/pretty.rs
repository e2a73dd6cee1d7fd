//! JSON with line breaks, as `JSON.stringify(value, null, 2)` writes it: made from the compact text, without recursion.

use steersman_wire::json::{self, Value};

/// The value with two spaces per level.
pub(super) fn pretty(value: &Value) -> String {
    let compact = json::to_text(value);
    let mut out = String::with_capacity(compact.len() * 2);
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut previous = ' ';
    for c in compact.chars() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            previous = ' ';
            continue;
        }
        let opened = matches!(previous, '{' | '[');
        match c {
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if !opened {
                    new_line(&mut out, depth);
                }
            }
            _ if opened => new_line(&mut out, depth),
            _ => {}
        }
        out.push(c);
        match c {
            '{' | '[' => depth += 1,
            ',' => new_line(&mut out, depth),
            ':' => out.push(' '),
            '"' => in_string = true,
            _ => {}
        }
        previous = c;
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    (0..depth).for_each(|_| out.push_str("  "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_json_stringify() {
        let value = json::parse(r#"{"a":[1,{"b\"}":"x\\"},[]],"c":{},"d":"[,:]"}"#).unwrap();
        let wanted = "{\n  \"a\": [\n    1,\n    {\n      \"b\\\"}\": \"x\\\\\"\n    },\n    []\n  ],\n  \"c\": {},\n  \"d\": \"[,:]\"\n}";
        assert_eq!(pretty(&value), wanted);
        assert_eq!(pretty(&Value::Null), "null");
    }
}
