//! Cutting texts at ASCII marks, in one copy of code. The standard library's splitting is compiled anew for every kind
//! of mark, and brings its panic messages along.

use crate::text::around;

/// What stands before the first of the marks, and the rest, which begins with that mark.
pub(super) fn before<'t>(text: &'t str, marks: &[u8]) -> (&'t str, &'t str) {
    let end = text.bytes().position(|byte| marks.contains(&byte));
    end.and_then(|end| text.split_at_checked(end)).unwrap_or((text, ""))
}

/// The pieces between the marks, at least one.
pub(super) fn pieces(text: &str, mark: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((piece, after)) = around(rest, mark, false) {
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// How many code points a text has.
pub(super) fn length(text: &str) -> usize {
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}
