//! Arithmetic on numbers as written, without rounding to doubles.

use crate::json::number::Decimal;
use crate::json::Number;
use std::cmp::Ordering;

/// Whether the number is mathematically an integer.
pub(super) fn is_integer(text: &str) -> bool {
    let plain = text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    plain || Decimal::of(text).is_integer()
}

/// Whether a double can hold it at all. JavaScript reads larger numbers as infinite, which no schema type accepts.
pub(super) fn is_finite(text: &str) -> bool {
    let short = text.len() < 300 && !text.contains(['e', 'E']);
    short || text.parse().is_ok_and(f64::is_finite)
}

/// The number without its fraction, towards zero.
pub(super) fn truncated(text: &str) -> String {
    if is_integer(text) {
        return text.to_owned();
    }
    let decimal = Decimal::of(text);
    let whole = usize::try_from(decimal.scale).unwrap_or(0);
    let digits: String = decimal.digits.iter().take(whole).map(|&digit| char::from(digit)).collect();
    match (digits.is_empty(), decimal.negative) {
        (true, _) => "0".to_owned(),
        (false, true) => ["-", &digits].concat(),
        (false, false) => digits,
    }
}

/// Most significant digits a divisor of `multipleOf` may have.
pub(super) const MAX_DIVISOR_DIGITS: usize = 18;

/// Whether the number is an exact multiple of `divisor`. `None` when the divisor is not above zero or has more than
/// [`MAX_DIVISOR_DIGITS`] significant digits.
pub(super) fn is_multiple(text: &str, divisor: &Number) -> Option<bool> {
    let divisor = Decimal::of(divisor.as_str());
    if divisor.negative || divisor.digits.is_empty() || divisor.digits.len() > MAX_DIVISOR_DIGITS {
        return None;
    }
    let value = Decimal::of(text);
    if value.digits.is_empty() {
        return Some(true);
    }
    // Both as an integer times a power of ten, the integer without trailing zeros.
    let power = |decimal: &Decimal| decimal.scale.saturating_sub(decimal.digits.len() as i64);
    // A smaller power on the left leaves a digit below the divisor's last place.
    let Ok(zeros) = u64::try_from(power(&value).saturating_sub(power(&divisor))) else {
        return Some(false);
    };
    let modulus = divisor.digits.iter().fold(0u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    let rest = value.digits.iter().fold(0u128, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % modulus);
    Some(rest * power_of_ten(zeros, modulus) % modulus == 0)
}

/// `10^exponent mod modulus`, the modulus below 10^18.
fn power_of_ten(mut exponent: u64, modulus: u128) -> u128 {
    let (mut result, mut base) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    result
}

/// A text such that two numbers are equal exactly when theirs are.
pub(super) fn write_key(out: &mut String, text: &str) {
    let decimal = Decimal::of(text);
    if decimal.negative {
        out.push('-');
    }
    out.extend(decimal.digits.iter().map(|&digit| char::from(digit)));
    out.push('e');
    out.push_str(&decimal.scale.to_string());
}

/// Exact order of a number and a bound.
pub(super) fn compare(text: &str, bound: &Number) -> Ordering {
    // Doubles keep the order of decimals of up to 15 digits.
    let short = |text: &str| text.len() <= 15 && !text.contains(['e', 'E']);
    let double = |text: &str| text.parse::<f64>().ok();
    if short(text) && short(bound.as_str()) {
        if let Some(order) = double(text).zip(double(bound.as_str())).and_then(|(left, right)| left.partial_cmp(&right))
        {
            return order;
        }
    }
    Number::from_text(text).map_or(Ordering::Equal, |number| number.cmp(bound))
}
