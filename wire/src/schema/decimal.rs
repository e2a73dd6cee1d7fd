//! Arithmetic on numbers as written, without rounding to doubles.

use crate::json::double::parse_f64;
use crate::json::number::Decimal;
use crate::json::Number;
use crate::text::signed;
use std::cmp::Ordering;

/// Whether the number is mathematically an integer.
pub(super) fn is_integer(text: &str) -> bool {
    Decimal::of(text).is_integer()
}

/// Whether a double can hold it at all. JavaScript reads larger numbers as infinite, which no schema type accepts.
pub(super) fn is_finite(text: &str) -> bool {
    (text.len() < 300 && !text.bytes().any(|byte| byte | 0x20 == b'e')) || double(text).is_finite()
}

/// The nearest double.
pub(super) fn double(text: &str) -> f64 {
    parse_f64(text)
}

/// The number without its fraction, towards zero.
pub(super) fn truncated(text: &str) -> String {
    if is_integer(text) {
        return text.to_owned();
    }
    let decimal = Decimal::of(text);
    let whole = decimal.digits.get(..decimal.scale.max(0) as usize).unwrap_or(&decimal.digits);
    if whole.is_empty() {
        return "0".to_owned();
    }
    let mut out = String::new();
    if decimal.negative {
        out.push('-');
    }
    push_digits(&mut out, whole);
    out
}

/// Most significant digits a divisor of `multipleOf` may have, so that ten times a rest of it fits 64 bits.
const MAX_DIVISOR_DIGITS: usize = 18;
/// Most places between the last digits of value and divisor; doubles span some 630.
const MAX_PLACES: i64 = 10_000;

/// Whether the number is an exact multiple of `divisor`. `None` when the divisor is not above zero, has more than
/// [`MAX_DIVISOR_DIGITS`] significant digits or is absurdly small.
pub(super) fn is_multiple(text: &str, divisor: &Number) -> Option<bool> {
    let divisor = Decimal::of(divisor.as_str());
    if divisor.negative || divisor.digits.is_empty() || divisor.digits.len() > MAX_DIVISOR_DIGITS {
        return None;
    }
    let value = Decimal::of(text);
    // Both as an integer times a power of ten, the integer without trailing zeros. A smaller power on the left leaves
    // a digit below the divisor's last place.
    let power = |decimal: &Decimal| decimal.scale - decimal.digits.len() as i64;
    let places = power(&value) - power(&divisor);
    if value.digits.is_empty() || places < 0 {
        return Some(value.digits.is_empty());
    }
    if places > MAX_PLACES {
        return None;
    }
    let digit = |digit: &u8| u64::from(digit.wrapping_sub(b'0'));
    let modulus = divisor.digits.iter().fold(0, |sum, next| sum * 10 + digit(next)).max(1);
    let mut rest = value.digits.iter().fold(0, |rest, next| (rest * 10 + digit(next)) % modulus);
    for _ in 0..places {
        rest = rest * 10 % modulus;
    }
    Some(rest == 0)
}

/// Exact order of a number and a bound.
pub(super) fn compare(text: &str, bound: &Number) -> Ordering {
    Decimal::of(text).order(&Decimal::of(bound.as_str()))
}

/// Appends a text such that two numbers are equal exactly when theirs are.
pub(super) fn write_key(out: &mut String, text: &str) {
    let decimal = Decimal::of(text);
    if decimal.negative {
        out.push('-');
    }
    push_digits(out, &decimal.digits);
    out.push('e');
    out.push_str(&signed(decimal.scale));
}

fn push_digits(out: &mut String, digits: &[u8]) {
    for &digit in digits {
        out.push(char::from(digit));
    }
}
