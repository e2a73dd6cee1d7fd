//! A JSON text that was read once and is looked up by name. Only the places of its values are kept.
//!
//! Lookups are tolerant: a member that is not there and one of another type than the one asked for are the same.

use crate::json::double::parse_f64;
use crate::json::{JsonError, Kind, Reader};
use crate::literal::Literal;
use std::borrow::Cow;

/// All values of a text in the order in which they begin; the name of a member stands before its value.
pub(crate) struct Doc<'a>(Vec<Node<'a>>);

struct Node<'a> {
    span: &'a str,
    /// The first node that is not a part of this one.
    next: usize,
}

impl<'a> Doc<'a> {
    /// Reads a text.
    pub fn read(text: &'a str) -> Result<Self, JsonError> {
        let mut reader = Reader::new(text);
        let mut nodes = Vec::new();
        // Containers whose end was not read yet: node, offset, and whether it is an object.
        let mut open: Vec<(usize, usize, bool)> = Vec::new();
        loop {
            let (at, kind) = (nodes.len(), reader.peek()?);
            let mut span = "";
            match kind {
                Kind::Object | Kind::Array => {
                    open.push((at, reader.offset(), kind == Kind::Object));
                    reader.begin(kind)?;
                }
                _ => span = reader.raw()?,
            }
            nodes.push(Node { span, next: at + 1 });
            while let Some(&(at, start, object)) = open.last() {
                if object {
                    if let Some(span) = reader.next_name()? {
                        nodes.push(Node { span, next: nodes.len() + 1 });
                        break;
                    }
                } else if reader.next_item()? {
                    break;
                }
                open.pop();
                let next = nodes.len();
                if let Some(node) = nodes.get_mut(at) {
                    *node = Node { span: text.get(start..reader.offset()).unwrap_or_default(), next };
                }
            }
            if open.is_empty() {
                reader.finish()?;
                return Ok(Self(nodes));
            }
        }
    }

    /// A text that was read before, as a part of another one.
    pub fn of(text: &'a str) -> Self {
        Self::read(text).unwrap_or(Self(Vec::new()))
    }

    /// The whole of it.
    pub fn root(&self) -> At<'_> {
        At { nodes: &self.0, index: 0 }
    }
}

/// A value in a text, or the absence of one.
#[derive(Clone, Copy, Default)]
pub(crate) struct At<'a> {
    nodes: &'a [Node<'a>],
    index: usize,
}

impl<'a> At<'a> {
    /// Its source; empty when it is absent.
    pub fn span(self) -> &'a str {
        self.nodes.get(self.index).map_or("", |node| node.span)
    }

    /// The byte it begins with, which tells its type; 0 when it is absent.
    pub fn first(self) -> u8 {
        self.span().bytes().next().unwrap_or_default()
    }

    /// The elements of an array; none of anything else.
    pub fn items(self) -> Inside<'a> {
        self.inside(b'[')
    }

    /// Names and values of an object; none of anything else.
    pub fn members(self) -> Members<'a> {
        Members(self.inside(b'{'))
    }

    #[inline(never)]
    fn inside(self, first: u8) -> Inside<'a> {
        let end = match self.nodes.get(self.index) {
            Some(node) if self.first() == first => node.next,
            _ => 0,
        };
        Inside { next: At { index: self.index + 1, ..self }, end }
    }

    /// The last member of that name.
    #[inline(never)]
    pub fn at(self, name: &str) -> At<'a> {
        let mut found = At::default();
        for (key, value) in self.members() {
            if key.is(name) {
                found = value;
            }
        }
        found
    }

    /// A string.
    pub fn as_literal(self) -> Option<Literal<'a>> {
        (self.first() == b'"').then(|| Literal::of_span(self.span()))
    }

    /// The text of a string, empty for anything else.
    pub fn as_text(self) -> Cow<'a, str> {
        self.as_literal().unwrap_or(Literal::EMPTY).text()
    }

    /// A number.
    pub fn as_number(self) -> Option<f64> {
        matches!(self.first(), b'-' | b'0'..=b'9').then(|| parse_f64(self.span()))
    }

    /// A member that is a string; empty when there is none.
    #[inline(never)]
    pub fn literal(self, name: &str) -> Literal<'a> {
        self.at(name).as_literal().unwrap_or(Literal::EMPTY)
    }

    /// The text of a member that is a string; empty when there is none.
    #[inline(never)]
    pub fn text(self, name: &str) -> Cow<'a, str> {
        self.at(name).as_text()
    }

    /// A member that is a number.
    #[inline(never)]
    pub fn number(self, name: &str) -> Option<f64> {
        self.at(name).as_number()
    }

    /// A member that is `true` or `false`.
    #[inline(never)]
    pub fn boolean(self, name: &str) -> Option<bool> {
        match self.at(name).first() {
            b't' => Some(true),
            b'f' => Some(false),
            _ => None,
        }
    }

    /// Whether a member is `true`.
    pub fn is_true(self, name: &str) -> bool {
        self.boolean(name) == Some(true)
    }

    /// The source of a member that begins with this byte.
    #[inline(never)]
    pub fn source(self, name: &str, first: u8) -> Option<&'a str> {
        let value = self.at(name);
        (value.first() == first).then(|| value.span())
    }
}

/// The values in a container, one by one.
pub(crate) struct Inside<'a> {
    next: At<'a>,
    end: usize,
}

impl<'a> Iterator for Inside<'a> {
    type Item = At<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<At<'a>> {
        let here = self.next;
        let node = here.nodes.get(here.index).filter(|_| here.index < self.end)?;
        self.next.index = node.next;
        Some(here)
    }
}

/// The members of an object, one by one.
pub(crate) struct Members<'a>(Inside<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Literal<'a>, At<'a>);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        let name = self.0.next()?;
        Some((Literal::of_span(name.span()), self.0.next()?))
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
        let items: Vec<&str> = root.at("a").at("b").items().map(At::span).collect();
        assert_eq!(items, ["1", r#"{"x":[]}"#, r#""\u0041""#]);
        let names: Vec<&str> = root.members().map(|member| member.0.inner()).collect();
        assert_eq!(names, ["a", "n", "\\u006e", "s", "o"]);
        assert_eq!((root.number("n"), root.number("s"), root.text("s").as_ref()), (Some(2.0), None, "t\n"));
        assert!(root.at("a").is_true("c") && root.boolean("n").is_none() && root.source("a", b'[').is_none());
        assert_eq!((root.at("missing").at("x").span(), root.at("o").first()), ("", b'n'));
        assert_eq!(root.at("n").members().count() + root.at("a").items().count(), 0);
    }

    #[test]
    fn a_text_that_is_no_json_is_refused_where_it_goes_wrong() {
        for (text, offset) in [("", 0), ("{", 1), (r#"{"a":1,}"#, 7), ("[1 2]", 3), ("[]x", 2), (r#"{"a" 1}"#, 5)] {
            assert_eq!(Doc::read(text).err().map(JsonError::offset), Some(offset), "{text}");
        }
    }
}
