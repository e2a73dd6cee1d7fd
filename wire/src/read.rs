//! Tolerant reading of members that should have a certain type: a value of another type counts as absent.

use crate::json::double::parse_f64;
use crate::json::{JsonError, Kind, Reader};
use crate::literal::Literal;
use std::borrow::Cow;

pub(crate) type Read<T> = Result<T, JsonError>;

/// Gives every member of an object to `each`, which must read its value. A value that is no object is skipped.
pub(crate) fn members<'a>(
    reader: &mut Reader<'a>,
    mut each: impl FnMut(&str, &mut Reader<'a>) -> Read<()>,
) -> Read<()> {
    each_member(reader, &mut each)
}

/// Reads one member. Instead of `dyn FnMut`, whose table holds a second copy of every closure's code (its `FnOnce`).
trait Member<'a> {
    fn read(&mut self, key: &str, reader: &mut Reader<'a>) -> Read<()>;
}

impl<'a, F: FnMut(&str, &mut Reader<'a>) -> Read<()>> Member<'a> for F {
    fn read(&mut self, key: &str, reader: &mut Reader<'a>) -> Read<()> {
        self(key, reader)
    }
}

/// One copy of the loop for all callers.
fn each_member<'a>(reader: &mut Reader<'a>, each: &mut dyn Member<'a>) -> Read<()> {
    if reader.peek()? != Kind::Object {
        return reader.skip();
    }
    reader.begin_object()?;
    while let Some(key) = reader.next_key()? {
        each.read(&key, reader)?;
    }
    Ok(())
}

/// Lets `each` read every element of an array. A value that is no array is skipped.
pub(crate) fn items<'a>(reader: &mut Reader<'a>, mut each: impl FnMut(&mut Reader<'a>) -> Read<()>) -> Read<()> {
    each_item(reader, &mut each)
}

/// Reads one element.
trait Item<'a> {
    fn read(&mut self, reader: &mut Reader<'a>) -> Read<()>;
}

impl<'a, F: FnMut(&mut Reader<'a>) -> Read<()>> Item<'a> for F {
    fn read(&mut self, reader: &mut Reader<'a>) -> Read<()> {
        self(reader)
    }
}

fn each_item<'a>(reader: &mut Reader<'a>, each: &mut dyn Item<'a>) -> Read<()> {
    if reader.peek()? != Kind::Array {
        return reader.skip();
    }
    reader.begin_array()?;
    while reader.next_item()? {
        each.read(reader)?;
    }
    Ok(())
}

/// Puts the sources of the members with these names into `found`, each in the place of its name. What is not there is
/// left as it was.
pub(crate) fn spans<'a>(reader: &mut Reader<'a>, names: &[&str], found: &mut [&'a str]) -> Read<()> {
    members(reader, |key, reader| {
        let span = reader.raw()?;
        if let Some(place) = names.iter().position(|name| *name == key).and_then(|at| found.get_mut(at)) {
            *place = span;
        }
        Ok(())
    })
}

/// A string, unparsed.
pub(crate) fn literal<'a>(reader: &mut Reader<'a>) -> Read<Option<Literal<'a>>> {
    let string = reader.peek()? == Kind::String;
    let span = reader.raw()?;
    Ok(string.then_some(Literal::of_span(span)))
}

/// A string that says something: absent, of another type, and empty are one.
pub(crate) fn text<'a>(reader: &mut Reader<'a>) -> Read<Option<Cow<'a, str>>> {
    if reader.peek()? != Kind::String {
        return reader.skip().map(|()| None);
    }
    reader.string().map(|text| (!text.is_empty()).then_some(text))
}

/// A number.
pub(crate) fn number(reader: &mut Reader<'_>) -> Read<Option<f64>> {
    if reader.peek()? != Kind::Number {
        return reader.skip().map(|()| None);
    }
    Ok(Some(parse_f64(reader.number()?)))
}

/// `true` or `false`.
pub(crate) fn boolean(reader: &mut Reader<'_>) -> Read<Option<bool>> {
    if reader.peek()? != Kind::Bool {
        return reader.skip().map(|()| None);
    }
    reader.boolean().map(Some)
}

/// What a member can hold, as [`set`] reads it: absent where the value is of another type.
pub(crate) trait Field<'a>: Sized {
    fn read(reader: &mut Reader<'a>) -> Read<Self>;
}

impl<'a> Field<'a> for Option<Cow<'a, str>> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        text(reader)
    }
}

impl<'a> Field<'a> for Cow<'a, str> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        text(reader).map(Option::unwrap_or_default)
    }
}

impl<'a> Field<'a> for Option<Literal<'a>> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        literal(reader)
    }
}

impl<'a> Field<'a> for Option<f64> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        number(reader)
    }
}

impl<'a> Field<'a> for f64 {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        number(reader).map(Option::unwrap_or_default)
    }
}

impl<'a> Field<'a> for Option<bool> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        boolean(reader)
    }
}

impl<'a> Field<'a> for bool {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        boolean(reader).map(Option::unwrap_or_default)
    }
}

/// Reads a value into its place. One copy for each type: where it is called, a call is all that it takes.
#[inline(never)]
pub(crate) fn set<'a, T: Field<'a>>(place: &mut T, reader: &mut Reader<'a>) -> Read<()> {
    *place = T::read(reader)?;
    Ok(())
}

/// [`span`], into its place.
#[inline(never)]
pub(crate) fn set_span<'a>(place: &mut Option<&'a str>, kind: Kind, reader: &mut Reader<'a>) -> Read<()> {
    *place = span(reader, kind)?;
    Ok(())
}

/// The source of a value that must be of one kind.
pub(crate) fn span<'a>(reader: &mut Reader<'a>, kind: Kind) -> Read<Option<&'a str>> {
    let fits = reader.peek()? == kind;
    let span = reader.raw()?;
    Ok(fits.then_some(span))
}
