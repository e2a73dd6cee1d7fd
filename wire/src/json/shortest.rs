//! The shortest digits of a double. The standard library's formatting of doubles costs 16 kB of WebAssembly; this costs
//! one, at a speed that is enough for the few doubles that are written here.

/// The fewest digits that read back as `value`, which is finite and above zero: `digits * 10^exponent`, no zero at the
/// end.
pub(super) fn shortest(value: f64) -> (u64, i32) {
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

fn read_back((digits, exponent): (u64, i32)) -> f64 {
    let text = [digits.to_string().as_str(), "e", exponent.to_string().as_str()].concat();
    text.parse().unwrap_or(f64::NAN)
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
    const STEP: i32 = 22; // 10^22 is the largest power of ten that is a double
    // Near the largest double the exact product would overflow: work on a smaller one (a power of two costs nothing).
    let tame = if value > 1e290 { 2f64.powi(-100) } else { 1.0 };
    let (mut high, mut low) = (value * tame, 0.0);
    let mut left = power;
    while left != 0 {
        let step = left.abs().min(STEP);
        let factor = 10f64.powi(step);
        (high, low) = if left > 0 { times((high, low), factor) } else { over((high, low), factor) };
        left -= step * left.signum();
    }
    (high, low) = (high / tame, low / tame);
    let whole = high.floor();
    let rest = ((high - whole) + low + 0.5).floor();
    (whole as i64).saturating_add(rest as i64).max(0) as u64
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

    #[test]
    fn like_the_standard_library() {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
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
    fn the_ends_of_the_range_read_back() {
        for value in [f64::MIN_POSITIVE, 5e-324, 1e-310, 2.2e-308, 1.5e300, f64::MAX, 0.1 + 0.2, 1.0, 123_456_789.0] {
            assert_eq!(read_back(shortest(value)), value, "{value:e}");
        }
    }
}
