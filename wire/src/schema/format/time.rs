//! Dates and times of RFC 3339, durations of its appendix A.

use super::digits;

/// `2024-02-29`
pub(super) fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |width| parts.next().and_then(|part| digits(part, width));
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    parts.next().is_none() && (1..=last).contains(&day)
}

/// `23:59:59.25+01:00`. The offset is required; a leap second must be the last second of the day in UTC.
pub(super) fn is_time(text: &str) -> bool {
    let Some(zone) = text.find(['Z', 'z', '+', '-']) else {
        return false;
    };
    let (clock, offset) = text.split_at(zone);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut parts = clock.split(':').map(|part| digits(part, 2));
    let (Some(Some(hour)), Some(Some(minute)), Some(Some(second)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let Some(shift) = offset_minutes(offset) else {
        return false;
    };
    let sound = hour < 24 && minute < 60 && second <= 60;
    let fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let utc = (hour * 60 + minute) as i32 - shift;
    sound && fraction && (second < 60 || utc.rem_euclid(24 * 60) == 24 * 60 - 1)
}

/// Minutes east of UTC.
fn offset_minutes(offset: &str) -> Option<i32> {
    if matches!(offset, "Z" | "z") {
        return Some(0);
    }
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) as i32)
}

/// A date, `T`, a time.
pub(super) fn is_date_time(text: &str) -> bool {
    let halves = text.split_once(['T', 't']);
    halves.is_some_and(|(date, time)| is_date(date) && is_time(time))
}

/// `P1Y2M3DT4H5M6S`, `P2W`: units in order, none left out between two, at least one.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else {
        return false;
    };
    if let Some(weeks) = text.strip_suffix('W') {
        return !weeks.is_empty() && weeks.bytes().all(|byte| byte.is_ascii_digit());
    }
    match text.split_once('T') {
        Some((date, time)) => (date.is_empty() || are_units(date, "YMD")) && are_units(time, "HMS"),
        None => are_units(text, "YMD"),
    }
}

/// Numbers, each followed by one of `units`, which are used without a gap.
fn are_units(text: &str, units: &str) -> bool {
    let mut used = String::new();
    let mut number = false;
    for c in text.chars() {
        match (c.is_ascii_digit(), number) {
            (true, _) => number = true,
            (false, true) => {
                used.push(c);
                number = false;
            }
            (false, false) => return false,
        }
    }
    !number && !used.is_empty() && units.contains(&used)
}
