//! Email addresses (RFC 5321, section 4.1.2).

use super::super::cut;
use super::net;

/// A local part, plain or in quotes, and a host name or an address in brackets. `any` also accepts characters outside
/// ASCII.
pub(super) fn is_email(text: &str, any: bool) -> bool {
    let Some((local, host)) = cut::around_last(text, b'@') else {
        return false;
    };
    let local = match local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => is_quoted(inner),
        None => cut::all(local, b'.', &|atom| cut::is_word(atom, b"!#$%&'*+-/=?^_`{|}~", any)),
    };
    let host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => match address.strip_prefix("IPv6:") {
            Some(address) => net::is_ipv6(address),
            None => net::is_ipv4(address),
        },
        None => net::is_hostname(host, any),
    };
    local && host
}

/// No bare quote, and a backslash quotes a printable character.
fn is_quoted(inner: &str) -> bool {
    let mut quoting = false;
    for byte in inner.bytes() {
        if byte == b'"' && !quoting || quoting && !(b' '..=b'~').contains(&byte) {
            return false;
        }
        quoting = byte == b'\\' && !quoting;
    }
    !quoting
}
