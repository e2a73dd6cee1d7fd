//! URIs (RFC 3986), IRIs (RFC 3987), URLs and URI templates (RFC 6570).

use super::super::cut;
use super::net;

/// A letter, then letters, digits and `+-.`.
pub(in super::super) fn is_scheme(text: &str) -> bool {
    let letter = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
    letter && cut::is_word(text, b"+-.", false)
}

/// With a scheme. `any` also accepts characters outside ASCII.
pub(super) fn is_uri(text: &str, any: bool) -> bool {
    cut::around(text, b':').is_some_and(|(scheme, rest)| is_scheme(scheme) && is_hierarchy(rest, any))
}

/// With or without a scheme. The first segment of a relative path must not look like a scheme.
pub(super) fn is_reference(text: &str, any: bool) -> bool {
    let (first, _) = cut::before(text, b"/?#");
    is_uri(text, any) || (!first.contains(':') && is_hierarchy(text, any))
}

/// What may follow the scheme: authority, path, query, fragment.
fn is_hierarchy(text: &str, any: bool) -> bool {
    let (text, fragment) = cut::around(text, b'#').unwrap_or((text, ""));
    let (text, query) = cut::around(text, b'?').unwrap_or((text, ""));
    let (authority, path) = match text.strip_prefix("//") {
        Some(rest) => cut::before(rest, b"/"),
        None => ("", text),
    };
    is_authority(authority, any)
        && are_chars(path, b":@/", any)
        && are_chars(query, b":@/?", any)
        && are_chars(fragment, b":@/?", any)
}

fn is_authority(text: &str, any: bool) -> bool {
    let (user, host) = cut::around_last(text, b'@').unwrap_or(("", text));
    let (host, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (address, rest) = cut::around(rest, b']').unwrap_or_default();
            let known = net::is_ipv6(address) || is_future_address(address);
            (known, rest)
        }
        None => {
            let (name, rest) = cut::before(host, b":");
            (are_chars(name, b"", any), rest)
        }
    };
    let port = port.strip_prefix(':').unwrap_or(port);
    host && are_chars(user, b":", any) && cut::is_digits(port)
}

/// `v1.anything`: an address form of the future.
fn is_future_address(text: &str) -> bool {
    let Some((version, address)) = cut::after(text, b"vV").and_then(|rest| cut::around(rest, b'.')) else {
        return false;
    };
    let some = !version.is_empty() && !address.is_empty();
    some && cut::is_hex(version) && cut::around(address, b'%').is_none() && are_chars(address, b":", false)
}

/// Unreserved characters, sub-delimiters, `more`, and `%XX`.
pub(super) fn are_chars(text: &str, more: &[u8], any: bool) -> bool {
    let rest = |byte: u8| b"%-._~!$&'()*+,;=".contains(&byte) || more.contains(&byte);
    is_encoded(text) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || rest(byte) || (any && !byte.is_ascii()))
}

/// Every `%` is followed by two hexadecimal digits.
fn is_encoded(text: &str) -> bool {
    cut::all_after(text, b'%', &|rest| rest.get(..2).is_some_and(cut::is_hex))
}

/// A scheme and something after it; for the schemes of the web a host, after any number of slashes.
pub(super) fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = cut::around(text.trim(), b':') else {
        return false;
    };
    let web = ["http", "https", "ws", "wss", "ftp"];
    if !web.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return is_scheme(scheme);
    }
    let mut rest = rest;
    while let Some(after) = cut::after(rest, b"/\\") {
        rest = after;
    }
    let (host, _) = cut::before(rest, b"/\\?#");
    let (_, host) = cut::around_last(host, b'@').unwrap_or(("", host));
    let bare = host.is_empty() || host.starts_with(':') || cut::around(host, b'%').is_some();
    !bare && is_authority(host, true)
}

/// Literals, and expressions in braces: an operator, then variables with a length or a star.
pub(super) fn is_template(text: &str) -> bool {
    let (first, _) = cut::before(text, b"{");
    let sound = |piece: &str| {
        let Some((expression, literal)) = cut::around(piece, b'}') else {
            return false;
        };
        is_expression(expression) && is_literal(literal)
    };
    is_literal(first) && cut::all_after(text, b'{', &sound)
}

fn is_literal(text: &str) -> bool {
    let refused = |byte: u8| byte <= b' ' || byte == 0x7f || b"\"<>\\^`{|}".contains(&byte);
    is_encoded(text) && !text.bytes().any(refused)
}

fn is_expression(text: &str) -> bool {
    let variables = cut::after(text, b"+#./;?&=,!@|").unwrap_or(text);
    cut::all(variables, b',', &|variable| {
        let (name, limit) = match variable.strip_suffix('*') {
            Some(name) => (name, "1"),
            None => cut::around(variable, b':').unwrap_or((variable, "1")),
        };
        let limit = cut::number(limit).is_some() && limit.len() <= 4 && !limit.starts_with('0');
        limit && cut::all(name, b'.', &|part| cut::is_word(part, b"_%", false) && is_encoded(part))
    })
}
