//! URI references (RFC 3986), as far as naming schema documents needs them.

use crate::ids::is_made_of;
use crate::json::hex_unit;
use crate::text::{around, before, joined, pieces};

/// What a schema without an identifier is called, so that relative references have a base.
pub(super) const DEFAULT_BASE: &str = "schema:///root";

/// The part before the fragment, and the fragment as written (empty without one).
pub(super) fn split_fragment(uri: &str) -> (&str, &str) {
    around(uri, b'#', false).unwrap_or((uri, ""))
}

/// `reference` resolved against the absolute `base` (RFC 3986, section 5.2). The fragment of the base is dropped, that
/// of the reference kept.
pub(super) fn resolve(reference: &str, base: &str) -> String {
    if around(reference, b':', false).is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return reference.to_owned();
    }
    let (base, _) = split_fragment(base);
    let (scheme, rest) = before(base, b":");
    let whole = before(base, b"?").0;
    // What stays of the base, the folder that stays of its path, then the path of the reference and what follows it.
    let (kept, folder, (path, tail)) = match reference.as_bytes() {
        [] | [b'#', ..] => (base, "", ("", reference)),
        [b'?', ..] => (whole, "", ("", reference)),
        [b'/', b'/', ..] => (base.get(..=scheme.len()).unwrap_or_default(), "", ("", reference)),
        _ => {
            let host = rest.strip_prefix("://").map(|rest| before(rest, b"/?").0);
            let start = scheme.len() + host.map_or(1, |host| 3 + host.len());
            let (kept, old) = whole.split_at_checked(start).unwrap_or((base, ""));
            // A host without a path has the root for its folder.
            let old = if old.is_empty() { "/" } else { old };
            let last = around(old, b'/', true).filter(|_| !reference.starts_with('/'));
            let folder = last.and_then(|(folder, _)| old.get(..=folder.len()));
            (kept, folder.unwrap_or_default(), before(reference, b"?#"))
        }
    };
    [kept, &without_dots(&[folder, path].concat()), tail].concat()
}

/// A letter, then letters, digits and `+-.`.
fn is_scheme(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && is_made_of(text, b"+-.")
}

/// `.` and `..` segments taken out (section 5.2.4).
fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut ended = false;
    for segment in pieces(path, b'/') {
        ended = segment == "." || segment == "..";
        if !ended {
            out.push(segment);
        } else if segment == ".." && out.len() > 1 {
            // The empty first segment is the leading slash.
            out.pop();
        }
    }
    if ended {
        out.push("");
    }
    joined(&out, "/")
}

/// `%XX` decoded; `None` when that is not UTF-8.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let (bytes, mut at, mut out) = (text.as_bytes(), 0, Vec::new());
    while let Some(&byte) = bytes.get(at) {
        let unit = match *bytes.get(at..at + 3).unwrap_or_default() {
            [b'%', high, low] => hex_unit(&[b'0', b'0', high, low]),
            _ => None,
        };
        out.push(unit.map_or(byte, |unit| unit as u8));
        at += if unit.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn references_are_resolved_as_rfc_3986_says() {
        for (base, reference, wanted) in [
            ("http://h", "x", "http://h/x"),
            ("http://h", "../x#a", "http://h/x#a"),
            ("http://h?q#f", "x", "http://h/x"),
            ("http://h", "/x", "http://h/x"),
            ("http://h", "?q", "http://h?q"),
            ("http://h", "#a", "http://h#a"),
            ("http://h/", "x", "http://h/x"),
            ("http://h/a/b", "x", "http://h/a/x"),
            ("http://h/a/b", "//g/x", "http://g/x"),
            ("schema:///root", "x", "schema:///x"),
        ] {
            assert_eq!(resolve(reference, base), wanted, "{reference} against {base}");
        }
    }
}
