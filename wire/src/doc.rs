//! A JSON text that was read once and is looked up by name. Only the places of its values are kept.
//!
//! Lookups are tolerant: a member that is not there and one of another type than the one asked for are the same.

use crate::json::double::parse_f64;
use crate::json::{JsonError, Kind, Reader};
use crate::literal::Literal;
use std::borrow::Cow;

/// A text with all its values: what holds the root.
pub(crate) struct Doc<'a>(Node<'a>);

/// A value in a text.
#[derive(Default)]
pub(crate) struct Node<'a> {
    /// Of a member of an object: its name as it stands there.
    name: &'a str,
    span: &'a str,
    inside: Vec<Node<'a>>,
}

/// A value in a text, or the absence of one.
pub(crate) type At<'a> = &'a Node<'a>;

static ABSENT: Node<'static> = Node::of("");

impl<'a> Default for &'a Node<'a> {
    fn default() -> Self {
        &ABSENT
    }
}

impl<'a> Doc<'a> {
    /// Reads a text.
    pub fn read(text: &'a str) -> Result<Self, JsonError> {
        Ok(Self(Node { inside: read(text)?, ..Node::of("") }))
    }

    /// A text inside of another one; nothing of it when it cannot be read to its end.
    pub fn of(text: &'a str) -> Self {
        Self::read(text).unwrap_or_else(|_| Self(Node::of("")))
    }

    /// The whole of it.
    pub fn root(&self) -> At<'_> {
        self.0.inside.first().unwrap_or_default()
    }
}

/// Reads a text; gives its root.
#[inline(never)]
fn read(text: &str) -> Result<Vec<Node<'_>>, JsonError> {
    let mut reader = Reader::new(text);
    // Values whose container was not read to its end; where the containers among them stand.
    let (mut nodes, mut open) = (Vec::new(), Vec::new());
    let mut name = "";
    loop {
        let kind = reader.peek()?;
        let span = if matches!(kind, Kind::Object | Kind::Array) {
            open.push(nodes.len());
            let rest = text.get(reader.offset()..).unwrap_or_default();
            reader.begin(kind)?;
            rest
        } else {
            reader.scalar(kind)?
        };
        nodes.push(Node { name, ..Node::of(span) });
        loop {
            let Some(&at) = open.last() else {
                return reader.finish().map(|()| nodes);
            };
            name = "";
            let another = if nodes.get(at).is_some_and(Node::is_object) {
                let next = reader.next_name()?;
                name = next.unwrap_or_default();
                next.is_some()
            } else {
                reader.next_item()?
            };
            if another {
                break;
            }
            open.pop();
            let inside = nodes.split_off(at + 1);
            if let Some(container) = nodes.last_mut() {
                let left = text.len() - reader.offset();
                container.span = container.span.get(..container.span.len() - left).unwrap_or_default();
                container.inside = inside;
            }
        }
    }
}

impl<'a> Node<'a> {
    /// A value that is no container, from its source.
    pub const fn of(span: &'a str) -> Self {
        Self { name: "", span, inside: Vec::new() }
    }

