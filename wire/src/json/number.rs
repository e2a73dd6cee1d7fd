//! Numbers that keep the digits they were written with.

use super::double::{self, parse_f64};
use super::scan;
use crate::text::{decimal, signed};
use std::cmp::Ordering;
use std::fmt;

/// A JSON number as written. Equality is mathematical and exact: `1`, `1.0` and `10e-1` are equal, `9007199254740993`
/// and `9007199254740992` are not.
#[derive(Debug, Clone)]
pub struct Number(Box<str>);

impl Number {
    /// Takes the text of one number; `None` when it is not exactly one number of RFC 8259.
    pub fn from_text(text: &str) -> Option<Self> {
        (scan::number_len(text.as_bytes()) == Ok(text.len())).then(|| Self(text.into()))
    }

    /// For text a reader has checked.
    pub(super) fn trusted(text: &str) -> Self {
        Self(text.into())
    }

    /// The number JavaScript would write for `value`; `None` for NaN and the infinities.
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| {
            let mut text = String::new();
            write_f64(&mut text, value);
            Self(text.into())
        })
    }

    /// The exact source text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double, as `JSON.parse` gives it: beyond the range infinite, below it zero.
    pub fn as_f64(&self) -> f64 {
        parse_f64(&self.0)
    }

    /// The value as a signed integer when it is exactly one, however written (`3`, `3.0`, `3e0`).
    pub fn as_i64(&self) -> Option<i64> {
        let decimal = Decimal::of(&self.0);
        // Twenty digits are too many in any case; nineteen always fit the unsigned number.
        if !decimal.is_integer() || decimal.scale > 19 {
            return None;
        }
        let mut value = 0u64;
        for at in 0..decimal.scale.max(0) as usize {
            value = value * 10 + decimal.digits.get(at).map_or(0, |digit| u64::from(digit - b'0'));
        }
        if decimal.negative {
            0i64.checked_sub_unsigned(value)
        } else {
            i64::try_from(value).ok()
        }
    }

    /// Whether the value is mathematically an integer: `1.0` and `1e3` are.
    pub fn is_integer(&self) -> bool {
        Decimal::of(&self.0).is_integer()
    }

    /// Whether a reader that keeps numbers as doubles (`JSON.parse`) and writes them again keeps the value:
    /// true for `0.1`, `1.0`, `1e3`; false for `9007199254740993`, for more than 17 significant digits, and for
    /// numbers outside the range of a double.
    pub fn lossless(&self) -> bool {
        lossless(&self.0)
    }
}

/// [`Number::lossless`] for the text of a valid number.
pub(super) fn lossless(text: &str) -> bool {
    // Doubles keep every decimal of up to 15 digits; without an exponent such a number is also within range.
    if text.len() <= 15 && !text.bytes().any(|byte| matches!(byte, b'e' | b'E')) {
        return true;
    }
    let decimal = Decimal::of(text);
    if decimal.digits.is_empty() {
        return true;
    }
    let value = parse_f64(text);
    if decimal.digits.len() > 17 || !value.is_finite() {
        return false;
    }
    let mut again = String::new();
    write_f64(&mut again, value);
    decimal == Decimal::of(&again)
}

/// The number after the `e` of another one.
pub(super) fn exponent_of(bytes: std::str::Bytes<'_>) -> i64 {
    let (mut given, mut below) = (0i64, false);
    for byte in bytes {
        match byte {
            // Far more than any double has.
            b'0'..=b'9' if given < i64::MAX / 100 => given = given * 10 + i64::from(byte - b'0'),
            b'-' => below = true,
            _ => {}
        }
    }
    if below {
        -given
    } else {
        given
    }
}

/// Normal form of a number: `0.d1d2d3… * 10^scale`, `d1` and the last digit not zero, no digits for zero.
#[derive(PartialEq, Eq)]
pub(crate) struct Decimal {
    pub negative: bool,
    pub digits: Vec<u8>,
    pub scale: i64,
}

impl Decimal {
    /// Whether there is no fraction.
    pub fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.scale >= self.digits.len() as i64
    }

    /// `text` must be a valid number.
    pub fn of(text: &str) -> Self {
        let mut decimal = Self { negative: false, digits: Vec::new(), scale: 0 };
        let mut fraction = false;
        let mut bytes = text.bytes();
        for byte in bytes.by_ref() {
            match byte {
                b'-' => decimal.negative = true,
                b'.' => fraction = true,
                b'0' if decimal.digits.is_empty() => decimal.scale -= i64::from(fraction),
                b'0'..=b'9' => {
                    decimal.digits.push(byte);
                    decimal.scale += i64::from(!fraction);
                }
                _ => break,
            }
        }
        while decimal.digits.last() == Some(&b'0') {
            decimal.digits.pop();
        }
        if decimal.digits.is_empty() {
            return Self { negative: false, scale: 0, ..decimal };
        }
        // An exponent outside of i64 says only "absurd".
        decimal.scale = decimal.scale.saturating_add(exponent_of(bytes));
        decimal
    }

    /// Which of two numbers is greater.
    pub fn order(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.digits.is_empty(), decimal.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let magnitude = (self.scale, &self.digits).cmp(&(other.scale, &other.digits));
        sign(self).cmp(&sign(other)).then(match sign(self) {
            0 => Ordering::Equal,
            1 => magnitude,
            _ => magnitude.reverse(),
        })
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || Decimal::of(&self.0) == Decimal::of(&other.0)
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Exact order, without rounding to doubles.
impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        Decimal::of(&self.0).order(&Decimal::of(&other.0))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! from_integers {
    ($($integer:ty as $wide:ty, $text:ident);*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                Self($text(value as $wide).into())
            }
        }
    )*};
}
from_integers!(i32 as i64, signed; u32 as u64, decimal; i64 as i64, signed; u64 as u64, decimal; usize as u64, decimal);

/// Appends a finite double as JavaScript's `String(value)` writes it (ECMA-262 Number::toString): the shortest digits
/// that read back as the same double, plain up to 21 digits, `0` for negative zero. NaN and the infinities become
/// `null`, as in `JSON.stringify`.
pub fn write_f64(out: &mut String, value: f64) {
    if !value.is_finite() {
        out.push_str("null");
        return;
    }
    // Counts are most of what is written.
    if (0.0..4_294_967_296.0).contains(&value) && value.fract() == 0.0 {
        out.push_str(&decimal(value as u64));
        return;
    }
    double::write(out, value);
}
