//! Parts of an event, read where they stand.

use crate::json::double::parse_f64;
use crate::json::{JsonError, Kind, Reader};
use crate::literal::Literal;
use std::borrow::Cow;

/// What was read, or why it is no good JSON.
type Read<T> = Result<T, JsonError>;

/// The source of a value, which was checked; empty for a value that is absent. Null counts as absent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Source<'a> {
    pub span: &'a str,
}

/// What stands for a value that is not there.
pub(crate) const ABSENT: &Source<'static> = &Source { span: "" };

/// Members of an object in the places of the names asked for: as many as anybody asks for at once.
pub(crate) type Picked<'a> = [Source<'a>; 10];

/// Names of members as one constant: each behind a byte that says how long it is. In a list of texts every name would
/// cost an address and a length beside.
macro_rules! names {
    ($($name:expr),+ $(,)?) => {{
        const NAMES: &[&str] = &[$($name),+];
        const PACKED: [u8; $crate::source::packed_len(NAMES)] = $crate::source::packed(NAMES);
        &PACKED
    }};
}
pub(crate) use names;

/// Length of [`packed`] names.
pub(crate) const fn packed_len(names: &[&str]) -> usize {
    let (mut names, mut len) = (names, 0);
    while let [name, rest @ ..] = names {
        len += 1 + name.len();
        names = rest;
    }
    len
}

/// See [`names`].
#[allow(clippy::indexing_slicing)] // The compiler runs it: what lay outside would not compile.
pub(crate) const fn packed<const N: usize>(names: &[&str]) -> [u8; N] {
    let mut out = [0; N];
    let (mut names, mut at) = (names, 0);
    while let [name, more @ ..] = names {
        let mut text = name.as_bytes();
        out[at] = name.len() as u8;
        at += 1;
        while let [byte, rest @ ..] = text {
            out[at] = *byte;
            at += 1;
            text = rest;
        }
        names = more;
    }
    out
}

/// Whether a name is among [`names`].
pub(crate) fn is_among(names: &[u8], wanted: &str) -> bool {
    place_of(names, wanted) != usize::MAX
}

/// The place of a name among [`names`]. Nearly all are told apart by their length.
fn place_of(names: &[u8], wanted: &str) -> usize {
    let (mut at, mut place) = (0, 0);
    while let Some(len) = names.get(at) {
        let start = at + 1;
        at = start + usize::from(*len);
        if usize::from(*len) == wanted.len() && names.get(start..at) == Some(wanted.as_bytes()) {
            return place;
        }
        place += 1;
    }
    usize::MAX
}

// One copy of code for each, handing on pointers: inside of their callers they are most of what a decoder weighs.
impl<'a> Source<'a> {
    /// The members of a whole event that have these names; an event that is no object has none. `None` when it is not
    /// well-formed.
    #[inline(never)]
    pub fn event(data: &'a str, names: &[u8]) -> Option<Picked<'a>> {
        let mut found = Picked::default();
        let mut reader = Reader::new(data);
        let read = find(&mut reader, names, &mut found).and_then(|()| reader.finish());
        read.is_ok().then_some(found)
    }

    /// A text that is one JSON document; absent if it is not well-formed.
    pub fn whole(text: &'a str) -> Self {
        let mut reader = Reader::new(text);
        match (reader.raw(), reader.finish()) {
            (Ok(span), Ok(())) => Self { span },
            _ => Self::default(),
        }
    }

    /// The members with these names; what is no object has none.
    #[inline(never)]
    pub fn pick(&self, names: &[u8]) -> Picked<'a> {
        let mut found = Picked::default();
        if !self.is_absent() {
            // The span was read once already.
            let _ = find(&mut self.reader(), names, &mut found);
        }
        found
    }

    /// The member with this name.
    #[inline(never)]
    pub fn member(&self, name: &str) -> Self {
        let mut found = Self::default();
        for (key, span) in self.members() {
            if key == name {
                found.span = or_absent(span);
            }
        }
        found
    }

