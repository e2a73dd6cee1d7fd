//! JSON core: what is accepted, what is refused and where, and what a document looks like afterwards.
#![allow(clippy::disallowed_macros, clippy::print_stdout)] // counts are what a test has to say
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::path::{Path, PathBuf};
use steersman_wire::json::{
    parse, parse_bytes, repair, to_text, JsonErrorKind, Number, Object, Reader, Value, MAX_DEPTH,
};

fn fixture(name: &str) -> Vec<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/json").join(name);
    let rows = parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row.as_array().unwrap().to_vec()).collect()
}

/// The public JSON parsing test suite, where it is available: file name and bytes.
fn suite() -> Vec<(String, Vec<u8>)> {
    let shared = std::env::var_os("STEERSMAN_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let Ok(files) = std::fs::read_dir(shared.join("json-test-suite/test_parsing")) else {
        return Vec::new();
    };
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    assert!(files.len() > 300, "the suite is incomplete: {}", files.len());
    files
}

#[test]
fn accepted_documents_keep_order_digits_and_text() {
    for row in fixture("accept.json") {
        let (text, written) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        let value = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(to_text(&value), written, "{text}");
        assert_eq!(parse(written), Ok(value), "{text}");
        let mut reader = Reader::new(text);
        assert_eq!(reader.raw(), Ok(text.trim()), "{text}");
        assert_eq!(reader.finish(), Ok(()));
    }
}

#[test]
fn refused_documents_name_the_fault_and_its_place() {
    for row in fixture("refuse.json") {
        let text = row[0].as_str().unwrap();
        let error = parse(text).expect_err(text);
        let found = (format!("{:?}", error.kind()), error.offset() as f64);
        let expected = (row[1].as_str().unwrap().to_owned(), row[2].as_f64().unwrap());
        assert_eq!(found, expected, "{text}");
        let mut reader = Reader::new(text);
        assert_eq!(reader.skip().and_then(|()| reader.finish()), Err(error), "{text}");
    }
    let error = parse("[1,]").unwrap_err();
    assert_eq!(error.to_string(), "expected a JSON value at byte 3");
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_offset() {
    let error = parse_bytes(b"[\"a\xc3\x28\"]").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::BadUtf8, 3));
    assert_eq!(parse_bytes("[\"é\"]".as_bytes()), parse("[\"é\"]"));
}

#[test]
fn the_parsing_suite_is_followed() {
    let mut counts = [0; 4];
    let mut repaired = Vec::new();
    let suite = suite();
    let available = !suite.is_empty();
    for (name, bytes) in suite {
        let value = parse_bytes(&bytes);
        match name.as_bytes()[0] {
            b'y' => {
                counts[0] += 1;
                assert!(value.is_ok(), "{name}: {value:?}");
            }
            b'n' => {
                counts[1] += 1;
                assert!(value.is_err(), "{name} was accepted");
            }
            _ => counts[if value.is_ok() { 2 } else { 3 }] += 1,
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        let mended = parse(&repair(text));
        match value {
            Ok(value) => assert_eq!(mended, Ok(value), "{name}: repair changed a valid document"),
            Err(_) if mended.is_ok() => repaired.push(name),
            Err(_) => {}
        }
    }
    // The repair pass mends raw controls and bad escapes inside strings, nothing else.
    assert!(repaired.iter().all(|name| name.starts_with("n_string_")), "{repaired:?}");
    // Accepted y, refused n, accepted i, refused i, accepted after repair.
    let found = (counts, repaired.len());
    assert!(found == ([95, 188, 21, 14], 16) || !available, "{found:?}");
}

#[test]
fn depth_is_limited_and_never_costs_the_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let per_pair = open.len() - open.replace(['[', '{'], "").len();
        let deep = |pairs: usize| format!("{}0{}", open.repeat(pairs), close.repeat(pairs));
        let fits = deep(MAX_DEPTH / per_pair);
        let value = parse(&fits).unwrap();
        assert_eq!(to_text(&value), fits);
        assert_eq!(value.clone(), value);
        for pairs in [MAX_DEPTH / per_pair + 1, 1_000_000] {
            let text = deep(pairs);
            assert_eq!(parse(&text).unwrap_err().kind(), JsonErrorKind::TooDeep);
            assert_eq!(Reader::new(&text).skip().unwrap_err().kind(), JsonErrorKind::TooDeep);
        }
    }
}

#[test]
fn numbers_know_what_a_double_keeps() {
    for kept in [
        "0",
        "-0",
        "0.1",
        "1.0",
        "1e3",
        "100",
        "0.30000000000000004",
        "9007199254740992",
        "1e300",
        "5e-324",
        "0e999",
        "1.7976931348623157e308",
        "123456789012345",
        "1e21",
        "1000000000000000000000000",
    ] {
        assert!(Number::from_text(kept).unwrap().lossless(), "{kept}");
    }
    for lost in [
        "9007199254740993",
        "1234567890123456789",
        "-1234567890123456789",
        "18446744073709551615",
        "3.14159265358979323846",
        "1e309",
        "-1e999999999999999999999",
        "1e-400",
        "0.1000000000000000055511151231257827",
    ] {
        assert!(!Number::from_text(lost).unwrap().lossless(), "{lost}");
    }
}

