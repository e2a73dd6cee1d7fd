//! One scalar as another type. `None` leaves the value as it is: it has the type already, or no reading as it.

use crate::json::{number, Number};
use crate::schema::decimal;
use crate::schema::node::Type;
use crate::schema::values::Item;
use std::borrow::Cow;

/// The largest integer a double counts up to without gaps.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// Generous conversion: any case of `true` and `false`, numbers with a fraction cut to integers, `null` as the empty
/// value of numbers and booleans and as a word in strings.
pub(super) fn converted(item: &Item, wanted: Type) -> Option<Item<'static>> {
    match wanted {
        Type::String => match item {
            Item::Null => Some(text("null".to_owned())),
            _ => as_text(item),
        },
        Type::Number => match item {
            Item::Null => Some(digits("0")),
            Item::Bool(value) => Some(digits(if *value { "1" } else { "0" })),
            Item::String(text) => generous_number(text).map(number_item),
            _ => None,
        },
        Type::Integer => match item {
            Item::Number(text) if !decimal::is_integer(text) => Some(number_item(decimal::truncated(text))),
            _ => match converted(item, Type::Number)? {
                Item::Number(text) => Some(number_item(decimal::truncated(&text))),
                other => Some(other),
            },
        },
        Type::Boolean => match item {
            Item::Null => Some(Item::Bool(false)),
            Item::String(text) => word(text).map(Item::Bool).or_else(|| match text.as_ref() {
                "0" => Some(Item::Bool(false)),
                "1" => Some(Item::Bool(true)),
                _ => None,
            }),
            _ => as_switch(item).map(Item::Bool),
        },
        Type::Null => {
            let empty = match item {
                Item::String(text) => {
                    matches!(text.as_ref(), "" | "0")
                        || ["null", "undefined"].iter().any(|word| text.eq_ignore_ascii_case(word))
                }
                _ => is_empty(item),
            };
            empty.then_some(Item::Null)
        }
        Type::Array | Type::Object => None,
    }
}

/// Strict conversion: strings that spell exactly a value of the type.
pub(super) fn strictly(item: &Item, wanted: Type) -> Option<Item<'static>> {
    match (wanted, item) {
        (Type::String, Item::Null) => Some(text(String::new())),
        (Type::String, _) => as_text(item),
        (Type::Number | Type::Integer, Item::Null) => Some(digits("0")),
        (Type::Number | Type::Integer, Item::Bool(value)) => Some(digits(if *value { "1" } else { "0" })),
        (Type::Number | Type::Integer, Item::String(text)) => {
            let number = number_in(text)?;
            let fits = wanted == Type::Number || decimal::is_integer(&number);
            fits.then(|| number_item(number))
        }
        (Type::Boolean, Item::Null) => Some(Item::Bool(false)),
        (Type::Boolean, Item::String(text)) => match text.as_ref() {
            "true" => Some(Item::Bool(true)),
            "false" => Some(Item::Bool(false)),
            _ => None,
        },
        (Type::Boolean, _) => as_switch(item).map(Item::Bool),
        (Type::Null, Item::String(text)) => text.is_empty().then_some(Item::Null),
        (Type::Null, _) => is_empty(item).then_some(Item::Null),
        _ => None,
    }
}

fn text(text: String) -> Item<'static> {
    Item::String(Cow::Owned(text))
}

fn digits(text: &'static str) -> Item<'static> {
    Item::Number(Cow::Borrowed(text))
}

fn number_item(text: String) -> Item<'static> {
    Item::Number(Cow::Owned(text))
}

/// Numbers and booleans in words. A number a double does not hold exactly keeps the digits the model wrote: they are
/// most likely an identifier. Others read as JavaScript writes them.
fn as_text(item: &Item) -> Option<Item<'static>> {
    match item {
        Item::Bool(value) => Some(text(value.to_string())),
        Item::Number(digits) => {
            let number = Number::from_text(digits).filter(Number::lossless);
            Some(text(match number {
                Some(number) => {
                    let mut out = String::new();
                    number::write_f64(&mut out, number.as_f64());
                    out
                }
                None => digits.as_ref().to_owned(),
            }))
        }
        _ => None,
    }
}

/// The numbers 0 and 1 as a switch.
fn as_switch(item: &Item) -> Option<bool> {
    match item {
        Item::Number(text) => match text.parse::<f64>() {
            Ok(0.0) => Some(false),
            Ok(1.0) => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// `false` and zero.
fn is_empty(item: &Item) -> bool {
    matches!(item, Item::Bool(false)) || as_switch(item) == Some(false)
}

/// `true` and `false` in any case.
fn word(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// A number however a model spells it in a string; nothing at all is zero.
fn generous_number(text: &str) -> Option<String> {
    let bigint = || {
        let digits = text.strip_suffix('n').filter(|digits| decimal::is_integer(digits))?;
        let number = Number::from_text(digits)?.as_i64()?;
        (number.unsigned_abs() <= MAX_SAFE).then(|| digits.to_owned())
    };
    if trimmed(text).is_empty() {
        return Some("0".to_owned());
    }
    let truth = || word(text).map(|value| if value { "1" } else { "0" }.to_owned());
    number_in(text).or_else(truth).or_else(bigint)
}

/// The JSON number that JavaScript's `Number(text)` comes to (ECMA-262, StringToNumber): white space around it, a
/// plus sign, leading zeros, bare points, and integers in base 16, 8 and 2 are fine. The digits are kept exactly.
/// `None` for other text, no text, and numbers beyond the range of a double.
fn number_in(text: &str) -> Option<String> {
    let text = trimmed(text);
    let number = match Number::from_text(text) {
        Some(_) => text.to_owned(),
        None => based(text).or_else(|| loose(text))?,
    };
    decimal::is_finite(&number).then_some(number)
}

/// What ECMA-262 calls white space and line terminators.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

/// `0x1F`, `0o17`, `0b101`, up to 128 bits.
fn based(text: &str) -> Option<String> {
    let rest = text.strip_prefix('0')?;
    let bases = [('x', 16), ('o', 8), ('b', 2)];
    let (digits, base) = bases.iter().find_map(|&(mark, base)| {
        let digits = rest.strip_prefix([mark, mark.to_ascii_uppercase()])?;
        Some((digits, base))
    })?;
    let sound = digits.chars().all(|c| c.is_digit(base));
    u128::from_str_radix(digits, base).ok().filter(|_| sound).map(|number| number.to_string())
}

/// A decimal that JSON would write otherwise: `+1`, `007`, `.5`, `5.`
fn loose(text: &str) -> Option<String> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = text.split_at(text.find(['e', 'E']).unwrap_or(text.len()));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    // The grammar of JSON refuses what is still wrong.
    let number = [sign, whole, point, fraction, exponent].concat();
    Number::from_text(&number).map(|_| number)
}
