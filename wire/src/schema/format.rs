//! The string formats of 2020-12, and `url` and `json-pointer-uri-fragment`, which tool schemas also use.
//!
//! A format is a regular expression that the host runs, as it runs `pattern`: it reads the text once, and needs no
//! look-around. What no expression says (a leap second in UTC, the length of a host name) is checked beside it. Formats
//! whose full definition needs Unicode tables (`idn-hostname`, `idn-email`) check the structure and leave letters
//! outside ASCII alone; `url` checks what an absolute URL must have, not what a browser would repair.

use super::Patterns;
use crate::text::{around, before, find, has, length, trim};

/// The grammar: a name, its expression, and for a format the words for issues. `<name>` in an expression stands for
/// that of the name. In the formats that take characters outside ASCII `<any>` are all of those, `<letters>` those of
/// host names, and `<stops>` the other full stops of RFC 3490; elsewhere there are none.
const GRAMMAR: &str = r#"
hex [\da-fA-F]
escape %<hex>{2}
octet (25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)
v4 <octet>(\.<octet>){3}
group <hex>{1,4}
tail (<group>:<group>|<v4>)
v6 ((<group>:){6}<tail>|::(<group>:){5}<tail>|(<group>)?::(<group>:){4}<tail>|<v6-gap>)
v6-gap (<group>(:<group>)?)?::(<group>:){3}<tail>|(<group>(:<group>){0,2})?::(<group>:){2}<tail>|<v6-late>
v6-late (<group>(:<group>){0,3})?::<group>:<tail>|(<group>(:<group>){0,4})?::<tail>|<v6-last>
v6-last (<group>(:<group>){0,5})?::<group>|(<group>(:<group>){0,6})?::
edge [A-Za-z\d<letters>]
inner [A-Za-z\d<letters>-]
label (<edge>(<edge>|<inner><edge>(<inner>{0,59}<edge>)?|<inner>-<edge>(<inner>{0,58}<edge>)?)?|<encoded>)
encoded [Xx][Nn]--<inner>{0,58}<edge>
host <label>([.<stops>]<label>)*
atom [\w!#$%&'*+\-/=?^`{|}~<any>]+
mail (<atom>(\.<atom>)*|"([^"\\]|\\[\x20-~])*")@(<host>|\[(<v4>|IPv6:<v6>)\])
day (\d{4}-(<long>-(0[1-9]|[12]\d|3[01])|<short>-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))|<leap>-02-29)
long (0[13578]|1[02])
short (0[469]|11)
leap (\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)
minute ([01]\d|2[0-3]):[0-5]\d
clock <minute>:([0-5]\d|60)(\.\d+)?([Zz]|[+-]<minute>)
days (\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)
hours T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S)
pointer (/([^~/]|~[01])*)*
scheme [A-Za-z][A-Za-z\d+.-]*
plain \w\-.~!$&'()*+,;=<any>
char ([<plain>:@]|<escape>)
path ([<plain>:@/]|<escape>)*
future [vV]<hex>+\.[\w\-.~!$&'()*+,;=:]+
address \[(<v6>|<future>)\]
authority (([<plain>:]|<escape>)*@)?(<address>|([<plain>]|<escape>)*)(:\d*)?
absolute (//<authority>(/<path>)?|/(<char><path>)?)
after (\?([<plain>:@/?]|<escape>)*)?(#([<plain>:@/?]|<escape>)*)?
located <scheme>:(<absolute>|(<char><path>)?)<after>
relative (<absolute>|(([<plain>@]|<escape>)+(/<path>)?)?)<after>
literal ([^\x00-\x20"%\x3c>\\^`{|}\x7f]|<escape>)*
name (\w|<escape>)+
variable <name>(\.<name>)*(\*|:[1-9]\d{0,3})?
date <day> a date like 2024-12-31
date-time <day>[Tt]<clock> a date and time like 2024-12-31T23:59:00Z
duration P(\d+W|<days>(<hours>)?|<hours>) a duration like P1DT12H
email <mail> an email address
hostname <host> a host name
idn-email <mail> an email address
idn-hostname <host> a host name
ipv4 <v4> an IPv4 address
ipv6 <v6> an IPv6 address
iri <located> an absolute IRI
iri-reference (<located>|<relative>) an IRI or a relative reference
json-pointer <pointer> a JSON pointer like /a/0
json-pointer-uri-fragment #(/([\w\-.!$&'()*+,;=:@?]|~[01]|<escape>)*)* a JSON pointer like #/a/0
regex  a regular expression
relative-json-pointer (0|[1-9]\d*)(#|<pointer>) a relative JSON pointer like 1/a
time <clock> a time with its offset, like 23:59:00Z
uri <located> an absolute URI
uri-reference (<located>|<relative>) a URI or a relative reference
uri-template <literal>(\{[+#./;?&=,!@|]?<variable>(,<variable>)*\}<literal>)* a URI template
url [A-Za-z]+:[/\\]*([^/\\?#]*@)?(<address>|[<plain>]+)(:\d*)?([/\\?#][\s\S]*)? an absolute URL
uuid <hex>{8}(-<hex>{4}){3}-<hex>{12} a UUID
"#;

/// The schemes of the web, for which `url` looks at what follows; of others it asks for a scheme alone.
const WEB: &str = "^([Hh][Tt]{2}[Pp][Ss]?|[Ww][Ss]{1,2}|[Ff][Tt][Pp]):";
const ANY_SCHEME: &str = r"^[A-Za-z][A-Za-z\d+.-]*:";

/// A known format.
pub(super) struct Format {
    name: String,
    /// For issues.
    pub words: &'static str,
}

impl Format {
    /// The format of that name. Unknown formats are annotations.
    pub fn named(name: &str) -> Option<Self> {
        let words = line_of(name)?.1;
        (!words.is_empty()).then(|| Self { name: name.to_owned(), words })
    }

    /// Whether a text is of this format. A host without regular expressions takes the format as an annotation.
    pub fn accepts(&self, text: &str, patterns: &dyn Patterns) -> bool {
        let (name, mut text) = (self.name.as_str(), text);
        if name == "regex" {
            return patterns.is_match(text, "").is_some();
        }
        let mut known = None;
        if name == "url" {
            text = trim(text);
            if patterns.is_match(WEB, text) == Some(false) {
                known = Some(patterns.is_match(ANY_SCHEME, text));
            }
        }
        match known.unwrap_or_else(|| patterns.is_format(name, &|| pattern(name), text)) {
            Some(true) => {}
            other => return other.is_none(),
        }
        if has(name, "time") {
            return !is_early(around(text, b'T', false).or(around(text, b't', false)).map_or(text, |parts| parts.1));
        }
        let host = around(text, b'@', true).map_or(text, |parts| parts.1);
        length(host) <= 253 || !(has(name, "mail") || has(name, "hostname"))
    }
}

/// The whole expression of a format.
fn pattern(name: &str) -> String {
    // Of every kind of name there is one for ASCII and one for all characters.
    let any = name.starts_with("idn") || name.starts_with("iri") || name == "url";
    let mut out = "^(".to_owned();
    expand(name, any, &mut out);
    out.push_str(")$");
    out
}

/// The expression of a name, with names in it, and the words, which only formats have.
fn line_of(name: &str) -> Option<(&'static str, &'static str)> {
    let start = ["\n", name, " "].concat();
    let at = find(GRAMMAR, &start).filter(|_| !has(name, " "))?;
    let line = before(GRAMMAR.get(at + start.len()..)?, b"\n").0;
    Some(around(line, b' ', false).unwrap_or((line, "")))
}

/// Writes the expression of a name. (Names stand for earlier lines only, so this ends.)
fn expand(name: &str, any: bool, out: &mut String) {
    match name {
        "any" if any => out.push_str(r"\x80-\u{10ffff}"),
        "letters" if any => out.push_str(r"\x80-\u3001\u3003-\uff0d\uff0f-\uff60\uff62-\u{10ffff}"),
        "stops" if any => out.push_str(r"\u3002\uff0e\uff61"),
        _ => {}
    }
    let mut rest = line_of(name).unwrap_or_default().0;
    while let Some((plain, (name, after))) = around(rest, b'<', false).map(|(a, b)| (a, before(b, b">"))) {
        out.push_str(plain);
        expand(name, any, out);
        rest = after.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// Whether a time has a leap second that is not the last second of a day in UTC. Everything stands at its place, because
/// the expression matched.
fn is_early(clock: &str) -> bool {
    let digit = |at: usize| clock.as_bytes().get(at).map_or(0, |byte| u32::from(byte.wrapping_sub(b'0')));
    let parts = [(0, 600), (1, 60), (3, 10), (4, 1)];
    let minutes = |from: usize| parts.iter().map(|(at, worth)| digit(from + at) * worth).sum::<u32>();
    let zone = clock.len().saturating_sub(6);
    let shift = match clock.as_bytes().get(zone) {
        Some(b'+') => 24 * 60 - minutes(zone + 1),
        Some(b'-') => minutes(zone + 1),
        _ => 0,
    };
    digit(6) == 6 && (minutes(0) + shift) % (24 * 60) != 24 * 60 - 1
}
