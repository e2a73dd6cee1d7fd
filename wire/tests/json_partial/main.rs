//! Incremental parser: the same outcome however the text is cut, and the same verdict as the strict parser.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod noise;
mod receivers;

use noise::Noise;
use receivers::{Both, Log};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use steersman_wire::json::partial::{Edits, Literal, Partial, Piece, Verdict};
use steersman_wire::json::{
    parse, repair, to_text, Builder, JsonError, JsonErrorKind, Kind, Number, Reader, Value, MAX_DEPTH,
};

/// What a reader of the stream has after each delta.
struct Run {
    log: Log,
    verdict: Verdict,
    views: Vec<String>,
    last: Value,
}

fn run<'a>(deltas: impl IntoIterator<Item = &'a str>) -> Run {
    let (mut log, mut builder, mut partial) = (Log::default(), Builder::new(), Partial::new());
    let mut views = Vec::new();
    for delta in deltas {
        partial.push(delta, &mut Both(&mut log, &mut builder, delta));
        views.push(to_text(&Value::Object(builder.view().clone())));
    }
    Run { log, verdict: partial.finish(), views, last: Value::Object(builder.into_object()) }
}

fn chars(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, char)| &text[at..at + char.len_utf8()])
}

/// The verdict of the complete text by the strict parser and the repair pass.
fn judge(text: &str) -> Verdict {
    if text.trim_matches(|char: char| char.is_whitespace() || char == '\u{feff}').is_empty() {
        return Verdict::Blank;
    }
    let strict = parse(text);
    let repaired = strict.is_err();
    let value = strict.or_else(|_| parse(&repair(text)));
    match value {
        Ok(Value::Object(_)) => Verdict::Complete { repaired, lossless: lossless(&repair(text)) },
        Ok(_) => Verdict::Broken(JsonError::new(JsonErrorKind::NotObject, text.len() - text.trim_start().len())),
        Err(error) => Verdict::Broken(JsonError::new(error.kind(), before_repair(text, error.offset()))),
    }
}

/// Where that is in the text what lies at `offset` of the mended text.
fn before_repair(text: &str, offset: usize) -> usize {
    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.rfind(|end| repair(&text[..*end]).len() <= offset).unwrap()
}

/// Whether doubles keep every number of the text, also of members that a later one of the same name replaces.
fn lossless(text: &str) -> bool {
    fn walk(reader: &mut Reader<'_>) -> bool {
        let mut all = true;
        match reader.peek().unwrap() {
            Kind::Number => all = Number::from_text(reader.number().unwrap()).unwrap().lossless(),
            Kind::Array => {
                reader.begin_array().unwrap();
                while reader.next_item().unwrap() {
                    all &= walk(reader);
                }
            }
            Kind::Object => {
                reader.begin_object().unwrap();
                while reader.next_key().unwrap().is_some() {
                    all &= walk(reader);
                }
            }
            _ => reader.skip().unwrap(),
        }
        all
    }
    walk(&mut Reader::new(text))
}

/// Whether the text starts like a value that is no object; for these only "not an object" or a fault is promised.
fn other_root(text: &str) -> bool {
    let first = text.trim_start_matches([' ', '\t', '\n', '\r']).chars().next();
    first.is_some_and(|char| "[\"-0123456789tfn".contains(char))
}

/// Checks everything that must hold for one text, however it is cut.
fn check(text: &str) {
    let whole = run([text]);
    let expected = judge(text);
    if other_root(text) {
        assert!(matches!(whole.verdict, Verdict::Broken(_)), "{text}");
    } else {
        assert_eq!(whole.verdict, expected, "{text}");
    }
    if let Verdict::Complete { repaired, .. } = expected {
        let value = parse(&if repaired { repair(text) } else { text.into() }).unwrap();
        assert_eq!(to_text(&whole.last), to_text(&value), "{text}");
    }
    let single = run(chars(text));
    assert_eq!(single.log, whole.log, "{text}");
    assert_eq!(single.verdict, whole.verdict, "{text}");
    assert_eq!(to_text(&single.last), to_text(&whole.last), "{text}");
    // Every two-way split; the view at the cut is that of the prefix read character by character.
    for (index, (at, _)) in text.char_indices().enumerate().skip(1) {
        let cut = run([&text[..at], &text[at..]]);
        assert_eq!(cut.log, whole.log, "{text} cut at {at}");
        assert_eq!(cut.verdict, whole.verdict, "{text} cut at {at}");
        assert_eq!(cut.views[0], single.views[index - 1], "{text} cut at {at}");
        assert_eq!(to_text(&cut.last), to_text(&whole.last), "{text} cut at {at}");
    }
}

fn fixture(name: &str) -> Vec<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/json").join(name);
    let rows = parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row.as_array().unwrap().to_vec()).collect()
}

#[test]
fn unfinished_texts_show_what_is_certain() {
    for row in fixture("views.json") {
        let (text, view) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        assert_eq!(to_text(&run([text]).last), view, "{text}");
        check(text);
    }
}

