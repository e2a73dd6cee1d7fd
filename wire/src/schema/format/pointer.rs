//! JSON pointers (RFC 6901) and relative ones.

use super::super::cut;

/// Empty, or segments that start with a slash; `~` only as `~0` and `~1`.
pub(super) fn is_pointer(text: &str) -> bool {
    let sound = |rest: &str| cut::after(rest, b"01").is_some();
    (text.is_empty() || text.starts_with('/')) && cut::all_after(text, b'~', &sound)
}

/// A pointer as a URI fragment, its `#` included.
pub(super) fn is_fragment(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|rest| is_pointer(rest) && super::web::are_chars(rest, b":@/?", false))
}

/// How many levels up, then a pointer or `#`.
pub(super) fn is_relative(text: &str) -> bool {
    let (up, rest) = cut::before(text, b"/#");
    cut::number(up).is_some() && (up == "0" || !up.starts_with('0')) && (rest == "#" || is_pointer(rest))
}
