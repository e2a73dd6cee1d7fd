//! One scalar as another type.

use crate::json::{number, Number};
use crate::schema::decimal;
use crate::schema::node::Type;
use crate::schema::values::Item;

/// The largest integer a double counts up to without gaps.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// The value as another type; `None` leaves it as it is: it has the type already, or no reading as it.
///
/// Strict conversion reads strings that spell exactly a value of the type, and `null` as the empty value. Generous
/// conversion also knows any case of `true` and `false`, cuts fractions off for integers, and writes `null` as a word
/// in strings.
pub(super) fn converted(item: &Item, wanted: Type, generous: bool) -> Option<Item> {
    Some(match wanted {
        Type::String => Item::String(match item {
            Item::Null if generous => "null".to_owned(),
            Item::Null => String::new(),
            Item::Bool(value) => word(*value).to_owned(),
            Item::Number(digits) => number_text(digits),
            _ => return None,
        }),
        Type::Number | Type::Integer => {
            let number = match item {
                Item::Null => "0".to_owned(),
                Item::Bool(value) => if *value { "1" } else { "0" }.to_owned(),
                Item::String(text) if generous => generous_number(text)?,
                Item::String(text) => number_in(text)?,
                Item::Number(digits) if generous && wanted == Type::Integer && !decimal::is_integer(digits) => {
                    digits.clone()
                }
                _ => return None,
            };
            if wanted == Type::Number || decimal::is_integer(&number) {
                Item::Number(number)
            } else if generous {
                Item::Number(decimal::truncated(&number))
            } else {
                return None;
            }
        }
        Type::Boolean => Item::Bool(match item {
            Item::Null => false,
            Item::Number(_) => switch(item)?,
            Item::String(text) => match text.as_str() {
                "0" if generous => false,
                "1" if generous => true,
                _ => truth(text, generous)?,
            },
            _ => return None,
        }),
        Type::Null => {
            let empty = match item {
                Item::String(text) if generous => {
                    matches!(text.to_ascii_lowercase().as_str(), "" | "0" | "null" | "undefined")
                }
                Item::String(text) => text.is_empty(),
                Item::Bool(value) => !value,
                Item::Number(_) => switch(item) == Some(false),
                _ => false,
            };
            return empty.then_some(Item::Null);
        }
        Type::Array | Type::Object => return None,
    })
}

/// A number in a string. One that a double does not hold exactly keeps the digits the model wrote: they are most
/// likely an identifier. Others read as JavaScript writes them.
fn number_text(digits: &str) -> String {
    match Number::from_text(digits) {
        Some(number) if number.lossless() => {
            let mut out = String::new();
            number::write_f64(&mut out, number.as_f64());
            out
        }
        _ => digits.to_owned(),
    }
}

/// The numbers 0 and 1 as a switch.
fn switch(item: &Item) -> Option<bool> {
    match item {
        Item::Number(digits) if decimal::double(digits) == 0.0 => Some(false),
        Item::Number(digits) if decimal::double(digits) == 1.0 => Some(true),
        _ => None,
    }
}

fn word(value: bool) -> &'static str {
    if value {
        "true"
    } else {
        "false"
    }
}

/// `true` or `false`, in any case if `generous`.
fn truth(text: &str, generous: bool) -> Option<bool> {
    let is = |word: &str| text == word || (generous && text.eq_ignore_ascii_case(word));
    [true, false].into_iter().find(|&value| is(word(value)))
}

/// A number however a model spells it in a string; nothing at all is zero.
fn generous_number(text: &str) -> Option<String> {
    let bigint = || {
        let number = Number::from_text(text.strip_suffix('n')?)?;
        (number.as_i64()?.unsigned_abs() <= MAX_SAFE).then(|| number.as_str().to_owned())
    };
    if trimmed(text).is_empty() {
        return Some("0".to_owned());
    }
    let truth = || Some(if truth(text, true)? { "1" } else { "0" }.to_owned());
    number_in(text).or_else(truth).or_else(bigint)
}

/// The JSON number that JavaScript's `Number(text)` comes to (ECMA-262, StringToNumber): white space around it, a
/// plus sign, leading zeros, bare points, and integers in base 16, 8 and 2 (of 64 bits) are fine. Digits are kept
/// exactly where JSON has the same spelling. `None` for other text, no text, and numbers beyond the range of a
/// double.
fn number_in(text: &str) -> Option<String> {
    let text = trimmed(text);
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let bare = unsigned.trim_start_matches('0');
    let number = if let Some(number) = [text, unsigned, bare].iter().find_map(|text| Number::from_text(text)) {
        number
    } else if let Some(number) = based(text) {
        Number::from(number)
    } else {
        respelled(text)?
    };
    decimal::is_finite(number.as_str()).then(|| number.as_str().to_owned())
}

/// `5.`, `.5`, `-007` as JSON spells them.
fn respelled(text: &str) -> Option<Number> {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_at_checked(unsigned.find(['e', 'E']).unwrap_or(unsigned.len()))?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    Number::from_text(&[sign, whole, point, fraction, exponent].concat())
}

/// What ECMA-262 calls white space and line terminators.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

/// `0x1F`, `0o17`, `0b101`.
fn based(text: &str) -> Option<u64> {
    let mut chars = text.strip_prefix('0')?.chars();
    let base = match chars.next()?.to_ascii_lowercase() {
        'x' => 16,
        'o' => 8,
        'b' => 2,
        _ => return None,
    };
    let mut number = None;
    for c in chars {
        number = Some(number.unwrap_or(0u64).checked_mul(base)?.checked_add(c.to_digit(base as u32)?.into())?);
    }
    number
}
