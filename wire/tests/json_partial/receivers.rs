//! Receivers of edits that check them.

use steersman_wire::json::partial::{Edits, Literal, Piece};
use steersman_wire::json::Builder;

/// Writes edits down, joining the text that one string got in several pieces.
#[derive(Default, Debug, Clone, PartialEq)]
pub struct Log(pub Vec<String>);

impl Log {
    fn add(&mut self, edit: &str, text: &str) {
        self.0.push(format!("{edit}{text}"));
    }
}

impl Edits for Log {
    fn open_object(&mut self) {
        self.add("{", "");
    }
    fn open_array(&mut self) {
        self.add("[", "");
    }
    fn key(&mut self, name: &str) {
        self.add("key ", name);
    }
    fn string_start(&mut self) {
        self.add("string ", "");
    }
    fn string_append(&mut self, piece: Piece<'_>) {
        assert!(!piece.text.is_empty());
        let last = self.0.last_mut().unwrap();
        assert!(last.starts_with("string "), "appended to {last}");
        last.push_str(piece.text);
    }
    fn number(&mut self, text: &str) {
        self.add("number ", text);
    }
    fn literal(&mut self, value: Literal) {
        self.add("literal ", &format!("{value:?}"));
    }
    fn close(&mut self) {
        self.add("close", "");
    }
}

/// Sends the same edits to two receivers, checking that verbatim pieces lie where they say.
pub struct Both<'a>(pub &'a mut Log, pub &'a mut Builder, pub &'a str);

impl Edits for Both<'_> {
    fn open_object(&mut self) {
        self.0.open_object();
        self.1.open_object();
    }
    fn open_array(&mut self) {
        self.0.open_array();
        self.1.open_array();
    }
    fn key(&mut self, name: &str) {
        self.0.key(name);
        self.1.key(name);
    }
    fn string_start(&mut self) {
        self.0.string_start();
        self.1.string_start();
    }
    fn string_append(&mut self, piece: Piece<'_>) {
        if let Some(start) = piece.start {
            assert_eq!(&self.2[start..start + piece.text.len()], piece.text);
        }
        self.0.string_append(piece);
        self.1.string_append(piece);
    }
    fn number(&mut self, text: &str) {
        self.0.number(text);
        self.1.number(text);
    }
    fn literal(&mut self, value: Literal) {
        self.0.literal(value);
        self.1.literal(value);
    }
    fn close(&mut self) {
        self.0.close();
        self.1.close();
    }
}
