//! URI references (RFC 3986), as far as naming schema documents needs them.

use super::cut;
use super::format::is_scheme;
use crate::text::joined;

/// What a schema without an identifier is called, so that relative references have a base.
pub(super) const DEFAULT_BASE: &str = "schema:///root";

/// The part before the fragment, and the fragment as written (empty without one).
pub(super) fn split_fragment(uri: &str) -> (&str, &str) {
    cut::around(uri, b'#').unwrap_or((uri, ""))
}

/// `reference` resolved against the absolute `base` (RFC 3986, section 5.2). The fragment of the base is dropped, that
/// of the reference kept.
pub(super) fn resolve(reference: &str, base: &str) -> String {
    if cut::around(reference, b':').is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return reference.to_owned();
    }
    let (base, _) = split_fragment(base);
    if reference.is_empty() || reference.starts_with('#') {
        return [base, reference].concat();
    }
    let (base, _) = cut::before(base, b"?");
    if reference.starts_with('?') {
        return [base, reference].concat();
    }
    let (scheme, rest) = cut::before(base, b":");
    if reference.starts_with("//") {
        return [scheme, ":", reference].concat();
    }
    // Scheme and authority stay; the path takes the place of the last segment, or of the whole path.
    let old = match rest.strip_prefix("://") {
        Some(rest) => cut::before(rest, b"/").1,
        None => rest.get(1..).unwrap_or_default(),
    };
    let (kept, old) = base.split_at_checked(base.len() - old.len()).unwrap_or((base, ""));
    let (path, tail) = cut::before(reference, b"?#");
    let folder = if path.starts_with('/') { None } else { cut::around_last(old, b'/') };
    let path = match folder {
        Some((folder, _)) => [folder, "/", path].concat(),
        None => path.to_owned(),
    };
    [kept, &without_dots(&path), tail].concat()
}

/// `.` and `..` segments taken out (section 5.2.4).
fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut ended = false;
    for segment in cut::pieces(path, b'/') {
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
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let mut next = *byte;
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (next, after) {
            if let (Some(high), Some(low)) = (char::from(*high).to_digit(16), char::from(*low).to_digit(16)) {
                next = (high * 16 + low) as u8;
                rest = after;
            }
        }
        out.push(next);
    }
    String::from_utf8(out).ok()
}