#[test]
fn every_cut_of_every_case_gives_the_same_edits_and_the_strict_verdict() {
    for name in ["accept.json", "refuse.json", "views.json"] {
        for row in fixture(name) {
            let text = row[0].as_str().unwrap();
            check(text);
            check(&format!("{{\"a\":{text}}}"));
            check(&format!("{{\"a\":[{text},{text}],\"b\":1}}"));
            check(&format!(" {{\"k\":\"v\"}}{text}"));
        }
    }
}

#[test]
fn the_parsing_suite_gets_the_strict_verdict() {
    let shared = std::env::var_os("STEERSMAN_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let files = std::fs::read_dir(shared.join("json-test-suite/test_parsing"));
    for file in files.into_iter().flatten() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        match std::str::from_utf8(&bytes) {
            Ok(text) if text.len() < 3000 => {
                check(text);
                check(&format!("{{\"a\":{text}}}"));
            }
            Ok(text) => {
                // Hundreds of thousands of brackets: one pass and single characters are enough.
                assert_eq!(run([text]).verdict, run([&text[..1], &text[1..]]).verdict);
            }
            Err(_) => {}
        }
    }
}

#[test]
fn random_documents_agree_with_the_strict_parser_and_a_second_one() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut kinds = BTreeSet::new();
    for _ in 0..120 {
        let text = noise.object(3);
        check(&text);
        // The other parser refuses lone surrogates; on everything it takes, both must agree.
        if let Ok(other) = serde_json::from_str::<serde_json::Value>(&text) {
            let ours = to_text(&run(chars(&text)).last);
            assert_eq!(serde_json::from_str::<serde_json::Value>(&ours).unwrap(), other, "{text}");
            kinds.insert("both accept");
        }
        for _ in 0..3 {
            let spoiled = noise.spoil(&text);
            check(&spoiled);
            let strict = parse(&spoiled).is_ok();
            if serde_json::from_str::<serde_json::Value>(&spoiled).is_ok() {
                assert!(strict, "{spoiled}");
            }
            kinds.insert(match run([spoiled.as_str()]).verdict {
                Verdict::Blank => "blank",
                Verdict::Complete { repaired: true, .. } => "repaired",
                Verdict::Complete { lossless: false, .. } => "lossy",
                Verdict::Complete { .. } => "complete",
                Verdict::Broken(_) => "broken",
            });
        }
    }
    for kind in ["both accept", "repaired", "lossy", "complete", "broken"] {
        assert!(kinds.contains(kind), "the noise never made one that is {kind}");
    }
}

#[test]
fn blank_text_is_no_arguments() {
    for text in ["", " \n", "\u{feff}\u{a0}\u{2003}"] {
        assert_eq!(run(chars(text)).verdict, Verdict::Blank);
    }
    assert!(matches!(run(["\u{85}"]).verdict, Verdict::Broken(_)));
}

#[test]
fn deep_and_long_texts_end_in_a_verdict() {
    let deep = |levels: usize| format!("{}0{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let fits = deep(MAX_DEPTH);
    let complete = Verdict::Complete { repaired: false, lossless: true };
    let read = run([fits.as_str()]);
    assert_eq!((read.verdict, to_text(&read.last)), (complete, fits));
    let too_deep = deep(MAX_DEPTH + 1);
    assert_eq!(run(chars(&too_deep)).verdict, Verdict::Broken(parse(&too_deep).unwrap_err()));

    let mut partial = Partial::with_limit(10);
    let mut log = Log::default();
    partial.push("{\"a\":\"1", &mut log);
    let before = log.clone();
    partial.push("2345", &mut log);
    partial.push("\"}", &mut log);
    assert_eq!(log, before);
    match partial.finish() {
        Verdict::Broken(error) => assert_eq!((error.kind(), error.offset()), (JsonErrorKind::TooLong, 10)),
        other => panic!("{other:?}"),
    }
    let mut partial = Partial::with_limit(10);
    partial.push("{\"a\":\"1\"}", &mut log);
    assert_eq!(partial.finish(), complete);
}

#[test]
fn text_without_escapes_is_reported_in_place() {
    struct Places(Vec<Option<usize>>);
    impl Edits for Places {
        fn open_object(&mut self) {}
        fn open_array(&mut self) {}
        fn key(&mut self, _: &str) {}
        fn string_start(&mut self) {}
        fn string_append(&mut self, piece: Piece<'_>) {
            self.0.push(piece.start);
        }
        fn number(&mut self, _: &str) {}
        fn literal(&mut self, _: Literal) {}
        fn close(&mut self) {}
    }
    let mut places = Places(Vec::new());
    let mut partial = Partial::new();
    partial.push("{\"a\":\"first", &mut places);
    partial.push(" sécond", &mut places);
    partial.push(" third\\n\\", &mut places);
    partial.push("nfourth", &mut places);
    partial.push("\",\"b\":\"x\",\"c\":\"y\"}", &mut places);
    assert_eq!(places.0, [Some(6), Some(0), None, None, Some(7), Some(15)]);
}
