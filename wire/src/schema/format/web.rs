//! URIs (RFC 3986), IRIs (RFC 3987), URLs and URI templates (RFC 6570).

use super::net;

/// A letter, then letters, digits and `+-.`.
pub(in super::super) fn is_scheme(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// With a scheme.
pub(super) fn is_uri(text: &str, international: bool) -> bool {
    let parts = text.split_once(':');
    parts.is_some_and(|(scheme, rest)| is_scheme(scheme) && is_hierarchy(rest, international))
}

/// With or without a scheme.
pub(super) fn is_reference(text: &str, international: bool) -> bool {
    if is_uri(text, international) {
        return true;
    }
    // The first segment of a relative path must not look like a scheme.
    let first = text.split(['/', '?', '#']).next().unwrap_or("");
    !first.contains(':') && is_hierarchy(text, international)
}

/// What may follow the scheme: authority, path, query, fragment.
fn is_hierarchy(text: &str, international: bool) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let (authority, path) = match text.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", text),
    };
    is_authority(authority, international)
        && are_chars(path, ":@/", international)
        && are_chars(query, ":@/?", international)
        && are_chars(fragment, ":@/?", international)
}

fn is_authority(text: &str, international: bool) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    let (host, port) = match host.rfind(']') {
        Some(end) => host.split_at(end + 1),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = port.strip_prefix(':').unwrap_or(port);
    let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let host = match literal {
        Some(address) => net::is_ipv6(address) || is_future_address(address),
        None => are_chars(host, "", international),
    };
    are_chars(user, ":", international) && host && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// `v1.anything`: an address form of the future.
fn is_future_address(text: &str) -> bool {
    let rest = text.strip_prefix(['v', 'V']);
    rest.and_then(|rest| rest.split_once('.')).is_some_and(|(version, address)| {
        let hex = version.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex && !version.is_empty() && !address.is_empty() && !address.contains('%') && are_chars(address, ":", false)
    })
}

/// Unreserved characters, sub-delimiters, `extra`, and `%XX`.
fn are_chars(text: &str, extra: &str, international: bool) -> bool {
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || "-._~!$&'()*+,;=".contains(c)
            || extra.contains(c)
            || (international && !c.is_ascii())
    };
    is_encoded(text) && text.chars().all(|c| c == '%' || plain(c))
}

/// Every `%` is followed by two hexadecimal digits.
fn is_encoded(text: &str) -> bool {
    let hex = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    text.split('%').skip(1).all(hex)
}

/// The characters of a fragment, without its `#`.
pub(super) fn is_fragment(text: &str) -> bool {
    are_chars(text, ":@/?", false)
}

/// A scheme and something after it; for the schemes of the web a host, after any number of slashes.
pub(super) fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.trim().split_once(':') else {
        return false;
    };
    let known = ["http", "https", "ws", "wss", "ftp"];
    if !known.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return is_scheme(scheme);
    }
    let host = rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next().unwrap_or("");
    let host = host.rsplit('@').next().unwrap_or("");
    let forbidden = |c: char| c <= ' ' || "<>^|%\\".contains(c);
    !host.is_empty() && !host.starts_with(':') && !host.contains(forbidden) && is_authority(host, true)
}

/// Literals, and expressions in braces: an operator, then variables with a length or a star.
pub(super) fn is_template(text: &str) -> bool {
    let mut pieces = text.split('{');
    if !is_literal(pieces.next().unwrap_or("")) {
        return false;
    }
    pieces.all(|piece| {
        let parts = piece.split_once('}');
        parts.is_some_and(|(expression, literal)| is_expression(expression) && is_literal(literal))
    })
}

fn is_literal(text: &str) -> bool {
    is_encoded(text) && !text.contains(|c: char| c <= ' ' || c == '\u{7f}' || "\"<>\\^`{|}".contains(c))
}

fn is_expression(text: &str) -> bool {
    let variables = text.strip_prefix(['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|']).unwrap_or(text);
    variables.split(',').all(|variable| {
        let (name, limit) = variable.split_once(':').unwrap_or((variable, "1"));
        let starred = variable.strip_suffix('*');
        let name = starred.unwrap_or(name);
        let limit = limit.len() <= 4 && !limit.starts_with('0') && limit.bytes().all(|byte| byte.is_ascii_digit());
        let part = |part: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '%';
            !part.is_empty() && is_encoded(part) && part.chars().all(allowed)
        };
        (starred.is_some() || (limit && !variable.ends_with(':'))) && name.split('.').all(part)
    })
}
