//! Event streams: the same events whatever the cuts between chunks.
#![allow(clippy::disallowed_macros, clippy::print_stdout)] // counts are what a test has to say
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};
use steersman_wire::json::{parse, Value};
use steersman_wire::sse::{Event, Sink, Sse, TooLong, Trailing};

/// Everything a stream said.
#[derive(Debug, Default, Clone, PartialEq)]
struct Heard {
    /// Name, data, id.
    events: Vec<(String, String, Option<String>)>,
    unknown: Vec<(String, String)>,
    trailing: Option<Trailing>,
    retry: Option<u64>,
}

impl Sink for Heard {
    fn event(&mut self, event: Event<'_>) {
        self.events.push((event.name.to_owned(), event.data.to_owned(), event.id.map(str::to_owned)));
    }

    fn unknown(&mut self, name: &str, value: &str) {
        self.unknown.push((name.to_owned(), value.to_owned()));
    }
}

fn hear<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Heard {
    let (mut sse, mut heard) = (Sse::default(), Heard::default());
    for chunk in chunks {
        sse.push(chunk, &mut heard).unwrap();
    }
    heard.trailing = sse.end(&mut heard);
    heard.retry = sse.retry();
    heard
}

struct Case {
    name: String,
    chunks: Vec<Vec<u8>>,
    expected: Heard,
}

