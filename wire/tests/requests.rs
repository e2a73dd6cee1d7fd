//! Request bodies, URLs and headers, against recordings and against our own fixtures.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use steersman_wire::json::{parse, to_text};
use steersman_wire::{request, HttpRequest};
use support::{differences, files, members, own, read, shared, stem, APIS};

fn build(model: &str, context: &str, options: &Value) -> Result<(HttpRequest, Value), String> {
    let input = format!(r#"{{"model":{model},"context":{context},"options":{options}}}"#);
    let request = request(&input).map_err(|error| error.to_string())?;
    let body = serde_json::from_slice(&request.body).map_err(|error| format!("the body is not JSON: {error}"))?;
    Ok((request, body))
}

#[test]
fn own_requests_are_built_as_written_down() {
    let mut count = 0;
    for api in APIS {
        for file in files(&own(api).join("requests"), "json") {
            let source = members(&file);
            let part = |name: &str| serde_json::from_str::<Value>(&source[name]).unwrap();
            let case = json!({ "url": part("url"), "headers": part("headers"), "body": part("body") });
            let (request, body) = build(&source["model"], &source["context"], &part("options")).unwrap();
            let mut problems = differences(&case["body"], &body, false);
            if request.url != case["url"] {
                problems.push(request.url.clone());
            }
            let headers: Map<String, Value> =
                request.headers.into_iter().map(|(name, value)| (name, json!(value))).collect();
            problems.extend(differences(&case["headers"], &Value::Object(headers), false));
            assert!(problems.is_empty(), "{}: {problems:#?}", stem(&file));
            count += 1;
        }
    }
    println!("{count} own requests");
    assert!(count >= 5);
}

#[test]
fn recorded_requests_are_built_alike() {
    let Some(folder) = shared().map(|folder| folder.join("requests")) else {
        return;
    };
    let corrections = read(&folder.join("corrections.json"));
    let (mut count, mut failed) = (0, Vec::new());
    for api in APIS {
        for file in files(&folder.join(api), "json") {
            let source = members(&file);
            let part = |name: &str| serde_json::from_str::<Value>(&source[name]).unwrap();
            // What was recorded may hold lone surrogates as well.
            let sent = to_text(&parse(&source["request"]).unwrap());
            let sent: Value = serde_json::from_str(&sent).unwrap();
            let case = json!({ "case": part("case"), "options": part("options"), "request": sent });
            let name = case["case"].as_str().unwrap();
            let correction = correction(&corrections, name);
            let mut options = case["options"].clone();
            options["apiKey"] = json!("sk-test-key");
            let context = match source["context"].contains(" characters: ") {
                true => expand(&part("context")).to_string(),
                false => source["context"].clone(),
            };
            let problems = match build(&source["model"], &context, &options) {
                Ok((request, body)) => compare(&case, &correction, &request, body),
                Err(error) => vec![error],
            };
            count += 1;
            if !problems.is_empty() {
                failed.push(format!("{name}: {problems:?}"));
            }
        }
    }
    println!("{} of {count} recorded requests", count - failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn compare(case: &Value, correction: &Correction, request: &HttpRequest, body: Value) -> Vec<String> {
    let mut want = expand(&case["request"]["body"]);
    overlay(&mut want, &correction.right);
    let mut got = body;
    if correction.pairing {
        (want, got) = (with_numbered_ids(want), with_numbered_ids(got));
    }
    for path in &correction.loose {
        let steps: Vec<&str> = path.split('.').collect();
        remove(&mut want, &steps);
        remove(&mut got, &steps);
    }
    // An optional feature need not be there; what is sent instead is for the judge of the API.
    let mut problems = if correction.optional { Vec::new() } else { differences(&want, &got, false) };
    let url = case["request"]["url"].as_str().unwrap();
    if request.url != url.strip_suffix("?beta=true").unwrap_or(url) {
        problems.push(format!("URL {}", request.url));
    }
    for (name, value) in case["options"]["headers"].as_object().into_iter().flatten() {
        let sent = request.headers.iter().find(|header| header.0 == *name).map(|header| header.1.as_str());
        if sent != value.as_str() {
            problems.push(format!("header {name} is {sent:?}"));
        }
    }
    problems
}

#[derive(Default)]
struct Correction {
    right: Value,
    pairing: bool,
    optional: bool,
    loose: Vec<String>,
}

fn correction(all: &Value, name: &str) -> Correction {
    let mut out = Correction::default();
    for entry in all["corrections"].as_array().unwrap() {
        let case = entry["case"].as_str().unwrap();
        if case != name && !case.strip_suffix('*').is_some_and(|start| name.starts_with(start)) {
            continue;
        }
        out.pairing |= entry["ids"] == "pairing";
        out.optional |= entry["optional"] == true;
        out.loose.extend(entry["loose"].as_array().into_iter().flatten().map(|path| path.as_str().unwrap().to_owned()));
        if !entry["right"].is_null() {
            out.right = entry["right"].clone();
        }
    }
    out
}

/// Texts that the recordings shorten, in full.
fn expand(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let parts = text.strip_prefix('(').and_then(|rest| rest.split_once(" characters: "));
            let full = parts.and_then(|(count, rest)| {
                let piece: String = serde_json::from_str(rest.strip_suffix(" repeated)")?).ok()?;
                Some(piece.repeat(count.parse().ok()?))
            });
            Value::String(full.unwrap_or_else(|| text.clone()))
        }
        Value::Array(items) => items.iter().map(expand).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), expand(value))).collect(),
        other => other.clone(),
    }
}

