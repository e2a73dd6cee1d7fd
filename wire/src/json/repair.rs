//! The one repair pass for finished tool-call arguments.

use super::scan::{hex_unit, plain_len, simple_escape};
use super::write::write_escape;
use std::borrow::Cow;

/// Mends the two faults models make inside strings and changes nothing else (provider specification, section 1.4):
/// raw control characters are escaped, and a backslash that starts no escape of JSON is doubled (`\d` becomes `\\d`,
/// so it reads as backslash and `d`). Borrows when there is nothing to mend. The result need not be valid JSON.
pub fn repair(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    // Everything before `kept` is in `out`, as it was or mended.
    let mut kept = 0;
    let mut pos = 0;
    let mut inside = false;
    loop {
        let rest = bytes.get(pos..).unwrap_or_default();
        if !inside {
            match memchr::memchr(b'"', rest) {
                Some(at) => pos += at + 1,
                None => break,
            }
            inside = true;
            continue;
        }
        let run = plain_len(rest);
        pos += run;
        let rest = rest.get(run..).unwrap_or_default();
        match *rest {
            [] => break,
            [b'"', ..] => {
                pos += 1;
                inside = false;
            }
            [b'\\', letter, ..] if simple_escape(letter).is_some() => pos += 2,
            [b'\\', b'u', ref digits @ ..] if hex_unit(digits).is_some() => pos += 6,
            [fault, ..] => {
                out.push_str(text.get(kept..pos).unwrap_or_default());
                write_escape(&mut out, char::from(fault));
                pos += 1;
                kept = pos;
            }
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::repair;
    use std::borrow::Cow;

    #[test]
    fn only_faults_inside_strings_are_mended() {
        for (text, expected) in [
            ("{\"a\":\"x\ny\u{1}\"}", r#"{"a":"x\ny\u0001"}"#),
            (r#"{"re":"\d+\.\""}"#, r#"{"re":"\\d+\\.\""}"#),
            (r#"["\u12","\u00e9","\u"]"#, r#"["\\u12","\u00e9","\\u"]"#),
            (r#"["\"#, r#"["\\"#),
            ("[\"\\\n\"]", r#"["\\\n"]"#),
            ("[\"\u{1f}\u{1e}\u{7f}é\"]", "[\"\\u001f\\u001e\u{7f}é\"]"),
        ] {
            assert_eq!(repair(text), expected);
        }
    }

    #[test]
    fn sound_text_is_borrowed_even_when_it_is_not_json() {
        for text in ["", "{\n\t\"a\": \"\\\\ \\\"\"}", "\u{1} \\d {", r#"["\u00e9é"#] {
            assert!(matches!(repair(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
