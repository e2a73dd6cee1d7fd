//! One scalar as another type.

use crate::json::{double, number, Number};
use crate::schema::decimal;
use crate::schema::node::Type;
use crate::schema::values::Item;
use crate::text::trim;

/// The largest integer a double counts up to without gaps.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// The text of the value as another type; `None` leaves it as it is: it has the type already, or no reading as it.
///
/// Strict conversion reads strings that spell exactly a value of the type, and `null` as the empty value. Generous
/// conversion also knows any case of `true` and `false`, cuts fractions off for integers, and writes `null` as a word
/// in strings.
pub(super) fn converted(item: &Item, wanted: Type, generous: bool) -> Option<String> {
    let text = item.text.as_str();
    let string = item.of == Type::String;
    let text = match (wanted, item.of) {
        (_, Type::Array | Type::Object) | (Type::Array | Type::Object, _) | (Type::String, Type::String) => {
            return None
        }
        (Type::String, Type::Null) if !generous => "",
        (Type::String, Type::Integer | Type::Number) => return Some(number_text(text)),
        (Type::String, _) => text,
        (Type::Integer | Type::Number, _) => return number(item, wanted, generous),
        (Type::Boolean, Type::Boolean) | (Type::Null, Type::Null) => return None,
        (Type::Boolean, Type::Null) => "false",
        (Type::Boolean, _) => match switch(item) {
            Some(true) => "true",
            Some(false) => "false",
            None if !string => return None,
            None => match text {
                "0" if generous => "false",
                "1" if generous => "true",
                _ => truth(text, generous)?,
            },
        },
        (Type::Null, _) => {
            let word = |word: &str| text.eq_ignore_ascii_case(word);
            let generous = generous && (text == "0" || word("null") || word("undefined"));
            let empty =
                if string { text.is_empty() || generous } else { text == "false" || switch(item) == Some(false) };
            return empty.then(|| "null".to_owned());
        }
    };
    Some(text.to_owned())
}

fn number(item: &Item, wanted: Type, generous: bool) -> Option<String> {
    let text = item.text.as_str();
    let number = match item.of {
        Type::Null => "0".to_owned(),
        Type::Boolean => digit(text).to_owned(),
        Type::String if generous => generous_number(text)?,
        Type::String => number_in(text)?,
        Type::Number if generous && wanted == Type::Integer => text.to_owned(),
        _ => return None,
    };
    if wanted == Type::Integer && !decimal::is_integer(&number) {
        return generous.then(|| decimal::truncated(&number));
    }
    Some(number)
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
    let number = match item.of {
        Type::Integer | Type::Number => decimal::double(&item.text),
        _ => return None,
    };
    (number == 0.0 || number == 1.0).then_some(number == 1.0)
}

/// `true` or `false`, in any case if `generous`.
fn truth(text: &str, generous: bool) -> Option<&'static str> {
    let is = |word: &str| text == word || (generous && text.eq_ignore_ascii_case(word));
    if is("true") {
        return Some("true");
    }
    is("false").then_some("false")
}

fn digit(word: &str) -> &'static str {
    if word == "true" {
        "1"
    } else {
        "0"
    }
}

/// A number however a model spells it in a string; nothing at all is zero.
fn generous_number(text: &str) -> Option<String> {
    if trim(text).is_empty() {
        return Some("0".to_owned());
    }
    if let Some(number) = number_in(text) {
        return Some(number);
    }
    if let Some(word) = truth(text, true) {
        return Some(digit(word).to_owned());
    }
    // JavaScript's notation of big integers.
    let number = Number::from_text(text.strip_suffix('n')?)?;
    (number.is_integer() && number.as_f64().abs() <= MAX_SAFE).then(|| number.as_str().to_owned())
}

/// The JSON number that JavaScript's `Number(text)` comes to. Digits are kept exactly where JSON has the same spelling.
/// `None` for other text, no text, and numbers beyond the range of a double.
fn number_in(text: &str) -> Option<String> {
    let text = trim(text);
    if Number::from_text(text).is_some() {
        return decimal::is_finite(text).then(|| text.to_owned());
    }
    let value = if text.is_empty() { f64::NAN } else { double::loose(text) };
    Some(Number::from_f64(value)?.as_str().to_owned())
}
