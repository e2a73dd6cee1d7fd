//! Email addresses (RFC 5321, section 4.1.2).

use super::net;

/// A local part, plain or in quotes, and a host name or an address in brackets.
pub(super) fn is_email(text: &str, international: bool) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else {
        return false;
    };
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let local = match quoted {
        Some(inner) if local.len() > 1 => is_quoted(inner),
        _ => local.split('.').all(|atom| is_atom(atom, international)),
    };
    let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let host = match literal {
        Some(address) => match address.strip_prefix("IPv6:") {
            Some(address) => net::is_ipv6(address),
            None => net::is_ipv4(address),
        },
        None => net::is_hostname(host, international),
    };
    local && host
}

fn is_atom(atom: &str, international: bool) -> bool {
    let allowed =
        |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || (international && !c.is_ascii());
    !atom.is_empty() && atom.chars().all(allowed)
}

/// No bare quote, and a backslash quotes a printable character.
fn is_quoted(inner: &str) -> bool {
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        let sound = match c {
            '\\' => chars.next().is_some_and(|c| (' '..='~').contains(&c)),
            _ => c != '"',
        };
        if !sound {
            return false;
        }
    }
    true
}