#[test]
fn numbers_compare_exactly_however_they_are_written() {
    let number = |text| Number::from_text(text).unwrap();
    assert_eq!(number("10"), number("1.0e1"));
    assert_eq!(number("-0"), number("0.00e9"));
    assert_eq!(number("0.001"), number("1e-3"));
    assert_ne!(number("9007199254740993"), number("9007199254740992"));
    let ordered = [
        "-1e400",
        "-12",
        "-2.5",
        "-0.1",
        "0",
        "1e-400",
        "0.09",
        "0.1",
        "1",
        "9007199254740992",
        "9007199254740993",
        "1e17",
    ];
    for pair in ordered.windows(2) {
        assert!(number(pair[0]) < number(pair[1]), "{pair:?}");
    }
    for (text, whole) in
        [("1.0", true), ("1e3", true), ("12.50e1", true), ("0.0", true), ("1.5", false), ("1e-1", false)]
    {
        assert_eq!(number(text).is_integer(), whole, "{text}");
    }
    assert_eq!(number("9007199254740993").as_i64(), Some(9_007_199_254_740_993));
    assert_eq!(number("2.5e1").as_i64(), Some(25));
    assert_eq!(number("2.55e1").as_i64(), None);
    assert_eq!(number("1e30").as_i64(), None);
    assert!(Number::from_text("1 ").is_none() && Number::from_text("").is_none());
}

#[test]
fn doubles_are_written_as_javascript_writes_them() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (123.456, "123.456"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e21, "1.5e+21"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (9_007_199_254_740_993.0, "9007199254740992"),
        (0.1 + 0.2, "0.30000000000000004"),
    ] {
        assert_eq!(to_text(&Value::from(value)), text);
    }
    assert!(Value::from(f64::NAN).is_null() && Value::from(f64::INFINITY).is_null());
}

#[test]
fn objects_behave_alike_small_and_large() {
    for size in [3, 16, 17, 5000] {
        let mut object: Object = (0..size).map(|n| (format!("k{n}"), n)).collect();
        assert_eq!(object.insert("k1", "new"), Some(Value::from(1)));
        assert_eq!(object.insert("fresh", ()), None);
        assert_eq!(object.insert("fresh", true), Some(Value::Null));
        assert_eq!(object.remove("k0"), Some(Value::from(0)));
        assert_eq!((object.remove("k0"), object.get("k0")), (None, None));
        assert_eq!(object.len(), size as usize);
        assert_eq!(object.keys().next(), Some("k1"));
        assert_eq!(object.keys().last(), Some("fresh"));
        assert_eq!(object.get("k1"), Some(&Value::from("new")));
        assert!(object.contains_key(&format!("k{}", size - 1)));
        let reversed: Object = object.clone().into_iter().rev().collect();
        assert_eq!(object, reversed);
        object.insert("k1", 0);
        assert_ne!(object, reversed);
    }
}

#[test]
fn strings_of_one_block_join_their_surrogate_halves() {
    let mut carry = None;
    let mut read = |text: &str| Reader::new(text).string_joined(&mut carry).unwrap().into_owned();
    assert_eq!(read(r#""a\ud83d""#), "a");
    assert_eq!(read(r#""""#), "");
    assert_eq!(read(r#""\ude00b""#), "😀b");
    assert_eq!(read(r#""\ud83d""#), "");
    assert_eq!(read(r#""plain""#), "\u{fffd}plain");
    assert_eq!(read(r#""\ude00\ud83d\ud83d""#), "\u{fffd}\u{fffd}");
    assert_eq!(carry, Some(0xd83d));
}

#[test]
fn the_pull_reader_gives_borrowed_pieces_in_order() {
    let text =
        r#" {"type":"delta","n":-1.50,"on":true,"gap":{"x":[1,{"y":"]}"}]},"list":["a","\n",null],"end":false} "#;
    let mut reader = Reader::new(text);
    let mut seen = Vec::new();
    reader.begin_object().unwrap();
    while let Some(key) = reader.next_key().unwrap() {
        let value = match &*key {
            "type" => reader.string().unwrap().into_owned(),
            "n" => reader.number().unwrap().to_owned(),
            "on" | "end" => reader.boolean().unwrap().to_string(),
            "gap" => reader.raw().unwrap().to_owned(),
            _ => {
                let mut items = Vec::new();
                reader.begin_array().unwrap();
                while reader.next_item().unwrap() {
                    items.push(reader.value().unwrap());
                }
                to_text(&Value::Array(items))
            }
        };
        seen.push(format!("{key}={value}"));
    }
    reader.finish().unwrap();
    assert_eq!(
        seen,
        ["type=delta", "n=-1.50", "on=true", r#"gap={"x":[1,{"y":"]}"}]}"#, r#"list=["a","\n",null]"#, "end=false"]
    );
    let error = Reader::new("12").string().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::WrongKind, 0));
}