    /// Its source; empty when it is absent.
    pub fn span(&'a self) -> &'a str {
        self.span
    }

    /// The byte it begins with, which tells its type; 0 when it is absent.
    pub fn first(&self) -> u8 {
        self.span.bytes().next().unwrap_or_default()
    }

    pub fn is_absent(&self) -> bool {
        self.span.is_empty()
    }

    pub fn is_string(&self) -> bool {
        self.first() == b'"'
    }

    pub fn is_object(&self) -> bool {
        self.first() == b'{'
    }

    /// Itself if it begins with this byte, else nothing.
    #[inline(never)]
    pub fn only(&'a self, first: u8) -> At<'a> {
        if self.first() == first {
            self
        } else {
            &ABSENT
        }
    }

    /// Itself, or what stands for it where it is absent.
    #[inline(never)]
    pub fn or(&'a self, other: At<'a>) -> At<'a> {
        if self.is_absent() {
            other
        } else {
            self
        }
    }

    /// The elements of an array; none of anything else.
    pub fn items(&'a self) -> &'a [Node<'a>] {
        &self.only(b'[').inside
    }

    /// The members of an object; none of anything else.
    pub fn members(&'a self) -> &'a [Node<'a>] {
        &self.only(b'{').inside
    }

    /// The name of a member.
    pub fn name(&self) -> Literal<'a> {
        Literal::of_span(self.name)
    }

    /// The last member of that name.
    #[inline(never)]
    pub fn at(&'a self, name: &str) -> At<'a> {
        self.members().iter().rfind(|member| member.name().is(name)).unwrap_or(&ABSENT)
    }

    /// A member that is a string.
    #[inline(never)]
    pub fn string(&'a self, name: &str) -> At<'a> {
        self.at(name).only(b'"')
    }

    /// A string; the empty one for anything else.
    pub fn literal(&self) -> Literal<'a> {
        if self.is_string() {
            Literal::of_span(self.span)
        } else {
            Literal::EMPTY
        }
    }

    /// The source of a string between its quotes, empty for anything else.
    #[inline(never)]
    pub fn inner(&self) -> &'a str {
        self.literal().inner()
    }

    /// The text of a string, empty for anything else.
    #[inline(never)]
    pub fn as_text(&self) -> Cow<'a, str> {
        self.literal().text()
    }

    /// Whether it is a string that stands for exactly this text.
    #[inline(never)]
    pub fn is(&self, text: &str) -> bool {
        self.literal().is(text)
    }

    /// Whether it is no string, or one that says nothing.
    #[inline(never)]
    pub fn is_empty(&self) -> bool {
        self.inner().is_empty()
    }

    /// See [`Literal::is_blank`].
    #[inline(never)]
    pub fn is_blank(&self) -> bool {
        self.literal().is_blank()
    }

    /// See [`Literal::units`].
    pub fn units(&self) -> f64 {
        self.literal().units().into()
    }

    /// The text of a member that is a string; empty when there is none.
    #[inline(never)]
    pub fn text(&'a self, name: &str) -> Cow<'a, str> {
        self.at(name).as_text()
    }

    /// A member that is a number; NaN when there is none.
    #[inline(never)]
    pub fn number(&'a self, name: &str) -> f64 {
        let value = self.at(name);
        match value.first() {
            b'-' | b'0'..=b'9' => parse_f64(value.span),
            _ => f64::NAN,
        }
    }

    /// A member that is a number; 0 when there is none.
    #[inline(never)]
    pub fn count(&'a self, name: &str) -> f64 {
        let number = self.number(name);
        if number.is_nan() {
            0.0
        } else {
            number
        }
    }

    /// A member that is `true` or `false`.
    #[inline(never)]
    pub fn boolean(&'a self, name: &str) -> Option<bool> {
        match self.at(name).first() {
            b't' => Some(true),
            b'f' => Some(false),
            _ => None,
        }
    }

    /// Whether a member is `true`.
    #[inline(never)]
    pub fn is_true(&'a self, name: &str) -> bool {
        self.at(name).first() == b't'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_name_and_type() {
        let text = r#" {"a":{"b":[1,{"x":[]},"\u0041"],"c":true} , "n":-1.5,"\u006e":2,"s":"t\n","o":null} "#;
        let doc = Doc::read(text).unwrap();
        let root = doc.root();
        assert_eq!(root.at("a").span(), r#"{"b":[1,{"x":[]},"\u0041"],"c":true}"#);
        let items: Vec<&str> = root.at("a").at("b").items().iter().map(|item| item.span).collect();
        assert_eq!(items, ["1", r#"{"x":[]}"#, r#""\u0041""#]);
        let names: Vec<&str> = root.members().iter().map(|member| member.name().inner()).collect();
        assert_eq!(names, ["a", "n", "\\u006e", "s", "o"]);
        assert_eq!((root.number("n"), root.number("s").is_nan(), root.text("s").as_ref()), (2.0, true, "t\n"));
        assert!(root.at("a").is_true("c") && root.boolean("n").is_none() && root.at("a").only(b'[').is_absent());
        assert_eq!((root.at("missing").at("x").span(), root.at("o").first()), ("", b'n'));
        assert_eq!(root.at("n").members().len() + root.at("a").items().len(), 0);
    }

    #[test]
    fn a_text_that_is_no_json_is_refused_where_it_goes_wrong() {
        for (text, offset) in [("", 0), ("{", 1), (r#"{"a":1,}"#, 7), ("[1 2]", 3), ("[]x", 2), (r#"{"a" 1}"#, 5)] {
            assert_eq!(Doc::read(text).err().map(JsonError::offset), Some(offset), "{text}");
        }
    }
}
