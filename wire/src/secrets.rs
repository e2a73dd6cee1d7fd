//! Keys have no place in a text that people and logs get to see, in whatever form a server quotes them.

use crate::text::{has, replace};

/// What stands in place of a secret.
const HIDDEN: &str = "[redacted]";
/// What a text that was cut ends with.
pub(crate) const CUT: &str = "... [truncated ";
/// Fewest characters of a beginning that count as part of a secret.
const PART: usize = 4;
/// What pages have names for.
const NAMED: &[(&str, &str)] = &[("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")];
/// What stands before and behind the number of a byte: in addresses, in JSON, and in pages.
const STYLES: &[[&str; 2]] = &[["%", ""], ["\\u00", ""], ["&#x", ";"]];

/// The text without secrets: as they are, and as servers quote them.
pub(crate) fn redact(text: &mut String, secrets: &[String]) {
    let was_cut = has(text, CUT);
    for secret in secrets {
        hide_form(text, secret.clone(), was_cut);
        // As JSON and pages quote it.
        hide_form(text, replace(secret, "/", "\\/"), was_cut);
        let mut named = secret.clone();
        for (char, name) in NAMED {
            named = replace(&named, char, name);
        }
        hide_form(text, named, was_cut);
        for ten in [b'A', b'a'] {
            for style in STYLES {
                hide_form(text, quoted(secret, ten, style), was_cut);
            }
        }
        // Wherever in a longer text it begins.
        for shift in 0..3 {
            for last in [*b"+/", *b"-_"] {
                hide_form(text, base64(secret.as_bytes(), shift, last), was_cut);
            }
        }
    }
}

/// Hides a secret in one of its forms. A text that was cut may end inside of it.
fn hide_form(text: &mut String, form: String, was_cut: bool) {
    hide(text, &form, "");
    let mut end = if was_cut { form.len() } else { 0 };
    while end > PART {
        end -= 1;
        if let Some(part) = form.get(..end) {
            hide(text, &[part, CUT].concat(), CUT);
        }
    }
}

fn hide(text: &mut String, form: &str, then: &str) {
    if has(text, form) {
        *text = replace(text, form, &[HIDDEN, then].concat());
    }
}

/// With numbers in place of bytes that mean something there. `ten` is the hexadecimal digit 10, `style` what stands before
/// and behind a number.
fn quoted(text: &str, ten: u8, style: &[&str; 2]) -> String {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { ten + value - 10 });
    let [address, page] = [style[0] == "%", !style[1].is_empty()];
    let mut out = String::new();
    for char in text.chars() {
        let plain = match char {
            '-' | '_' | '.' | '~' | '!' | '*' | '(' | ')' => true,
            '\'' => address,
            '"' | '&' | '<' | '>' => false,
            '+' | '`' => page,
            _ => !address || char.is_ascii_alphanumeric(),
        };
        if plain {
            out.push(char);
            continue;
        }
        for byte in char.encode_utf8(&mut [0; 4]).bytes() {
            out.push_str(style[0]);
            out.push(digit(byte >> 4));
            out.push(digit(byte & 15));
            out.push_str(style[1]);
        }
    }
    out
}

/// What bytes look like in the base64 of a text in which `shift` bytes more than a multiple of three come before them:
/// the characters that they alone determine. `last` are the digits 62 and 63.
fn base64(bytes: &[u8], shift: usize, last: [u8; 2]) -> String {
    let bits = bytes.len() * 8;
    let mut at = (6 - shift * 8 % 6) % 6;
    let mut out = String::new();
    while at + 6 <= bits {
        let byte = |index: usize| u16::from(bytes.get(index).copied().unwrap_or_default());
        let pair = (byte(at / 8) << 8) | byte(at / 8 + 1);
        let value = ((pair >> (10 - at % 8)) & 63) as u8;
        out.push(char::from(match value {
            0..=25 => b'A' + value,
            26..=51 => b'a' + value - 26,
            52..=61 => b'0' + value - 52,
            62 => last[0],
            _ => last[1],
        }));
        at += 6;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-a/b+c=d~é9";

    #[test]
    fn what_pages_and_json_escape_is_hidden() {
        for text in [
            "sk&amp;&lt;&quot;&#39;+0123",
            "sk&#x26;&#x3c;&#x22;&#x27;+0123",
            "sk\\u0026\\u003C\\u0022\\u0027\\u002B0123",
            "sk\\u0026\\u003c\\u0022\\u0027\\u002b0123",
        ] {
            let mut hidden = ["<p>", text, "</p>"].concat();
            redact(&mut hidden, &["sk&<\"'+0123".to_owned()]);
            assert_eq!(hidden, "<p>[redacted]</p>", "{text}");
        }
    }

    #[test]
    fn every_form_is_hidden() {
        for (text, wanted) in [
            ("no sk-a/b+c=d~é9!", "no [redacted]!"),
            ("sk-a\\/b+c=d~é9", "[redacted]"),
            ("?k=sk-a%2Fb%2Bc%3Dd~%C3%A99&x", "?k=[redacted]&x"),
            ("sk-a%2fb%2bc%3dd~%c3%a99", "[redacted]"),
            // base64 of the key, of ":key" and of "::key", the end of each together with a neighbour.
            ("c2stYS9iK2M9ZH7DqTk=", "[redacted]k="),
            ("OnNrLWEvYitjPWR+w6k5", "On[redacted]"),
            ("Ojpzay1hL2IrYz1kfsOpOQ==", "Ojp[redacted]Q=="),
            ("OnNrLWEvYitjPWR-w6k5", "On[redacted]"),
        ] {
            let mut hidden = text.to_owned();
            redact(&mut hidden, &[KEY.to_owned()]);
            assert_eq!(hidden, wanted, "{text}");
        }
    }

    #[test]
    fn the_beginning_of_one_at_a_cut_is_hidden() {
        for (text, wanted) in [
            ("bad sk-a/b... [truncated 9 chars]", "bad [redacted]... [truncated 9 chars]"),
            ("x c2stY... [truncated 2 chars] y", "x [redacted]... [truncated 2 chars] y"),
            ("bad sk-... [truncated 9 chars]", "bad sk-... [truncated 9 chars]"),
            ("bad sk-a/b...", "bad sk-a/b..."),
        ] {
            let mut hidden = text.to_owned();
            redact(&mut hidden, &[KEY.to_owned()]);
            assert_eq!(hidden, wanted, "{text}");
        }
    }
}
