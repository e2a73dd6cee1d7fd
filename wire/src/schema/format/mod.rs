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

use super::{cut, Patterns};

pub(super) use web::is_scheme;

/// A known format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Date,
    DateTime,
    Duration,
    Email,
    Hostname,
    IdnEmail,
    IdnHostname,
    Ipv4,
    Ipv6,
    Iri,
    IriReference,
    JsonPointer,
    JsonPointerFragment,
    Regex,
    RelativeJsonPointer,
    Time,
    Uri,
    UriReference,
    UriTemplate,
    Url,
    Uuid,
}

/// Every format with its name in schemas and the words for a string of it.
const FORMATS: [(Format, &str, &str); 21] = [
    (Format::Date, "date", "a date like 2024-12-31"),
    (Format::DateTime, "date-time", "a date and time like 2024-12-31T23:59:00Z"),
    (Format::Duration, "duration", "a duration like P1DT12H"),
    (Format::Email, "email", "an email address"),
    (Format::Hostname, "hostname", "a host name"),
    (Format::IdnEmail, "idn-email", "an email address"),
    (Format::IdnHostname, "idn-hostname", "a host name"),
    (Format::Ipv4, "ipv4", "an IPv4 address"),
    (Format::Ipv6, "ipv6", "an IPv6 address"),
    (Format::Iri, "iri", "an absolute IRI"),
    (Format::IriReference, "iri-reference", "an IRI or a relative reference"),
    (Format::JsonPointer, "json-pointer", "a JSON pointer like /a/0"),
    (Format::JsonPointerFragment, "json-pointer-uri-fragment", "a JSON pointer like #/a/0"),
    (Format::Regex, "regex", "a regular expression"),
    (Format::RelativeJsonPointer, "relative-json-pointer", "a relative JSON pointer like 1/a"),
    (Format::Time, "time", "a time with its offset, like 23:59:00Z"),
    (Format::Uri, "uri", "an absolute URI"),
    (Format::UriReference, "uri-reference", "a URI or a relative reference"),
    (Format::UriTemplate, "uri-template", "a URI template"),
    (Format::Url, "url", "an absolute URL"),
    (Format::Uuid, "uuid", "a UUID"),
];

impl Format {
    /// The format of that name. Unknown formats are annotations.
    pub fn named(name: &str) -> Option<Self> {
        let entry = FORMATS.iter().find(|entry| entry.1 == name);
        entry.map(|entry| entry.0)
    }

    /// For issues.
    pub fn words(self) -> &'static str {
        let entry = FORMATS.iter().find(|entry| entry.0 == self);
        entry.map_or("", |entry| entry.2)
    }

    /// Whether a text is of this format.
    pub fn accepts(self, text: &str, patterns: &dyn Patterns) -> bool {
        match self {
            Self::Date => time::is_date(text),
            Self::DateTime => time::is_date_time(text),
            Self::Duration => time::is_duration(text),
            Self::Email => mail::is_email(text, false),
            Self::Hostname => net::is_hostname(text, false),
            Self::IdnEmail => mail::is_email(text, true),
            Self::IdnHostname => net::is_hostname(text, true),
            Self::Ipv4 => net::is_ipv4(text),
            Self::Ipv6 => net::is_ipv6(text),
            Self::Iri => web::is_uri(text, true),
            Self::IriReference => web::is_reference(text, true),
            Self::JsonPointer => pointer::is_pointer(text),
            Self::JsonPointerFragment => pointer::is_fragment(text),
            Self::Regex => patterns.is_match(text, "").is_some(),
            Self::RelativeJsonPointer => pointer::is_relative(text),
            Self::Time => time::is_time(text),
            Self::Uri => web::is_uri(text, false),
            Self::UriReference => web::is_reference(text, false),
            Self::UriTemplate => web::is_template(text),
            Self::Url => web::is_url(text),
            Self::Uuid => is_uuid(text),
        }
    }
}

/// RFC 9562: 8-4-4-4-12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let groups = cut::pieces(text, b'-');
    let hex = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    groups.iter().all(hex) && groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
}
