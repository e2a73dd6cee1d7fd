//! Host names and addresses.

/// Labels of letters, digits and inner hyphens, at most 63 characters each and 253 in all (RFC 1123). `international`
/// also accepts characters outside ASCII and the other full stops of RFC 3490.
pub(super) fn is_hostname(text: &str, international: bool) -> bool {
    let stop = |c: char| c == '.' || (international && matches!(c, '\u{3002}' | '\u{ff0e}' | '\u{ff61}'));
    text.chars().count() <= 253 && text.split(stop).all(|label| is_label(label, international))
}

fn is_label(label: &str, international: bool) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || (international && !c.is_ascii());
    // Two hyphens in that place mark an encoded label (RFC 5891, section 4.2.3.1); only one mark is known.
    let reserved = label.chars().skip(2).take(2).eq(['-', '-']);
    let encoded = label.get(..4).is_some_and(|mark| mark.eq_ignore_ascii_case("xn--"));
    (1..=63).contains(&label.chars().count())
        && label.chars().all(allowed)
        && !label.starts_with('-')
        && !label.ends_with('-')
        && (!reserved || (encoded && label.len() > 4))
}

/// Four decimal numbers up to 255 without leading zeros.
pub(super) fn is_ipv4(text: &str) -> bool {
    let number = |part: &str| {
        let plain = part.bytes().all(|byte| byte.is_ascii_digit());
        plain && part.parse::<u8>().is_ok() && (part.len() == 1 || !part.starts_with('0'))
    };
    text.split('.').count() == 4 && text.split('.').all(number)
}

/// RFC 4291: eight groups of up to four hexadecimal digits, `::` for a run of zero groups, maybe an IPv4 tail.
pub(super) fn is_ipv6(text: &str) -> bool {
    match text.split_once("::") {
        // What stands for at least one group leaves at most seven; a second `::` shows as an empty group.
        Some((left, right)) => {
            let left = if left.is_empty() { Some(0) } else { groups(left, false) };
            let right = if right.is_empty() { Some(0) } else { groups(right, true) };
            left.zip(right).is_some_and(|(left, right)| left + right <= 7)
        }
        None => groups(text, true) == Some(8),
    }
}

/// How many 16-bit groups the text spells out.
fn groups(text: &str, tail: bool) -> Option<usize> {
    let mut count = 0;
    let mut parts = text.split(':').peekable();
    while let Some(part) = parts.next() {
        let hex = part.bytes().all(|byte| byte.is_ascii_hexdigit());
        if (1..=4).contains(&part.len()) && hex {
            count += 1;
        } else if tail && parts.peek().is_none() && is_ipv4(part) {
            count += 2;
        } else {
            return None;
        }
    }
    Some(count)
}
