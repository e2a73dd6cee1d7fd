//! JSON Schema validation: the official suite where it is available, our own cases, limits.
#![allow(clippy::disallowed_macros, clippy::print_stdout)] // counts are what a test has to say
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};
use steersman_wire::json::{parse, Value};
use steersman_wire::schema::{Draft, NativePatterns, Options, Schema, SchemaError};

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

fn compiled(text: &str) -> Schema {
    Schema::compile(&parse(text).unwrap(), &Options::default()).unwrap()
}

fn messages(schema: &Schema, value: &Value) -> Vec<String> {
    let issues = schema.check(value, &NativePatterns::default());
    issues.into_iter().map(|issue| [issue.path, issue.message].join(": ")).collect()
}

#[test]
fn our_table_of_checks() {
    for group in fixture("checks.json").as_array().unwrap() {
        let schema = Schema::compile(group.get("schema").unwrap(), &Options::default()).unwrap();
        for value in group.get("accepts").unwrap().as_array().unwrap() {
            assert_eq!(messages(&schema, value), Vec::<String>::new(), "{}: {value:?}", text(group, "title"));
        }
        for row in group.get("refuses").unwrap().as_array().unwrap() {
            let row = row.as_array().unwrap();
            let expected: Vec<_> = row[1].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
            assert_eq!(messages(&schema, &row[0]), expected, "{}: {:?}", text(group, "title"), row[0]);
        }
    }
}

#[test]
fn what_is_no_schema_is_refused_at_once() {
    for document in ["1", "null", "[]", "\"a\""] {
        let error = Schema::compile(&parse(document).unwrap(), &Options::default()).err();
        assert_eq!(error, Some(SchemaError::NotASchema), "{document}");
    }
    assert!(compiled("true").is_valid(&Value::Null, &NativePatterns::default()));
    assert_eq!(messages(&compiled("false"), &Value::Null), ["root: no value is allowed here"]);
}

