//! Parts of an event, read where they stand.

use crate::json::double::parse_f64;
use crate::json::{JsonError, Kind, Reader};
use crate::literal::Literal;
use std::borrow::Cow;

/// What was read, or why it is no good JSON.
pub(crate) type Read<T> = Result<T, JsonError>;

/// The source of a value, which was checked; empty for a value that is absent. Null counts as absent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Source<'a> {
    pub span: &'a str,
}

impl<'a> Source<'a> {
    /// The members of a whole event that have these names; an event that is no object has none.
    ///
    /// # Errors
    /// The event is not well-formed.
    pub fn event<const N: usize>(data: &'a str, names: &[&str; N]) -> Read<[Self; N]> {
        let mut found = [Self::default(); N];
        let mut reader = Reader::new(data);
        find(&mut reader, names, &mut found)?;
        reader.finish()?;
        Ok(found)
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
    pub fn pick<const N: usize>(self, names: &[&str; N]) -> [Self; N] {
        let mut found = [Self::default(); N];
        self.pick_into(names, &mut found);
        found
    }

    fn pick_into(self, names: &[&str], found: &mut [Self]) {
        if !self.is_absent() {
            // The span was read once already.
            let _ = find(&mut self.reader(), names, found);
        }
    }

    pub fn is_absent(self) -> bool {
        self.span.is_empty()
    }

    /// Itself, or what stands for it where it is absent.
    pub fn or(self, other: Self) -> Self {
        if self.is_absent() {
            other
        } else {
            self
        }
    }

    /// Absent unless it is of the kind that begins with this byte: a quote, a bracket or a brace.
    pub fn only(self, first: u8) -> Self {
        if self.span.as_bytes().first() == Some(&first) {
            self
        } else {
            Self::default()
        }
    }

    /// Absent unless it is a string that says something.
    pub fn said(self) -> Self {
        if self.span.len() > 2 {
            self.only(b'"')
        } else {
            Self::default()
        }
    }

    /// The elements of a list; anything else has none.
    pub fn items(self) -> Items<'a> {
        let mut reader = self.reader();
        Items(reader.begin_array().is_ok().then_some(reader))
    }

    /// The members of an object, with the sources of their values; anything else has none.
    pub fn members(self) -> Members<'a> {
        let mut reader = self.reader();
        Members(reader.begin_object().is_ok().then_some(reader))
    }

    /// The text of a string; empty for anything else.
    pub fn string(self) -> Cow<'a, str> {
        self.reader().string().unwrap_or_default()
    }

    /// The text of a string that says something.
    pub fn text(self) -> Option<Cow<'a, str>> {
        Some(self.string()).filter(|text| !text.is_empty())
    }

    /// A string that is plain in any case, such as a kind; empty for anything else.
    pub fn word(self) -> &'a str {
        Literal::of_span(self.only(b'"').span).inner()
    }

    /// A number.
    pub fn number(self) -> Option<f64> {
        self.reader().number().ok().map(parse_f64)
    }

    /// A number, 0 for anything else.
    pub fn count(self) -> f64 {
        self.number().unwrap_or_default()
    }

    /// Appends the text it stands for. `carry` holds half a surrogate pair between two pieces of one text.
    pub fn decode(self, out: &mut String, carry: &mut Option<u16>) {
        // Growing step by step, a long text would lie several times in memory.
        out.reserve(self.span.len());
        // The span was read once already.
        let _ = self.reader().string_onto(out, carry);
    }

    fn reader(self) -> Reader<'a> {
        Reader::new(self.span)
    }
}

/// Puts the sources of the members with these names into `found`, each in the place of its name.
fn find<'a>(reader: &mut Reader<'a>, names: &[&str], found: &mut [Source<'a>]) -> Read<()> {
    if reader.peek()? != Kind::Object {
        return reader.skip();
    }
    reader.begin_object()?;
    while let Some(key) = reader.next_key()? {
        let span = reader.raw()?;
        if let Some(place) = names.iter().position(|name| *name == key).and_then(|at| found.get_mut(at)) {
            place.span = if span == "null" { "" } else { span };
        }
    }
    Ok(())
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
        Some(Source { span: if span == "null" { "" } else { span } })
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
