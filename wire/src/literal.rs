//! JSON strings that are passed on without being parsed into anything.
//!
//! A transcript is mostly text that only moves from one JSON document into another. Copying the source between its
//! quotes costs one pass and no memory; the one thing to change on the way is a lone surrogate escape, which no provider
//! accepts and which is dropped (PROVIDERS 1.5).

use crate::json::{hex_unit, Reader};
use crate::text::trim;
use memchr::memchr;
use std::borrow::Cow;

/// A JSON string as it stands in its source, quotes included, checked by a reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal<'a>(&'a str);

impl Default for Literal<'_> {
    fn default() -> Self {
        Literal::EMPTY
    }
}

impl<'a> Literal<'a> {
    /// The empty string.
    pub const EMPTY: Literal<'static> = Literal("\"\"");

    /// Takes a span that [`Reader::raw`] gave for a string.
    pub fn of_span(span: &'a str) -> Self {
        Self(span)
    }

    /// The source between the quotes.
    pub fn inner(self) -> &'a str {
        self.0.get(1..self.0.len().saturating_sub(1)).unwrap_or_default()
    }

    /// The text it stands for, without lone surrogates.
    pub fn text(self) -> Cow<'a, str> {
        let inner = self.inner();
        if memchr(b'\\', inner.as_bytes()).is_none() {
            return Cow::Borrowed(inner);
        }
        match clean(self.0) {
            Cow::Borrowed(span) => Reader::new(span).string().unwrap_or_default(),
            Cow::Owned(span) => Cow::Owned(Reader::new(&span).string().unwrap_or_default().into_owned()),
        }
    }

    /// Whether it stands for exactly this text.
    pub fn is(self, text: &str) -> bool {
        let inner = self.0.as_bytes().get(1..).unwrap_or_default();
        let same = inner.iter().zip(text.as_bytes()).take_while(|(a, b)| a == b).count();
        // What differs otherwise than by an escape is something else: nearly all that is looked at.
        match inner.get(same) {
            Some(b'"') => same == text.len(),
            Some(b'\\') => self.text() == text,
            _ => false,
        }
    }

    /// Whether there is nothing but white space in it; what will be dropped counts as nothing.
    pub fn is_blank(self) -> bool {
        // An ordinary text shows itself in its first character.
        match self.inner().as_bytes().first() {
            Some(byte) if byte.is_ascii_graphic() && *byte != b'\\' => false,
            _ => trim(&self.text()).is_empty(),
        }
    }

    /// Its length in UTF-16 units, as JavaScript counts.
    pub fn units(self) -> u32 {
        let inner = self.inner();
        if memchr(b'\\', inner.as_bytes()).is_none() {
            return crate::batch::utf16_len(inner);
        }
        // Every escape stands for one unit: two bytes, or six for \u.
        let bytes = inner.as_bytes();
        let (mut at, mut units) = (0, 0);
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
            units += crate::batch::utf16_len(inner.get(at..at + found).unwrap_or_default()) + 1;
            let unicode = bytes.get(at + found + 1) == Some(&b'u');
            at += found + if unicode { 6 } else { 2 };
        }
        units + crate::batch::utf16_len(inner.get(at..).unwrap_or_default())
    }
}

/// JSON text without lone surrogate escapes. In JSON a backslash only occurs inside strings, so no parsing is needed.
pub(crate) fn clean(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let here = at + found;
        let lone = match escaped_unit(bytes, here) {
            None => {
                at = here + 2;
                false
            }
            Some(0xd800..=0xdbff) => {
                let paired = matches!(escaped_unit(bytes, here + 6), Some(0xdc00..=0xdfff));
                at = here + if paired { 12 } else { 6 };
                !paired
            }
            Some(unit) => {
                at = here + 6;
                (0xdc00..=0xdfff).contains(&unit)
            }
        };
        if lone {
            out.push_str(json.get(from..here).unwrap_or_default());
            from = at;
        }
    }
    if from == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// The unit of a `\uXXXX` escape at `at`.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    match bytes.get(at..at + 6)? {
        [b'\\', b'u', digits @ ..] => hex_unit(digits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(json: &str) -> Literal<'_> {
        Literal::of_span(Reader::new(json).raw().unwrap())
    }

    #[test]
    fn lone_surrogates_are_dropped_and_pairs_kept() {
        for (json, expected) in [
            (r#""a\ud83d b""#, r#""a b""#),
            (r#""\udc00x""#, r#""x""#),
            (r#""\ud83d\ude48""#, r#""\ud83d\ude48""#),
            (r#""\ud83d\ud83d\ude48\ude48""#, r#""\ud83d\ude48""#),
            (r#""\\ud83d\\""#, r#""\\ud83d\\""#),
            (r#"{"k\uD800":["\uDFFF",1]}"#, r#"{"k":["",1]}"#),
        ] {
            assert_eq!(clean(json), expected, "{json}");
        }
        assert!(matches!(clean(r#""plain \n \u00e9""#), Cow::Borrowed(_)));
    }

    #[test]
    fn units_count_as_javascript_does() {
        for (json, units) in
            [(r#""""#, 0), (r#""abc""#, 3), (r#""é\n😀""#, 4), (r#""\ud83d\ude48\\u""#, 4), (r#""a\"\u0041b""#, 4)]
        {
            assert_eq!(literal(json).units(), units, "{json}");
        }
    }

    #[test]
    fn blank_means_white_space_of_any_kind() {
        for blank in [r#""""#, r#""  ""#, r#""\n\t""#, r#""\u00a0\u2003""#, "\"\u{3000}\"", r#""\ud800 ""#] {
            assert!(literal(blank).is_blank(), "{blank}");
        }
        for text in [r#""x""#, r#"" x""#, r#""\\n""#, r#""\u0041""#] {
            assert!(!literal(text).is_blank(), "{text}");
        }
    }

    #[test]
    fn comparing_sees_through_escapes() {
        assert!(literal(r#""a\u0062\/""#).is("ab/"));
        assert!(!literal(r#""ab""#).is("a"));
    }
}
