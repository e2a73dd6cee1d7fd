//! URI references (RFC 3986), as far as naming schema documents needs them.

/// What a schema without an identifier is called, so that relative references have a base.
pub(super) const DEFAULT_BASE: &str = "schema:///root";

/// The part before the fragment, and the fragment as written (empty without one).
pub(super) fn split_fragment(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

/// `reference` resolved against the absolute `base` (RFC 3986, section 5.2). The fragment of the base is dropped, that
/// of the reference kept.
pub(super) fn resolve(reference: &str, base: &str) -> String {
    let (base, _) = split_fragment(base);
    if scheme_len(reference).is_some() {
        return reference.to_owned();
    }
    if reference.is_empty() || reference.starts_with('#') {
        return [base, reference].concat();
    }
    let (scheme, rest) = base.split_at(scheme_len(base).unwrap_or(0));
    if reference.starts_with("//") {
        return [scheme, reference].concat();
    }
    let (authority, path) = match rest.strip_prefix("//") {
        Some(after) => rest.split_at(2 + after.find(['/', '?']).unwrap_or(after.len())),
        None => ("", rest),
    };
    let base_end = path.find('?').unwrap_or(path.len());
    let (base_path, _) = path.split_at(base_end);
    if reference.starts_with('?') {
        return [scheme, authority, base_path, reference].concat();
    }
    let end = reference.find(['?', '#']).unwrap_or(reference.len());
    let (path, tail) = reference.split_at(end);
    let path = if path.starts_with('/') {
        without_dots(path)
    } else {
        let (folder, _) = base_path.split_at(base_path.rfind('/').map_or(0, |slash| slash + 1));
        let folder = if folder.is_empty() && !authority.is_empty() { "/" } else { folder };
        without_dots(&[folder, path].concat())
    };
    [scheme, authority, &path, tail].concat()
}

/// Length of `scheme:` at the start.
fn scheme_len(text: &str) -> Option<usize> {
    let colon = text.find(':')?;
    let (scheme, _) = text.split_at(colon);
    super::format::is_scheme(scheme).then_some(colon + 1)
}

/// `.` and `..` segments taken out (section 5.2.4).
fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                // The empty first segment is the leading slash.
                if segment == ".." && out.len() > 1 {
                    out.pop();
                }
                if last {
                    out.push("");
                }
            }
            _ => out.push(segment),
        }
    }
    out.join("/")
}

/// `%XX` decoded; `None` when that is not UTF-8.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).ok()
}
