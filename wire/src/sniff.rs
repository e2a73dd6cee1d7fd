//! Telling a stream from an answer that is none, by its first bytes.

/// What the body of a response looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// An event stream.
    EventStream,
    /// A JSON document, or one per line.
    Json,
    /// Starts with `<`: an HTML page of a proxy, most likely.
    Markup,
    /// Anything else.
    Text,
}

/// Names of fields. A comment has an empty one; llama.cpp reports failures in an `error` field.
const NAMES: [&[u8]; 6] = [b"", b"data", b"event", b"id", b"retry", b"error"];

/// Judges a body by its first line that is not blank; the content type is only a hint and is not looked at. `None`
/// while `head` does not say enough, as when it is blank.
pub fn sniff(head: &[u8]) -> Option<Body> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match head.first()? {
        b'{' | b'[' => return Some(Body::Json),
        b'<' => return Some(Body::Markup),
        _ => {}
    }
    let end = head.iter().position(|byte| matches!(byte, b':' | b'\n' | b'\r'));
    let name = head.get(..end.unwrap_or(head.len()))?;
    match end {
        Some(_) if NAMES.contains(&name) => Some(Body::EventStream),
        None if NAMES.iter().any(|known| known.starts_with(name)) => None,
        _ => Some(Body::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::{sniff, Body};

    #[test]
    fn the_first_line_that_is_not_blank_decides() {
        for (head, body) in [
            ("data: {\"a\":1}\n\n", Some(Body::EventStream)),
            ("\u{feff}\r\n\n: ping\n", Some(Body::EventStream)),
            ("event\ndata", Some(Body::EventStream)),
            ("error: {}", Some(Body::EventStream)),
            ("\n {\"error\":1}", Some(Body::Json)),
            ("[1]", Some(Body::Json)),
            ("<!DOCTYPE html>", Some(Body::Markup)),
            ("Bad gateway", Some(Body::Text)),
            ("Data: x", Some(Body::Text)),
            ("dat", None),
            (" \n", None),
            ("", None),
        ] {
            assert_eq!(sniff(head.as_bytes()), body, "{head}");
        }
    }
}
