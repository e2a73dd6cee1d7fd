//! Conversion of tool arguments: our own table, the recordings of the reference and the bug cases where they are
//! available.
#![allow(clippy::disallowed_macros, clippy::print_stdout)] // counts are what a test has to say
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};
use steersman_wire::json::{parse, to_text, Value};
use steersman_wire::schema::{failure_text, Edit, NativePatterns, Options, Profile, Schema, Step};

fn shared(folder: &str) -> PathBuf {
    let root = std::env::var_os("STEERSMAN_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    root.join(folder)
}

fn read(path: &Path) -> Option<Value> {
    Some(parse(&std::fs::read_to_string(path).ok()?).unwrap())
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The arguments with the edits applied, as a host does it.
fn apply(arguments: &Value, edits: &[Edit]) -> Value {
    let mut result = arguments.clone();
    for edit in edits {
        let Some((last, path)) = edit.path.split_last() else {
            result = edit.new.clone().unwrap();
            continue;
        };
        let parent = path.iter().fold(&mut result, |value, step| match (value, step) {
            (Value::Object(object), Step::Key(key)) => object.get_mut(key).unwrap(),
            (Value::Array(items), Step::Index(index)) => &mut items[*index],
            _ => panic!("{:?} leads nowhere", edit.path),
        });
        match (parent, last, &edit.new) {
            (Value::Object(object), Step::Key(key), Some(new)) => {
                *object.get_mut(key).unwrap() = new.clone();
            }
            (Value::Object(object), Step::Key(key), None) => assert!(object.remove(key).is_some()),
            (Value::Array(items), Step::Index(index), Some(new)) => items[*index] = new.clone(),
            _ => panic!("{edit:?} does not fit"),
        }
    }
    result
}

/// The converted arguments, or the paths of the issues with adjacent repeats dropped.
fn outcome(schema: &Value, arguments: &Value, profile: Profile) -> Result<Value, Vec<String>> {
    let options = Options { profile, ..Options::default() };
    let schema = Schema::compile(schema, &options).unwrap();
    let parsed = schema.parse(arguments, &NativePatterns::default());
    parsed.map(|edits| apply(arguments, &edits)).map_err(|issues| {
        assert!(issues.iter().all(|issue| !issue.message.is_empty()));
        let mut paths: Vec<String> = issues.into_iter().map(|issue| issue.path).collect();
        paths.dedup();
        paths
    })
}

#[test]
fn our_table_of_conversions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/schema/coerce.json");
    let groups = read(&path).unwrap();
    for group in groups.as_array().unwrap() {
        let schema = group.get("schema").unwrap();
        let profile = match text(group, "profile") {
            "0.85" => Profile::V0_85,
            _ => Profile::V1_6,
        };
        for row in list(group, "rows") {
            let arguments = &row.as_array().unwrap()[0];
            let found = match outcome(schema, arguments, profile) {
                Ok(value) => value,
                Err(paths) => Value::Object(
                    [("refused", Value::from(paths.into_iter().map(Value::from).collect::<Vec<_>>()))]
                        .into_iter()
                        .collect(),
                ),
            };
            let expected = &row.as_array().unwrap()[1];
            assert_eq!(to_text(&found), to_text(expected), "{} with {}", to_text(schema), to_text(arguments));
        }
    }
}

/// The recorded argument handling of one version: every tool of every scenario, whose calls ran with converted
/// arguments or were refused at certain paths.
fn replay(version: &str, profile: Profile) -> usize {
    let root = shared("conformance");
    let Ok(files) = std::fs::read_dir(root.join("expected").join(version)) else {
        return 0;
    };
    let mut count = 0;
    for file in files.map(|file| file.unwrap()) {
        let scenario = read(&root.join("scenarios").join(file.file_name())).unwrap();
        let name = file.file_name().to_string_lossy().into_owned();
        if !name.starts_with("coerce-") && !name.starts_with("tool-validation-") {
            continue;
        }
        let recorded = read(&file.path()).unwrap();
        for call in list(&scenario, "responses").iter().flat_map(|response| list(response, "calls")) {
            let (id, tool, arguments) = (text(call, "id"), text(call, "name"), call.get("arguments").unwrap());
            let schema = scenario.get("tools").and_then(|tools| tools.get(tool)?.get("parameters")).unwrap();
            let of_call = |entry: &&Value, key: &str| text(entry, key) == id;
            let ran = list(&recorded, "trace").iter().find(|entry| text(entry, "k") == "tool" && of_call(entry, "id"));
            let ended = list(&recorded, "trace")
                .iter()
                .find(|entry| text(entry, "type") == "tool_execution_end" && of_call(entry, "toolCallId"));
            let expected = match ran {
                Some(entry) => Ok(entry.get("args").unwrap().clone()),
                None => {
                    let content = list(ended.unwrap().get("result").unwrap(), "content");
                    let lines = text(&content[0], "text").lines().take_while(|line| !line.is_empty());
                    let paths = lines.filter_map(|line| line.strip_prefix("  - ")?.strip_suffix(": <reason>"));
                    Err(paths.map(str::to_owned).collect::<Vec<_>>())
                }
            };
            assert_eq!(outcome(schema, arguments, profile), expected, "{version} {name} {id}");
            count += 1;
        }
    }
    assert!(count > 60, "only {count} recorded calls");
    count
}

#[test]
fn recordings_of_1_6() {
    replay("1.6.0", Profile::V1_6);
}

#[test]
fn recordings_of_0_85() {
    replay("0.85.1", Profile::V0_85);
}

#[test]
fn bug_cases_with_arguments() {
    let mut seen = Vec::new();
    let files = std::fs::read_dir(shared("bug-cases")).into_iter().flatten();
    for path in files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "json"))
    {
        let case = read(&path).unwrap();
        let (input, expected) = (case.get("input").unwrap(), case.get("expected").unwrap());
        let (Some(schema), Some(id)) = (input.get("schema"), case.get("id").and_then(Value::as_str)) else {
            continue;
        };
        if text(input, "kind") != "tool-args" {
            continue;
        }
        // What no provider text gave is an empty object by then: the wire sees to that.
        let joined: String = list(input, "deltas").iter().filter_map(Value::as_str).collect();
        let mut all = match input.get("arguments") {
            Some(arguments) => vec![arguments.clone()],
            None => parse(joined.trim()).into_iter().collect(),
        };
        if input.get("arguments").is_some() {
            all.extend(list(input, "variants").iter().cloned());
        }
        for arguments in &all {
            let found = outcome(schema, arguments, Profile::V1_6);
            match expected.get("executes").and_then(Value::as_bool) {
                Some(false) => {
                    let text = found.unwrap_err().join(" ");
                    for part in list(expected, "error_contains") {
                        assert!(text.contains(part.as_str().unwrap()), "{id}: {text}");
                    }
                }
                _ => {
                    let found = found.unwrap_or_else(|paths| panic!("{id}: refused at {paths:?}"));
                    if let Some(wanted) = expected.get("arguments") {
                        assert_eq!(&found, wanted, "{id}");
                    }
                    for part in list(expected, "replayed_arguments_contain") {
                        assert!(to_text(&found).contains(part.as_str().unwrap()), "{id}");
                    }
                }
            }
            seen.push(id.to_owned());
        }
    }
    seen.sort();
    seen.dedup();
    if shared("bug-cases").exists() {
        for id in ["B046", "B047", "B049", "B052", "B053", "B055"] {
            assert!(seen.iter().any(|seen| seen == id), "{id} was not played");
        }
    }
}

#[test]
fn the_failure_text_is_laid_out_as_recorded() {
    let schema = parse(
        r#"{"type":"object","properties":{"mode":{"enum":["a","b"]},"n":{"type":"integer"}},"required":["mode"]}"#,
    );
    let schema = Schema::compile(&schema.unwrap(), &Options::default()).unwrap();
    let issues = schema.parse(&parse(r#"{"mode":"c","n":"x"}"#).unwrap(), &NativePatterns::default()).unwrap_err();
    assert_eq!(
        failure_text("pick", &issues, "{\n  \"mode\": \"c\"\n}"),
        "Validation failed for tool \"pick\":\n  - mode: must be one of \"a\", \"b\", got \"c\"\n  - n: must be an integer, got a \
         string\n\nReceived arguments:\n{\n  \"mode\": \"c\"\n}"
    );
}
