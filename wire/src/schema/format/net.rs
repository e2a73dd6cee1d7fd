//! Host names and addresses.

use super::super::cut;

/// Labels of letters, digits and inner hyphens, at most 63 characters each and 253 in all (RFC 1123). `any` also
/// accepts characters outside ASCII and the other full stops of RFC 3490.
pub(super) fn is_hostname(text: &str, any: bool) -> bool {
    let mut plain = String::new();
    for c in text.chars() {
        plain.push(match c {
            '\u{3002}' | '\u{ff0e}' | '\u{ff61}' if any => '.',
            _ => c,
        });
    }
    cut::length(&plain) <= 253 && cut::all(&plain, b'.', &|label| is_label(label, any))
}

fn is_label(label: &str, any: bool) -> bool {
    // Two hyphens in that place mark an encoded label (RFC 5891, section 4.2.3.1); only one mark is known.
    let reserved = matches!(label.as_bytes(), [_, _, b'-', b'-', ..]);
    let encoded = label.len() > 4 && matches!(label.as_bytes(), [b'x' | b'X', b'n' | b'N', ..]);
    cut::length(label) <= 63
        && cut::is_word(label, b"-", any)
        && !label.starts_with('-')
        && !label.ends_with('-')
        && (!reserved || encoded)
}

/// Four decimal numbers up to 255 without leading zeros.
pub(super) fn is_ipv4(text: &str) -> bool {
    let sound = |part: &str| {
        cut::number(part).is_some_and(|number| number < 256) && (part.len() == 1 || !part.starts_with('0'))
    };
    text.bytes().filter(|&byte| byte == b'.').count() == 3 && cut::all(text, b'.', &sound)
}

/// RFC 4291: eight groups of up to four hexadecimal digits, `::` for a run of zero groups, maybe an IPv4 tail.
pub(super) fn is_ipv6(text: &str) -> bool {
    let groups = cut::pieces(text, b':');
    let last = groups.len() - 1;
    let (mut count, mut gaps) = (0, 0);
    for (position, group) in groups.iter().enumerate() {
        let hex = group.len() <= 4 && cut::is_hex(group);
        if group.is_empty() {
            // At either end the gap leaves two empty groups.
            let (before, after) = (position.checked_sub(1), position + 1);
            let neighbour = |at: Option<usize>| at.and_then(|at| groups.get(at)).is_none_or(|group| group.is_empty());
            let edge = position == 0 || position == last;
            if edge && !(neighbour(before) && neighbour(Some(after))) {
                return false;
            }
            gaps += usize::from(!edge);
        } else if hex {
            count += 1;
        } else if position == last && is_ipv4(group) {
            count += 2;
        } else {
            return false;
        }
    }
    // A gap stands for at least one group.
    (gaps == 0 && count == 8) || (gaps == 1 && count <= 7)
}
