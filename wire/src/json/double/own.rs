//! In two kilobytes of WebAssembly, by pairs of doubles (106 bits). The standard library does it with tables and big
//! numbers, 30 kB that no compressor shrinks.

use crate::json::number::{exponent_of, Number};
use crate::text::decimal;

/// Appends a double that is finite and not zero.
pub(super) fn write(out: &mut String, value: f64) {
    let (digits, exponent) = shortest(value.abs());
    let digits = decimal(digits);
    let count = digits.len() as i32;
    // The decimal point stands after this many digits.
    let point = exponent + count;
    if value < 0.0 {
        out.push('-');
    }
    let zeros = |out: &mut String, count: i32| (0..count).for_each(|_| out.push('0'));
    if count <= point && point <= 21 {
        out.push_str(&digits);
        zeros(out, point - count);
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at_checked(point as usize).unwrap_or((&digits, ""));
        out.push_str(whole);
        out.push('.');
        out.push_str(fraction);
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        zeros(out, -point);
        out.push_str(&digits);
    } else {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        out.push_str(if point > 0 { "e+" } else { "e-" });
        out.push_str(&decimal((point - 1).unsigned_abs().into()));
    }
}

/// The fewest digits that read back as `value`, which is finite and above zero: `digits * 10^exponent`, no zero at the
/// end.
fn shortest(value: f64) -> (u64, i32) {
    // A decimal of up to 15 digits is what rounding its double to 15 digits gives, unless the double is subnormal and
    // holds fewer digits; 17 digits always suffice.
    let fewest = if value < f64::MIN_POSITIVE { 1 } else { 15 };
    let mut best = (0, 0);
    for count in fewest..=17 {
        best = rounded(value, count);
        if read_back(best) == value {
            break;
        }
    }
    let (mut digits, mut exponent) = best;
    while digits > 0 && digits % 10 == 0 {
        digits /= 10;
        exponent += 1;
    }
    (digits, exponent)
}

/// The nearest double of a valid JSON number.
pub(super) fn parse_f64(text: &str) -> f64 {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mut digits, mut exponent, mut fraction) = (0u64, 0i32, false);
    // Digits that do not fit any more, as a part of the last one that did.
    let (mut rest, mut place) = (0.0, 0.1);
    let mut bytes = text.bytes();
    for byte in bytes.by_ref() {
        match byte {
            b'0'..=b'9' if digits < 1_000_000_000_000_000_000 => {
                digits = digits * 10 + u64::from(byte - b'0');
                exponent = exponent.saturating_sub(i32::from(fraction));
            }
            b'0'..=b'9' => {
                rest += f64::from(byte - b'0') * place;
                place *= 0.1;
                exponent = exponent.saturating_add(i32::from(!fraction));
            }
            b'.' => fraction = true,
            _ => break,
        }
    }
    let given = exponent_of(bytes).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    let exponent = exponent.saturating_add(given);
    let value = double(digits, rest, exponent);
    if negative {
        -value
    } else {
        value
    }
}

/// What `Number(text)` of JavaScript gives (ECMA-262, StringToNumber) for text without white space around it.
pub(super) fn loose(text: &str) -> f64 {
    let number = based(text).or_else(|| Some(parse_f64(respelled(text)?.as_str())));
    number.unwrap_or(f64::NAN)
}

/// `+5`, `5.`, `.5`, `-007` as JSON spells them.
fn respelled(text: &str) -> Option<Number> {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = text.split_at(text.find(['e', 'E']).unwrap_or(text.len()));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    Number::from_text(&[sign, whole, point, fraction, exponent].concat())
}

/// `0x1F`, `0o17`, `0b101`, at most 64 bits.
fn based(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('0')?;
    let base = match digits.bytes().next()? | 0x20 {
        b'x' => 16,
        b'o' => 8,
        b'b' => 2,
        _ => return None,
    };
    let mut number = None;
    for byte in digits.bytes().skip(1) {
        let digit = char::from(byte).to_digit(base)?;
        number = Some(number.unwrap_or(0u64).checked_mul(base.into())?.checked_add(digit.into())?);
    }
    Some(number? as f64)
}

fn read_back((digits, exponent): (u64, i32)) -> f64 {
    double(digits, 0.0, exponent)
}

/// `(digits + rest) * 10^exponent`.
fn double(digits: u64, rest: f64, exponent: i32) -> f64 {
    if digits == 0 || exponent < -350 {
        return 0.0;
    }
    if exponent > 310 {
        return f64::INFINITY;
    }
    let high = digits as f64;
    let low = if high as u64 > digits { -((high as u64 - digits) as f64) } else { (digits - high as u64) as f64 };
    let low = low + rest;
    // Stay clear of both ends of the range; a power of two costs nothing.
    let tame = 2f64.powi(match exponent {
        201.. => -200,
        ..=-201 => 200,
        _ => 0,
    });
    let (high, low) = times_power_of_ten((high * tame, low * tame), exponent);
    (high + low) / tame
}