/// Lays a deep partial over a value; an object of numbers changes single items of a list.
fn overlay(value: &mut Value, over: &Value) {
    match (value, over) {
        (_, Value::Null) => {}
        (Value::Array(items), Value::Object(changes)) => {
            for (index, change) in changes {
                overlay(&mut items[index.parse::<usize>().unwrap()], change);
            }
        }
        (Value::Object(members), Value::Object(changes)) => {
            for (key, change) in changes {
                overlay(members.entry(key).or_insert(Value::Bool(false)), change);
            }
        }
        (value, over) => *value = over.clone(),
    }
}

fn remove(value: &mut Value, steps: &[&str]) {
    match (steps, value) {
        ([step], Value::Object(members)) => {
            members.remove(*step);
        }
        (["*", rest @ ..], Value::Array(items)) => items.iter_mut().for_each(|item| remove(item, rest)),
        ([step], Value::Array(items)) if step.ends_with('-') => {
            items.truncate(step.trim_end_matches('-').parse::<usize>().unwrap());
        }
        ([step, rest @ ..], Value::Array(items)) => {
            if let Some(item) = items.get_mut(step.parse::<usize>().unwrap()) {
                remove(item, rest);
            }
        }
        ([step, rest @ ..], Value::Object(members)) => {
            if let Some(member) = members.get_mut(*step) {
                remove(member, rest);
            }
        }
        _ => {}
    }
}

/// Call ids by order of appearance, for cases where only their pairing counts.
fn with_numbered_ids(mut body: Value) -> Value {
    let mut names = BTreeMap::new();
    fn walk(value: &mut Value, names: &mut BTreeMap<String, String>) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| walk(item, names)),
            Value::Object(members) => {
                let is_call = members.get("type").is_some_and(|kind| kind == "function");
                for (key, value) in members {
                    let is_id = key == "tool_call_id" || key == "call_id" || (key == "id" && is_call);
                    match value {
                        Value::String(id) if is_id => {
                            let next = format!("#{}", names.len() + 1);
                            *id = names.entry(id.clone()).or_insert(next).clone();
                        }
                        value => walk(value, names),
                    }
                }
            }
            _ => {}
        }
    }
    walk(&mut body, &mut names);
    body
}
