//! JSON Schema validation: the official suite where it is available, our own cases, limits.
#![allow(clippy::disallowed_macros, clippy::print_stdout)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};
use steersman_wire::json::{parse, Value};
use steersman_wire::schema::{Draft, NativePatterns, Options, Schema};

fn fixture(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/schema").join(name);
    parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn shared(folder: &str) -> PathBuf {
    let root = std::env::var_os("STEERSMAN_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    root.join(folder)
}

/// JSON files of a folder by name without `.json`; nothing when it is not there.
fn files(folder: &Path, deep: bool) -> Vec<(String, Value)> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && deep {
            found.extend(files(&path, true).into_iter().map(|(inner, value)| (format!("{name}/{inner}"), value)));
        } else if let Some(name) = name.strip_suffix(".json") {
            found.push((name.to_owned(), parse(&std::fs::read_to_string(&path).unwrap()).unwrap()));
        }
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Plays the test files of one folder of the official suite; names of the failed tests and how many there were.
fn play(folder: &str, draft: Draft, formats: bool) -> (Vec<String>, usize) {
    let remotes = files(&shared("json-schema-test-suite/remotes"), true);
    let remotes: Vec<(String, &Value)> =
        remotes.iter().map(|(name, value)| (format!("http://localhost:1234/{name}.json"), value)).collect();
    let documents: Vec<(&str, &Value)> = remotes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let options = Options { draft, formats, documents: &documents, ..Options::default() };
    let patterns = NativePatterns::default();
    let mut failed = Vec::new();
    let mut total = 0;
    for (file, groups) in files(&shared("json-schema-test-suite/tests").join(folder), false) {
        for group in groups.as_array().unwrap() {
            let schema = Schema::compile(group.get("schema").unwrap(), &options).unwrap();
            for test in group.get("tests").unwrap().as_array().unwrap() {
                total += 1;
                let data = test.get("data").unwrap();
                let expected = test.get("valid").unwrap().as_bool().unwrap();
                let issues = schema.check(data, &patterns);
                assert_eq!(schema.is_valid(data, &patterns), issues.is_empty());
                if issues.is_empty() != expected {
                    failed.push([file.as_str(), text(group, "description"), text(test, "description")].join(" | "));
                }
            }
        }
    }
    (failed, total)
}

/// Compares the failures with the listed ones, so that a listed test that passes is noticed too.
fn compare(folder: &str, draft: Draft, formats: bool, least: usize) {
    let (failed, total) = play(folder, draft, formats);
    if total == 0 {
        return;
    }
    assert!(total >= least, "{folder}: only {total} tests");
    let exceptions = fixture("suite-exceptions.json");
    // An entry names one test, or a group of which at least one test fails.
    let listed = exceptions.get(folder).and_then(Value::as_object);
    let listed: Vec<&str> = listed.iter().flat_map(|list| list.keys()).collect();
    let covers = |entry: &str, name: &str| {
        name.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with(" | "))
    };
    let new: Vec<_> = failed.iter().filter(|name| !listed.iter().any(|entry| covers(entry, name))).collect();
    let passing: Vec<_> = listed.iter().filter(|entry| !failed.iter().any(|name| covers(entry, name))).collect();
    println!("{folder}: {}/{total} passed, {} listed exceptions", total - failed.len(), listed.len());
    assert!(new.is_empty(), "{folder}: {} failures: {new:#?}", new.len());
    assert!(passing.is_empty(), "{folder}: strike these from the exceptions: {passing:#?}");
}

#[test]
fn draft_2020_12_suite() {
    compare("draft2020-12", Draft::V2020_12, false, 1299);
}

#[test]
fn draft_7_suite() {
    compare("draft7", Draft::V7, false, 927);
}

#[test]
fn optional_suites() {
    compare("draft2020-12/optional", Draft::V2020_12, false, 100);
    compare("draft7/optional", Draft::V7, false, 100);
    compare("draft2020-12/optional/format", Draft::V2020_12, true, 400);
    compare("draft7/optional/format", Draft::V7, true, 400);
}
