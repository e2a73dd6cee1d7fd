//! The string formats of 2020-12, and `url` and `json-pointer-uri-fragment`, which tool schemas also use.
//!
//! Each check reads the text once. Formats whose full definition needs Unicode tables (`idn-hostname`, `idn-email`)
//! check the structure and leave letters outside ASCII alone; `url` checks what an absolute URL must have, not what a
//! browser would repair.

mod mail;
mod net;
mod pointer;
mod time;
mod web;

use super::Patterns;

pub(super) use web::is_scheme;

/// A known format.
pub(super) struct Format {
    name: &'static str,
    /// For issues.
    pub words: &'static str,
    check: Check,
}

/// How a text is checked.
enum Check {
    /// By a function.
    By(fn(&str) -> bool),
    /// By a function that takes characters outside ASCII, or does not.
    Any(fn(&str, bool) -> bool, bool),
    /// By the host, which knows regular expressions.
    Pattern,
}

const fn format(name: &'static str, check: Check, words: &'static str) -> Format {
    Format { name, words, check }
}

static FORMATS: [Format; 21] = [
    format("date", Check::By(time::is_date), "a date like 2024-12-31"),
    format("date-time", Check::By(time::is_date_time), "a date and time like 2024-12-31T23:59:00Z"),
    format("duration", Check::By(time::is_duration), "a duration like P1DT12H"),
    format("email", Check::Any(mail::is_email, false), "an email address"),
    format("hostname", Check::Any(net::is_hostname, false), "a host name"),
    format("idn-email", Check::Any(mail::is_email, true), "an email address"),
    format("idn-hostname", Check::Any(net::is_hostname, true), "a host name"),
    format("ipv4", Check::By(net::is_ipv4), "an IPv4 address"),
    format("ipv6", Check::By(net::is_ipv6), "an IPv6 address"),
    format("iri", Check::Any(web::is_uri, true), "an absolute IRI"),
    format("iri-reference", Check::Any(web::is_reference, true), "an IRI or a relative reference"),
    format("json-pointer", Check::By(pointer::is_pointer), "a JSON pointer like /a/0"),
    format("json-pointer-uri-fragment", Check::By(pointer::is_fragment), "a JSON pointer like #/a/0"),
    format("regex", Check::Pattern, "a regular expression"),
    format("relative-json-pointer", Check::By(pointer::is_relative), "a relative JSON pointer like 1/a"),
    format("time", Check::By(time::is_time), "a time with its offset, like 23:59:00Z"),
    format("uri", Check::Any(web::is_uri, false), "an absolute URI"),
    format("uri-reference", Check::Any(web::is_reference, false), "a URI or a relative reference"),
    format("uri-template", Check::By(web::is_template), "a URI template"),
    format("url", Check::By(web::is_url), "an absolute URL"),
    format("uuid", Check::By(is_uuid), "a UUID"),
];

impl Format {
    /// The format of that name. Unknown formats are annotations.
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// Whether a text is of this format.
    pub fn accepts(&self, text: &str, patterns: &dyn Patterns) -> bool {
        match self.check {
            Check::By(check) => check(text),
            Check::Any(check, any) => check(text, any),
            Check::Pattern => patterns.is_match(text, "").is_some(),
        }
    }
}

/// RFC 9562: 8-4-4-4-12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let sound = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(sound)
}