#[test]
fn given_documents_can_be_referred_to() {
    let point = parse(r#"{"type":"object","properties":{"x":{"$ref":"types.json#/$defs/n"}}}"#).unwrap();
    let types = parse(r#"{"$defs":{"n":{"type":"number"}}}"#).unwrap();
    let documents = [("https://example.com/point.json", &point), ("https://example.com/types.json", &types)];
    let options = Options { documents: &documents, ..Options::default() };
    let schema = parse(r#"{"items":{"$ref":"https://example.com/point.json"}}"#).unwrap();
    let schema = Schema::compile(&schema, &options).unwrap();
    assert_eq!(messages(&schema, &parse(r#"[{"x":1},{"x":"1"}]"#).unwrap()), ["1.x: must be a number, got a string"]);
}

#[test]
fn formats_are_annotations_when_asked() {
    let options = Options { formats: false, ..Options::default() };
    let schema = Schema::compile(&parse(r#"{"format":"date"}"#).unwrap(), &options).unwrap();
    assert!(schema.is_valid(&Value::from("today"), &NativePatterns::default()));
}

/// A value or schema of `depth` levels, each made from the one inside it.
fn nested(depth: usize, inner: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(inner, |inner, _| wrap(inner))
}

fn object(name: &str, value: Value) -> Value {
    Value::Object([(name, value)].into_iter().collect())
}

/// Runs on a thread with so much stack.
fn with_stack<T: Send>(kilobytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(kilobytes << 10).spawn_scoped(scope, work);
        thread.unwrap().join().unwrap()
    })
}

#[test]
fn deep_schemas_and_values_need_no_stack() {
    // Deeper than any parser of this crate lets through; building and dropping such values is what takes the stack.
    with_stack(64 << 10, || {
        let integer = parse(r#"{"type":"integer"}"#).unwrap();
        let deep = nested(4_000, integer, |inner| object("properties", object("a", inner)));
        let wrong = nested(4_000, Value::from("x"), |inner| object("a", inner));
        let right = nested(4_000, Value::from(5), |inner| object("a", inner));
        let list = nested(4_000, Value::Array(Vec::new()), |inner| Value::Array(vec![inner]));
        with_stack(256, || {
            let schema = Schema::compile(&deep, &Options::default()).unwrap();
            let lines = messages(&schema, &wrong);
            assert_eq!(lines.len(), 1);
            assert!(lines[0].ends_with("a.a: must be an integer, got a string"));
            assert!(schema.is_valid(&right, &NativePatterns::default()));
            let schema = compiled(r##"{"type":"array","items":{"$ref":"#"}}"##);
            assert!(schema.is_valid(&list, &NativePatterns::default()));
        });
        // Conversion goes only so deep, and leaves the rest to the check.
        with_stack(2 << 10, || {
            let schema = Schema::compile(&deep, &Options::default()).unwrap();
            let parsed = |value| schema.parse(value, &NativePatterns::default()).is_ok_and(|edits| edits.is_empty());
            assert!(parsed(&right));
            assert!(!parsed(&wrong));
        });
    });
}

#[test]
fn long_chains_of_references_end() {
    let mut chain = String::from(r##"{"$ref":"#/$defs/d0","$defs":{"##);
    for link in 0..3_000 {
        chain.push_str(&format!(r##""d{link}":{{"$ref":"#/$defs/d{}"}},"##, link + 1));
    }
    chain.push_str(r#""d3000":{"type":"integer"}}}"#);
    let schema = compiled(&chain);
    assert!(schema.is_valid(&Value::from(5), &NativePatterns::default()));
    assert_eq!(messages(&schema, &Value::from("x")), ["root: must be an integer, got a string"]);
    assert!(schema.parse(&Value::from("5"), &NativePatterns::default()).is_err());
}

#[test]
fn recursive_unions_do_not_explode() {
    // Every branch leads into the same members: 2^200 ways.
    let schema = compiled(
        r##"{"anyOf":[{"properties":{"n":{"$ref":"#"}},"required":["x"]},{"properties":{"n":{"$ref":"#"}},"required":["y"]}]}"##,
    );
    let value = nested(200, object("z", Value::Null), |inner| object("n", inner));
    // One per level.
    assert_eq!(messages(&schema, &value).len(), 201);
    assert!(schema.parse(&value, &NativePatterns::default()).is_err());
    let value = nested(200, object("y", Value::from(1)), |inner| {
        Value::Object([("n", inner), ("y", Value::from(1))].into_iter().collect())
    });
    assert!(schema.parse(&value, &NativePatterns::default()).is_ok());
}

#[test]
fn a_schema_made_to_explode_refuses_the_value() {
    // Dynamic references keep outcomes from being reused: 2^40 steps.
    let mut bomb = String::from(r##"{"$dynamicAnchor":"x","$ref":"#/$defs/d0","$defs":{"##);
    for level in 0..40 {
        let next = level + 1;
        bomb.push_str(&format!(
            r##""d{level}":{{"allOf":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}"}}]}},"##
        ));
    }
    bomb.push_str(r##""d40":{"type":"integer"}}}"##);
    let lines = messages(&compiled(&bomb), &Value::from(1));
    assert_eq!(lines, ["root: the tool's schema takes too many steps to check these arguments"]);
}

#[test]
fn many_items_and_properties_are_no_burden() {
    let items: Vec<Value> = (0..20_000).map(|n| object("id", Value::from(n))).collect();
    let unique = compiled(r#"{"uniqueItems":true,"items":{"properties":{"id":{"type":"integer"}},"required":["id"]}}"#);
    assert!(unique.is_valid(&Value::Array(items.clone()), &NativePatterns::default()));
    let twice = items.iter().cloned().chain([object("id", Value::from(7))]).collect();
    assert_eq!(messages(&unique, &Value::Array(twice)), ["root: must not hold the same item twice"]);

    let wide: Value = Value::Object((0..20_000).map(|n| (n.to_string(), Value::from(n))).collect());
    let names = (0..20_000).map(|n| (n.to_string(), object("type", Value::from("integer"))));
    let schema = object("properties", Value::Object(names.collect()));
    let Value::Object(mut members) = schema else { panic!() };
    members.insert("additionalProperties", false);
    let schema = Schema::compile(&Value::Object(members), &Options::default()).unwrap();
    assert!(schema.is_valid(&wide, &NativePatterns::default()));
}
