//! Dates and times of RFC 3339, durations of its appendix A.

use super::super::cut;

/// Numbers of so many digits each, between marks; none for other text.
fn fields(text: &str, mark: u8, widths: &[usize]) -> Vec<u32> {
    let pieces = cut::pieces(text, mark);
    let mut fields = Vec::new();
    for (piece, &width) in pieces.iter().zip(widths) {
        match cut::number(piece) {
            Some(number) if piece.len() == width => fields.push(number),
            _ => break,
        }
    }
    if fields.len() != pieces.len() {
        fields.clear();
    }
    fields
}

/// `2024-02-29`
pub(super) fn is_date(text: &str) -> bool {
    let fields = fields(text, b'-', &[4, 2, 2]);
    let &[year, month, day] = fields.as_slice() else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=last).contains(&day)
}

/// `23:59:59.25+01:00`. The offset is required; a leap second must be the last second of the day in UTC.
pub(super) fn is_time(text: &str) -> bool {
    let (clock, offset) = cut::before(text, b"Zz+-");
    let (clock, fraction) = cut::around(clock, b'.').unwrap_or((clock, "0"));
    let offset = if matches!(offset, "Z" | "z") { "+00:00" } else { offset };
    let clock = fields(clock, b':', &[2, 2, 2]);
    let shift = fields(offset.get(1..).unwrap_or_default(), b':', &[2, 2]);
    let (&[hour, minute, second], &[hours, minutes]) = (clock.as_slice(), shift.as_slice()) else {
        return false;
    };
    let shift = hours * 60 + minutes;
    // A day more keeps the difference above zero.
    let local = 24 * 60 + hour * 60 + minute;
    let utc = if offset.starts_with('-') { local + shift } else { local.saturating_sub(shift) };
    let digits = !fraction.is_empty() && cut::is_digits(fraction);
    let sound = hour < 24 && minute < 60 && second <= 60 && hours < 24 && minutes < 60;
    sound && digits && (second < 60 || utc % (24 * 60) == 24 * 60 - 1)
}

/// A date, `T`, a time.
pub(super) fn is_date_time(text: &str) -> bool {
    let (date, time) = cut::before(text, b"Tt");
    is_date(date) && time.get(1..).is_some_and(is_time)
}

/// `P1Y2M3DT4H5M6S`, `P2W`: units in order, none left out between two, at least one.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else {
        return false;
    };
    if text.ends_with('W') {
        return are_units(text, b"W");
    }
    match cut::around(text, b'T') {
        Some((date, time)) => (date.is_empty() || are_units(date, b"YMD")) && are_units(time, b"HMS"),
        None => are_units(text, b"YMD"),
    }
}

/// Numbers, each followed by one of `units`, which are used without a gap.
fn are_units(text: &str, units: &[u8]) -> bool {
    let (mut digits, mut last) = (false, None);
    for byte in text.bytes() {
        if byte.is_ascii_digit() {
            digits = true;
            continue;
        }
        let unit = units.iter().position(|&unit| unit == byte);
        let next = last.is_none_or(|last| unit == Some(last + 1));
        if !digits || !next || unit.is_none() {
            return false;
        }
        (digits, last) = (false, unit);
    }
    !digits && last.is_some()
}
