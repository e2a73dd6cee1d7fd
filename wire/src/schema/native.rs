//! Regular expressions where there is no JavaScript engine.

use super::Patterns;
use regex_lite::Regex;
use std::collections::HashMap;
use std::sync::Mutex;

/// [`Patterns`] by `regex-lite`, for native tests and hosts. It lacks look-around, back references and `\p{..}`:
/// patterns that need them count as not usable. Differences from ECMA-262 that remain: `.` also matches U+2028 and
/// U+2029, and `\S` inside a class knows ASCII white space only.
#[derive(Default)]
pub struct NativePatterns {
    /// By the pattern, or by the name of a format behind a question mark, with which no pattern begins.
    compiled: Mutex<HashMap<String, Option<Regex>>>,
}

impl NativePatterns {
    fn run(&self, key: &str, pattern: &dyn Fn() -> String, text: &str) -> Option<bool> {
        let mut compiled = self.compiled.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(regex) = compiled.get(key) {
            return regex.as_ref().map(|regex| regex.is_match(text));
        }
        let regex = Regex::new(&translated(&pattern())).ok();
        let found = regex.as_ref().map(|regex| regex.is_match(text));
        compiled.insert(key.to_owned(), regex);
        found
    }
}

impl Patterns for NativePatterns {
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        self.run(pattern, &|| pattern.to_owned(), text)
    }

    fn is_format(&self, name: &str, pattern: &dyn Fn() -> String, text: &str) -> Option<bool> {
        self.run(&["?", name].concat(), pattern, text)
    }
}

/// White space and line terminators of ECMA-262, inside a class.
macro_rules! space {
    () => {
        r"\s\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
    };
}

/// What ECMA-262 writes otherwise: `\/`, `\cX`, `\u1234`, `\u{1F600}`, named groups, `[^]`, `$` at the very end only.
fn translated(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('/') => out.push('/'),
                Some('-') if !in_class => out.push('-'),
                Some('s') => out.push_str(if in_class { space!() } else { concat!("[", space!(), "]") }),
                Some('S') if !in_class => out.push_str(concat!("[^", space!(), "]")),
                Some('c') => {
                    let control = chars.next().and_then(|letter| char::from_u32(letter as u32 % 32));
                    out.extend(control);
                }
                Some('u') if chars.peek() != Some(&'{') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    out.push_str("\\x{");
                    out.push_str(&digits);
                    out.push('}');
                }
                Some('u') => out.push_str("\\x"),
                Some(escaped) => {
                    out.push('\\');
                    out.push(escaped);
                }
                // A lone backslash at the end stays, and is refused.
                None => out.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
            }
            // In ECMA-262 an opening bracket means nothing inside a class.
            '[' => out.push_str("\\["),
            ']' => {
                in_class = false;
                out.push(']');
            }
            _ => out.push(c),
        }
    }
    out
}