impl Case {
    fn check(&self) {
        let name = &self.name;
        assert_eq!(hear(self.chunks.iter().map(Vec::as_slice)), self.expected, "{name}: given chunks");
        let whole = self.chunks.concat();
        assert_eq!(hear([&whole[..]]), self.expected, "{name}: whole");
        // Single bytes, with empty chunks between.
        let spaced = whole.chunks(1).flat_map(|byte| [&whole[..0], byte]);
        assert_eq!(hear(spaced), self.expected, "{name}: single bytes");
        // Every two-way split; of long streams those near the ends and evenly spread ones.
        let step = (whole.len() * whole.len() / 8_000_000).max(1);
        let picked = |at: usize| at < 5 || whole.len() - at < 5 || at % step == 0;
        for at in (0..=whole.len()).filter(|&at| picked(at)) {
            let (left, right) = whole.split_at(at);
            assert_eq!(hear([left, right]), self.expected, "{name}: cut at {at}");
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn list<'a>(case: &'a Value, key: &str) -> &'a [Value] {
    case.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// The parts of an expectation that both case formats share; `data` reads an event's data.
fn expectation(expect: &Value, data: impl Fn(&Value) -> String) -> Heard {
    let parts = |event: &Value| {
        (text(event.get("event").unwrap()), data(event.get("data").unwrap()), event.get("id").map(text))
    };
    let mut heard = Heard::default();
    for event in list(expect, "events") {
        let times = event.get("times").and_then(Value::as_f64).unwrap_or(1.0);
        heard.events.extend((0..times as usize).map(|_| parts(event)));
    }
    for field in list(expect, "unknownFields") {
        heard.unknown.push((text(field.get("name").unwrap()), text(field.get("value").unwrap())));
    }
    let trailing = expect.get("trailing").filter(|trailing| !trailing.is_null());
    heard.trailing = trailing.map(parts).map(|(name, data, id)| Trailing { name, data, id });
    heard.retry = expect.get("retry").and_then(Value::as_f64).map(|time| time as u64);
    heard
}

#[test]
fn own_cases() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sse/cases.json");
    let cases = parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    for case in cases.as_array().unwrap() {
        let bytes = |chunk: &Value| match chunk.as_str().unwrap().strip_prefix("hex:") {
            Some(hex) => unhex(hex),
            None => text(chunk).into_bytes(),
        };
        let chunks = list(case, "chunks").iter().map(bytes).collect();
        Case { name: text(case.get("name").unwrap()), chunks, expected: expectation(case, text) }.check();
    }
}

fn unhex(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

fn shared(path: &str) -> PathBuf {
    let folder = std::env::var_os("STEERSMAN_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    folder.join(path)
}

#[test]
fn bug_cases_of_bytes() {
    let Ok(folder) = std::fs::read_dir(shared("bug-cases")) else {
        return;
    };
    let mut played = Vec::new();
    for file in folder.map(|entry| entry.unwrap().path()) {
        let Some(case) = std::fs::read_to_string(&file).ok().and_then(|text| parse(&text).ok()) else { continue };
        let Some(input) =
            case.get("input").filter(|input| input.get("kind").and_then(Value::as_str) == Some("sse-bytes"))
        else {
            continue;
        };
        let chunk = |chunk: &Value| match chunk.get("hex") {
            Some(hex) => unhex(hex.as_str().unwrap()),
            None => text(chunk.get("text").unwrap()).into_bytes(),
        };
        let chunks: Vec<Vec<u8>> = list(input, "chunks").iter().map(chunk).collect();
        let mut expected = Heard::default();
        for event in list(case.get("expected").unwrap(), "sse_events") {
            let part = |key| text(event.get(key).unwrap());
            expected.events.push((part("event"), part("data"), None));
        }
        let name = text(case.get("id").unwrap());
        Case { name: name.clone(), chunks, expected }.check();
        played.push(name);
    }
    played.sort();
    println!("bug cases of the event stream reader: {}", played.join(" "));
    assert_eq!(played.len(), 4);
}

#[test]
fn torture_cases() {
    let Ok(torture) = std::fs::read_to_string(shared("wire/sse-torture.json")) else {
        return;
    };
    let torture = parse(&torture).unwrap();
    let cases = list(&torture, "cases");
    for case in cases {
        let mut chunks = Vec::new();
        for chunk in list(case, "chunks") {
            let bytes = base64(chunk.get("b64").unwrap().as_str().unwrap());
            let repeat = chunk.get("repeat").and_then(Value::as_f64).unwrap_or(1.0);
            chunks.extend(std::iter::repeat_n(bytes, repeat as usize));
        }
        let data = |data: &Value| match data {
            Value::String(data) => data.clone(),
            parts => {
                let part = |key| text(parts.get(key).unwrap());
                let count = parts.get("count").unwrap().as_f64().unwrap();
                format!("{}{}{}", part("prefix"), part("repeat").repeat(count as usize), part("suffix"))
            }
        };
        let expected = expectation(case.get("expect").unwrap(), data);
        Case { name: text(case.get("name").unwrap()), chunks, expected }.check();
    }
    assert_eq!(cases.len(), 80);
}

fn base64(text: &str) -> Vec<u8> {
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[test]
fn an_event_is_handed_out_with_the_byte_that_ends_it() {
    for stream in ["data: a\n\n", "data: a\r\r", "data: a\r\n\r"] {
        let (mut sse, mut count) = (Sse::default(), 0);
        let (last, before) = stream.as_bytes().split_last().unwrap();
        sse.push(before, &mut |_: Event<'_>| count += 1).unwrap();
        assert_eq!(count, 0);
        sse.push(&[*last], &mut |_: Event<'_>| count += 1).unwrap();
        assert_eq!(count, 1, "{stream:?}");
    }
}

#[test]
fn beyond_the_limit_the_stream_fails_and_earlier_events_stand() {
    let fits = "data: 123\ndata: 4\n\n";
    let streams = [
        "data: 1234567890",
        "data: 1\n: a comment of some length",
        "data: 1\ndata: 2\ndata: 3\ndata: 4\ndata: 5\ndata: 6\n",
    ];
    for stream in streams {
        let all = format!("{fits}{stream}");
        for size in [1, 3, all.len()] {
            let (mut sse, mut heard) = (Sse::new(14), Heard::default());
            let failed = all.as_bytes().chunks(size).find_map(|chunk| sse.push(chunk, &mut heard).err());
            assert_eq!(failed, Some(TooLong { limit: 14 }), "{stream} by {size}");
            assert_eq!(sse.push(b"\n\n", &mut heard), Err(TooLong { limit: 14 }));
            assert_eq!(sse.end(&mut heard), None);
            assert_eq!(heard.events, [("message".to_owned(), "123\n4".to_owned(), None)]);
        }
    }
}
