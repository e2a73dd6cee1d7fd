//! Where the recordings are, and comparing JSON. Every test file uses a part of it.
#![allow(dead_code)]

pub mod chunks;
pub mod message;
pub mod transcripts;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};
use steersman_wire::json::Reader;

/// The APIs whose wires are built: names of fixtures and recordings.
pub const APIS: [&str; 6] = [
    "anthropic-messages",
    "openai-completions",
    "openai-responses",
    "google-generative-ai",
    "mistral-conversations",
    "pi-messages",
];

/// The protocols whose responses are read; the last one's requests are made by the host.
pub const STREAMS: [&str; APIS.len() + 1] = [APIS[0], APIS[1], APIS[2], APIS[3], APIS[4], APIS[5], "pi-proxy"];

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Our own fixtures of one API.
pub fn own(api: &str) -> PathBuf {
    root().join("fixtures/wires").join(api)
}

/// The shared recordings, where this machine has them: `STEERSMAN_SHARED`, else a folder beside the repository.
pub fn shared() -> Option<PathBuf> {
    let folder = env::var_os("STEERSMAN_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from).join("wire");
    folder.is_dir().then_some(folder)
}

pub fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The source of every member of a JSON file that holds an object. A context may hold lone surrogates, which
/// `serde_json` refuses.
pub fn members(path: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path).unwrap();
    let mut reader = Reader::new(&text);
    let mut members = BTreeMap::new();
    reader.begin_object().unwrap();
    while let Some(key) = reader.next_key().unwrap() {
        members.insert(key.into_owned(), reader.raw().unwrap().to_owned());
    }
    members
}

/// The files of a folder with this extension, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Where `got` is not what `want` asks for. Members that `want` does not name are free when `open`, refused otherwise.
pub fn differences(want: &Value, got: &Value, open: bool) -> Vec<String> {
    let mut out = Vec::new();
    compare(want, got, open, "", &mut out);
    out
}

fn compare(want: &Value, got: &Value, open: bool, at: &str, out: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            for (key, value) in want {
                let at = format!("{at}.{key}");
                match got.get(key) {
                    Some(got) => compare(value, got, open, &at, out),
                    None => out.push(format!("{at}: missing, wanted {value}")),
                }
            }
            if !open {
                out.extend(
                    got.keys().filter(|key| !want.contains_key(*key)).map(|key| format!("{at}.{key}: not wanted")),
                );
            }
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            for (index, (want, got)) in want.iter().zip(got).enumerate() {
                compare(want, got, open, &format!("{at}.{index}"), out);
            }
        }
        (Value::Number(want), Value::Number(got)) => {
            let (want, got) = (want.as_f64().unwrap(), got.as_f64().unwrap());
            if (want - got).abs() > 1e-9 * want.abs().max(1.0) {
                out.push(format!("{at}: {got} instead of {want}"));
            }
        }
        // Arguments that travel as text are compared as JSON.
        (Value::String(a), Value::String(b)) if a != b && at.ends_with(".arguments") => {
            match (serde_json::from_str::<Value>(a), serde_json::from_str::<Value>(b)) {
                (Ok(a), Ok(b)) => compare(&a, &b, open, &format!("{at}(JSON)"), out),
                _ => out.push(format!("{at}: {b:?} instead of {a:?}")),
            }
        }
        _ if want == got => {}
        _ => out.push(format!("{at}: {} instead of {}", short(got), short(want))),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    text.chars().take(160).collect()
}
