//! JSON pointers (RFC 6901) and relative ones.

/// Empty, or segments that start with a slash; `~` only as `~0` and `~1`.
pub(super) fn is_pointer(text: &str) -> bool {
    let sound = |rest: &str| matches!(rest.chars().next(), Some('0' | '1'));
    (text.is_empty() || text.starts_with('/')) && text.split('~').skip(1).all(sound)
}

/// A pointer as a URI fragment, its `#` included.
pub(super) fn is_fragment(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|rest| is_pointer(rest) && super::web::is_fragment(rest))
}

/// How many levels up, then a pointer or `#`.
pub(super) fn is_relative(text: &str) -> bool {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (up, rest) = text.split_at(end);
    let number = !up.is_empty() && (up == "0" || !up.starts_with('0'));
    number && (rest == "#" || is_pointer(rest))
}