    /// Numbers among `names`, each put into its place in `numbers`; those that are not there leave theirs as it is.
    /// `a.b` is the member `b` of the member `a`.
    pub fn numbers(&self, names: &[u8], numbers: &mut [f64]) {
        let mut put = |name: &str, source: &Source<'_>| {
            if let Some(place) = numbers.get_mut(place_of(names, name)) {
                *place = source.number().unwrap_or(*place);
            }
        };
        for (name, span) in self.members() {
            let source = Source { span };
            if !source.is(b'{') {
                put(&name, &source);
                continue;
            }
            for (inner, span) in source.members() {
                put(&[&name, ".", &inner].concat(), &Source { span });
            }
        }
    }

    pub fn is_absent(&self) -> bool {
        self.span.is_empty()
    }

    /// Whether it is of the kind that begins with this byte: a quote, a bracket or a brace.
    #[inline(never)]
    pub fn is(&self, first: u8) -> bool {
        self.span.as_bytes().first() == Some(&first)
    }

    /// Itself, or what stands for it where it is absent.
    #[inline(never)]
    pub fn or<'s>(&'s self, other: &'s Self) -> &'s Self {
        if self.is_absent() {
            other
        } else {
            self
        }
    }

    /// Absent unless it is of the kind that begins with this byte.
    #[inline(never)]
    pub fn only(&self, first: u8) -> &Self {
        if self.is(first) {
            self
        } else {
            ABSENT
        }
    }

    /// Absent unless it is a string that says something.
    #[inline(never)]
    pub fn said(&self) -> &Self {
        if self.span.len() > 2 {
            self.only(b'"')
        } else {
            ABSENT
        }
    }

    /// The elements of a list; anything else has none.
    #[inline(never)]
    pub fn items(&self) -> Items<'a> {
        let mut reader = self.reader();
        Items(reader.begin_array().is_ok().then_some(reader))
    }

    /// The members of an object, with the sources of their values; anything else has none.
    #[inline(never)]
    pub fn members(&self) -> Members<'a> {
        let mut reader = self.reader();
        Members(reader.begin_object().is_ok().then_some(reader))
    }

    /// The text of a string; empty for anything else.
    #[inline(never)]
    pub fn string(&self) -> Cow<'a, str> {
        self.reader().string().unwrap_or_default()
    }

    /// A string that is plain in any case, such as a kind; empty for anything else.
    #[inline(never)]
    pub fn word(&self) -> &'a str {
        if self.is(b'"') {
            Literal::of_span(self.span).inner()
        } else {
            ""
        }
    }

    /// Whether it is this number or word, as written.
    #[inline(never)]
    pub fn reads(&self, span: &str) -> bool {
        self.span == span
    }

    /// A number.
    #[inline(never)]
    pub fn number(&self) -> Option<f64> {
        self.reader().number().ok().map(parse_f64)
    }

    /// A number, 0 for anything else.
    #[inline(never)]
    pub fn count(&self) -> f64 {
        self.number().unwrap_or_default()
    }

    /// Puts the text of a string into `text`; anything else empties it.
    #[inline(never)]
    pub fn string_into(&self, text: &mut String) {
        text.clear();
        text.push_str(&self.string());
    }

    /// Appends the text it stands for. `carry` holds half a surrogate pair between two pieces of one text.
    pub fn decode(&self, out: &mut String, carry: &mut Option<u16>) {
        // Growing step by step, a long text would lie several times in memory.
        out.reserve(self.span.len());
        // The span was read once already.
        let _ = self.reader().string_onto(out, carry);
    }

    fn reader(&self) -> Reader<'a> {
        Reader::new(self.span)
    }
}

/// Puts the sources of the members with these names into `found`, each in the place of its name.
fn find<'a>(reader: &mut Reader<'a>, names: &[u8], found: &mut [Source<'a>]) -> Read<()> {
    if reader.peek()? != Kind::Object {
        return reader.skip();
    }
    reader.begin_object()?;
    while let Some(key) = reader.next_key()? {
        let span = reader.raw()?;
        if let Some(place) = found.get_mut(place_of(names, &key)) {
            place.span = or_absent(span);
        }
    }
    Ok(())
}

fn or_absent(span: &str) -> &str {
    if span == "null" {
        ""
    } else {
        span
    }
}

/// See [`Source::items`].
pub(crate) struct Items<'a>(Option<Reader<'a>>);

impl<'a> Iterator for Items<'a> {
    type Item = Source<'a>;

    fn next(&mut self) -> Option<Source<'a>> {
        let reader = self.0.as_mut()?;
        if reader.next_item() != Ok(true) {
            self.0 = None;
            return None;
        }
        let span = reader.raw().ok()?;
        Some(Source { span: or_absent(span) })
    }
}

/// See [`Source::members`].
pub(crate) struct Members<'a>(Option<Reader<'a>>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.0.as_mut()?;
        let Ok(Some(name)) = reader.next_key() else {
            self.0 = None;
            return None;
        };
        Some((name, reader.raw().ok()?))
    }
}
