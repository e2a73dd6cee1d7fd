//! ISO 8601 texts and milliseconds since 1970: entries carry the one, messages the other.

const DAY: i64 = 86_400_000;

/// `2026-01-02T03:04:05.678Z`; years beyond 9999 are cut to it.
pub(super) fn iso(ms: f64) -> String {
    // The limits of JavaScript's Date are wider than four digits of a year; a text of another form would sort wrongly.
    let ms = (ms as i64).clamp(-62_167_219_200_000, 253_402_300_799_999);
    let (days, rest) = (ms.div_euclid(DAY), ms.rem_euclid(DAY));
    let (year, month, day) = date_of(days);
    let mut out = String::with_capacity(24);
    digits(&mut out, year, 4);
    out.push('-');
    digits(&mut out, month, 2);
    out.push('-');
    digits(&mut out, day, 2);
    for (mark, value, width) in
        [('T', rest / 3_600_000, 2), (':', rest / 60_000 % 60, 2), (':', rest / 1000 % 60, 2), ('.', rest % 1000, 3)]
    {
        out.push(mark);
        digits(&mut out, value, width);
    }
    out.push('Z');
    out
}

/// Milliseconds of `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`, or of the date alone. `None`: something else.
pub(super) fn millis(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    // Year, month, day, hours, minutes, seconds.
    let mut parts = [0; 6];
    let mut rest = if bytes.len() == 10 { b"Z" } else { bytes.get(19..)? };
    let mut part = 0;
    for (place, byte) in bytes.iter().take(19).enumerate() {
        if matches!(place, 4 | 7) && *byte != b'-' {
            return None;
        }
        if matches!(place, 4 | 7 | 10 | 13 | 16) {
            part += 1;
        } else if let Some(value) = parts.get_mut(part) {
            *value = *value * 10 + digit(*byte)?;
        }
    }
    let [year, month, day, hours, minutes, seconds] = parts;
    if !(1..=12).contains(&month) {
        return None;
    }
    let mut ms = ((days_of(year, month, day) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000;
    if let [b'.', fraction @ ..] = rest {
        rest = fraction;
        let mut scale = 100;
        while let [byte @ b'0'..=b'9', after @ ..] = rest {
            ms += i64::from(byte - b'0') * scale;
            scale /= 10;
            rest = after;
        }
    }
    let sign = match rest {
        [b'Z'] => return Some(ms as f64),
        [b'+', ..] => 1,
        [b'-', ..] => -1,
        _ => return None,
    };
    let offset = number(rest.get(1..3)?)? * 60 + number(rest.get(4..6)?)?;
    Some((ms - sign * offset * 60_000) as f64)
}

pub(super) fn number(digits: &[u8]) -> Option<i64> {
    let mut value = 0i64;
    for byte in digits {
        value = value.checked_mul(10)?.checked_add(digit(*byte)?)?;
    }
    Some(value)
}

fn digit(byte: u8) -> Option<i64> {
    byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
}

fn digits(out: &mut String, value: i64, width: usize) {
    let text = steersman_wire::text::decimal(value.unsigned_abs());
    (text.len()..width).for_each(|_| out.push('0'));
    out.push_str(&text);
}

/// Days since 1970 of a date of the Gregorian calendar; years count from March, so that the leap day is the last one.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 153 + 2) / 5 + day
        - 719_469
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (year * 365 + year / 4 - year / 100);
    let shifted = (of_year * 5 + 2) / 153;
    let day = of_year - (shifted * 153 + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_go_there_and_back() {
        for (ms, text) in [
            (0.0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_123.0, "2000-02-29T00:00:00.123Z"),
            (1_767_323_045_006.0, "2026-01-02T03:04:05.006Z"),
            (-1.0, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(iso(ms), text);
            assert_eq!(millis(text), Some(ms));
        }
        for day in (-700_000..2_900_000).step_by(97) {
            let ms = (day * DAY) as f64;
            assert_eq!(millis(&iso(ms)), Some(ms));
        }
    }

    #[test]
    fn other_forms_of_a_time_are_read_and_nonsense_is_not() {
        assert_eq!(millis("2026-01-02T03:04:05Z"), Some(1_767_323_045_000.0));
        assert_eq!(millis("2026-01-02T03:04:05.5+01:30"), Some(1_767_323_045_500.0 - 5_400_000.0));
        assert_eq!(millis("2026-01-02"), Some(1_767_312_000_000.0));
        for text in ["", "x", "2026-13-02T00:00:00Z", "2026-01-02T03:04:05", "2026-01-02T03:04:0é", "2026/01/02"] {
            assert_eq!(millis(text), None, "{text}");
        }
    }
}