/// The nearest decimal of `count` digits.
fn rounded(value: f64, count: i32) -> (u64, i32) {
    // From the binary exponent; too high by one at most, and lower for subnormal values.
    let binary = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1022;
    let mut exponent = (f64::from(binary) * std::f64::consts::LOG10_2).ceil() as i32 - count;
    let low = 10u64.pow(count.unsigned_abs() - 1);
    loop {
        let digits = scaled(value, -exponent);
        if digits >= low || exponent < -400 {
            return if digits >= low * 10 { (digits / 10, exponent + 1) } else { (digits, exponent) };
        }
        exponent -= 1;
    }
}

/// `value * 10^power`, to the nearest integer. Two doubles carry 106 bits, so the 17 digits asked for are right.
fn scaled(value: f64, power: i32) -> u64 {
    // Near the largest double the exact product would overflow: work on a smaller one (a power of two costs nothing).
    let tame = if value > 1e290 { 2f64.powi(-100) } else { 1.0 };
    let (high, low) = times_power_of_ten((value * tame, 0.0), power);
    let (high, low) = (high / tame, low / tame);
    let whole = high.floor();
    let rest = ((high - whole) + low + 0.5).floor();
    (whole as i64).saturating_add(rest as i64).max(0) as u64
}

fn times_power_of_ten(mut pair: (f64, f64), power: i32) -> (f64, f64) {
    const STEP: i32 = 22; // 10^22 is the largest power of ten that is a double
    let mut left = power;
    while left != 0 {
        let step = left.abs().min(STEP);
        let factor = (0..step).fold(1.0, |product, _| product * 10.0);
        pair = if left > 0 { times(pair, factor) } else { over(pair, factor) };
        left -= step * left.signum();
    }
    pair
}

fn times((high, low): (f64, f64), factor: f64) -> (f64, f64) {
    let (product, error) = exact_product(high, factor);
    normal(product, error + low * factor)
}

fn over((high, low): (f64, f64), divisor: f64) -> (f64, f64) {
    let quotient = high / divisor;
    let (product, error) = exact_product(quotient, divisor);
    normal(quotient, ((high - product) - error + low) / divisor)
}

/// The product and what rounding took from it (Dekker 1971).
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    (product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)
}

fn halves(value: f64) -> (f64, f64) {
    let spread = value * 134_217_729.0; // 2^27 + 1
    let high = spread - (spread - value);
    (high, value - high)
}

fn normal(high: f64, low: f64) -> (f64, f64) {
    let sum = high + low;
    (sum, low - (sum - high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_std(value: f64) -> (u64, i32) {
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap();
        let digits = mantissa.replace('.', "");
        let exponent: i32 = exponent.parse().unwrap();
        (digits.parse().unwrap(), exponent + 1 - digits.len() as i32)
    }

    /// Numbers that look random, by xorshift.
    fn numbers(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        }
    }

    #[test]
    fn like_the_standard_library() {
        let mut next = numbers(0x2545_f491_4f6c_dd1du64);
        for _ in 0..20_000 {
            let random = f64::from_bits(next() & !(1 << 63));
            let plain = (next() % 1_000_000) as f64 / 1000.0 + 0.1;
            let product = (next() % 100_000) as f64 * 0.000_000_3 + 1e-9;
            for value in [random, plain, product] {
                if value.is_finite() && value > 1e-300 {
                    assert_eq!(shortest(value), of_std(value), "{value:e}");
                }
            }
        }
    }

    #[test]
    fn reads_like_the_standard_library() {
        let mut next = numbers(0x9e37_79b9_7f4a_7c15u64);
        for _ in 0..50_000 {
            let digits = next() >> (next() % 60);
            let point = (next() % 20) as usize;
            let mut text = digits.to_string();
            if point > 0 && point < text.len() {
                text.insert(point, '.');
            }
            if next() % 2 == 0 {
                text = format!("-{text}e{}", (next() % 600) as i64 - 300);
            }
            let wanted: f64 = text.parse().unwrap();
            if wanted == 0.0 || wanted.abs() > 1e-300 {
                assert_eq!(parse_f64(&text), wanted, "{text}");
            }
        }
        for text in
            ["0", "-0", "0.0e5", "1e400", "-1e400", "1e-400", "1e99999999999", "0e99999999999", "0.1e-99999999999"]
        {
            assert_eq!(parse_f64(text).to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
        for text in
            ["5e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "9007199254740993", "0.30000000000000004"]
        {
            assert_eq!(parse_f64(text), text.parse::<f64>().unwrap(), "{text}");
        }
    }

    #[test]
    fn the_ends_of_the_range_read_back() {
        for value in [f64::MIN_POSITIVE, 5e-324, 1e-310, 2.2e-308, 1.5e300, f64::MAX, 0.1 + 0.2, 1.0, 123_456_789.0] {
            assert_eq!(read_back(shortest(value)), value, "{value:e}");
        }
    }
}
