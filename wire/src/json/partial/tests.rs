//! Work and memory of the incremental parser, counted in bytes looked at, not in time.

use super::{Edits, Literal, Partial, Piece, Verdict};

/// Counts what is reported.
#[derive(Default)]
struct Total {
    edits: usize,
    bytes: usize,
}

impl Total {
    fn add(&mut self, bytes: usize) {
        self.edits += 1;
        self.bytes += bytes;
    }
}

impl Edits for Total {
    fn open_object(&mut self) {
        self.add(0);
    }
    fn open_array(&mut self) {
        self.add(0);
    }
    fn key(&mut self, name: &str) {
        self.add(name.len());
    }
    fn string_start(&mut self) {
        self.add(0);
    }
    fn string_append(&mut self, piece: Piece<'_>) {
        self.add(piece.text.len());
    }
    fn number(&mut self, text: &str) {
        self.add(text.len());
    }
    fn literal(&mut self, _: Literal) {
        self.add(0);
    }
    fn close(&mut self) {
        self.add(0);
    }
}

/// Pushes the text in pieces of `size` bytes (ASCII only); gives the bytes looked at and the most memory held.
fn cost(text: &str, size: usize) -> (usize, usize, Total) {
    let (mut partial, mut total, mut held) = (Partial::new(), Total::default(), 0);
    for delta in text.as_bytes().chunks(size) {
        partial.push(std::str::from_utf8(delta).unwrap(), &mut total);
        held = held.max(partial.held.capacity());
    }
    assert!(matches!(partial.finish(), Verdict::Complete { .. }));
    (partial.work, held, total)
}

#[test]
fn every_byte_is_looked_at_a_bounded_number_of_times() {
    let one_string = |bytes: usize| format!("{{\"text\":\"{}\"}}", "line of code;\\n ".repeat(bytes / 16));
    let many_items = |bytes: usize| format!("{{\"rows\":[{}0]}}", "{\"id\":123456,\"on\":true},".repeat(bytes / 24));
    let one_key = |bytes: usize| format!("{{\"{}\":1}}", "k".repeat(bytes));
    let one_number = |bytes: usize| format!("{{\"n\":{}}}", "7".repeat(bytes));
    let makers: [&dyn Fn(usize) -> String; 4] = [&one_string, &many_items, &one_key, &one_number];
    for (case, make) in makers.iter().enumerate() {
        for bytes in [512 * 1024, 4 * 1024 * 1024] {
            let text = make(bytes);
            let chunks = text.len() / 32 + 1;
            let (work, _, total) = cost(&text, 32);
            assert!(work <= 2 * text.len() + 2 * chunks, "case {case}: {work} for {} bytes", text.len());
            assert!(total.bytes <= text.len());
            assert!(total.edits <= text.len());
        }
    }
}

#[test]
fn a_growing_string_value_is_not_kept() {
    let text = format!("{{\"text\":\"{}\"}}", "line of code;\\n ".repeat(256 * 1024));
    let (_, held, total) = cost(&text, 32);
    assert!(held < 256, "{held} bytes held");
    // One edit for each piece, however many escapes it has.
    assert!(total.edits <= text.len() / 32 + 8, "{}", total.edits);
}
