//! Cutting texts at ASCII marks, in one copy of code. The standard library's splitting is compiled anew for every kind
//! of mark, and brings its panic messages along.

/// What stands before the first of the marks, and the rest, which begins with that mark.
pub(super) fn before<'t>(text: &'t str, marks: &[u8]) -> (&'t str, &'t str) {
    let end = text.bytes().position(|byte| marks.contains(&byte));
    end.and_then(|end| text.split_at_checked(end)).unwrap_or((text, ""))
}

/// What stands before and after the first mark.
pub(super) fn around(text: &str, mark: u8) -> Option<(&str, &str)> {
    let (before, rest) = before(text, &[mark]);
    Some((before, rest.get(1..)?))
}

/// What stands before and after the last mark.
pub(super) fn around_last(text: &str, mark: u8) -> Option<(&str, &str)> {
    let last = text.bytes().rposition(|byte| byte == mark)?;
    Some((text.get(..last)?, text.get(last + 1..)?))
}

/// The pieces between the marks, at least one.
pub(super) fn pieces(text: &str, mark: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((piece, after)) = around(rest, mark) {
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// What follows one of the marks at the beginning.
pub(super) fn after<'t>(text: &'t str, marks: &[u8]) -> Option<&'t str> {
    let first = text.bytes().next()?;
    if marks.contains(&first) {
        text.get(1..)
    } else {
        None
    }
}

/// Whether all pieces between the marks are as they should be.
pub(super) fn all(text: &str, mark: u8, holds: &dyn Fn(&str) -> bool) -> bool {
    let mut rest = text;
    while let Some((piece, after)) = around(rest, mark) {
        if !holds(piece) {
            return false;
        }
        rest = after;
    }
    holds(rest)
}

/// Whether what follows each mark begins as it should.
pub(super) fn all_after(text: &str, mark: u8, holds: &dyn Fn(&str) -> bool) -> bool {
    around(text, mark).is_none_or(|(_, rest)| all(rest, mark, holds))
}

/// Whether all of a text are hexadecimal digits.
pub(super) fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether all of a text are digits.
pub(super) fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether there is text and all of it is ASCII letters, digits, `more`, and characters outside ASCII if `any`.
pub(super) fn is_word(text: &str, more: &[u8], any: bool) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || more.contains(&byte) || (any && !byte.is_ascii());
    !text.is_empty() && text.bytes().all(allowed)
}

/// The number that ASCII digits spell, if there are digits only and it is below 2^32.
pub(super) fn number(digits: &str) -> Option<u32> {
    let mut number = if digits.is_empty() { None } else { Some(0u32) };
    for byte in digits.bytes() {
        let digit = char::from(byte).to_digit(10)?;
        number = Some(number?.checked_mul(10)?.checked_add(digit)?);
    }
    number
}

/// How many code points a text has.
pub(super) fn length(text: &str) -> usize {
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}
