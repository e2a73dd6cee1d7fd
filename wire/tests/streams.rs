//! Streams of every API: recordings of many hosts, and our own fixtures, under every way to cut them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fs;
use steersman_wire::{is_context_overflow, is_retryable, Ended, Response};
use support::chunks::{cut, MODES};
use support::message::Host;
use support::{differences, files, own, read, shared, stem, STREAMS};

/// Plays a body and gives what a host has at the end.
fn play(api: &str, model: &Value, status: u16, content_type: &str, body: &[u8], mode: &str) -> Host {
    let mut host = Host::new(model);
    let mut reply = model.clone();
    reply["api"] = json!(api);
    let mut response = Response::new(&reply.to_string()).unwrap();
    response.head(status, content_type, "");
    host.take(&mut response);
    for chunk in cut(body, mode) {
        response.push(chunk);
        host.take(&mut response);
    }
    response.end();
    host.take(&mut response);
    assert!(response.finished());
    host
}

fn verdicts(host: &Host, window: f64) -> (bool, bool) {
    let usage = |name: &str| host.message["usage"][name].as_f64().unwrap_or_default();
    let ended = Ended {
        stop_reason: host.text("stopReason"),
        error_message: host.text("errorMessage"),
        provider: host.text("provider"),
        input: usage("input"),
        cache_read: usage("cacheRead"),
        output: usage("output"),
    };
    (is_retryable(&ended), is_context_overflow(&ended, Some(window)))
}

#[test]
fn own_fixtures_give_the_message_written_down() {
    let mut plays = 0;
    for (api, file) in
        STREAMS.iter().flat_map(|api| files(&own(api).join("streams"), "json").into_iter().map(move |file| (api, file)))
    {
        let case = read(&file);
        let body = fs::read(file.with_extension("sse")).unwrap();
        let status = case["status"].as_u64().unwrap_or(200) as u16;
        let content_type = case["contentType"].as_str().unwrap_or("text/event-stream");
        for mode in MODES {
            let host = play(api, &case["model"], status, content_type, &body, mode);
            let mut problems = differences(&case["message"], &Value::Object(host.message.clone()), true);
            if !case["events"].is_null() {
                problems.extend(differences(&case["events"], &json!(host.events), true));
            }
            let (retryable, overflow) = verdicts(&host, 200_000.0);
            if case["isRetryable"].as_bool().is_some_and(|want| want != retryable) {
                problems.push(format!("isRetryable is {retryable}"));
            }
            if case["isContextOverflow"].as_bool().is_some_and(|want| want != overflow) {
                problems.push(format!("isContextOverflow is {overflow}"));
            }
            assert!(problems.is_empty(), "{} [{mode}]: {problems:#?}\n{:#?}", stem(&file), host.message);
            plays += 1;
        }
    }
    println!("{plays} plays of own fixtures");
    assert!(plays >= 100);
}

#[test]
fn recorded_streams_give_the_recorded_message() {
    let Some(folder) = shared() else {
        return;
    };
    let index = read(&folder.join("fixtures/index.json"));
    let all = read(&folder.join("expected/corrections.json"));
    let corrections: BTreeMap<&str, &Value> = all["corrections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["fixture"].as_str().unwrap(), &entry["right"]))
        .collect();
    let (mut plays, mut failed) = (0, Vec::new());
    for fixture in index["fixtures"].as_array().unwrap() {
        let Some(api) = STREAMS.iter().find(|api| fixture["family"] == **api) else { continue };
        let name = format!("{api}/{}", fixture["name"].as_str().unwrap());
        let body = fs::read(folder.join(fixture["file"].as_str().unwrap())).unwrap();
        let mut right = corrections.get(name.as_str()).copied();
        let mut expected = format!("expected/{name}.json");
        // Several responses one behind the other: ours ends with the first.
        if right.is_some_and(|right| right.to_string().contains("stopsAtFirstTerminalEvent")) {
            (right, expected) = (None, format!("expected/{name}.first-terminal.json"));
        }
        let expected = read(&folder.join(expected));
        for mode in MODES {
            let content_type = fixture["contentType"].as_str().unwrap_or_default();
            let host =
                play(api, &model(fixture, api), fixture["status"].as_u64().unwrap() as u16, content_type, &body, mode);
            let problems = judge(&host, &expected, right);
            plays += 1;
            if !problems.is_empty() {
                failed.push(format!("{name} [{mode}]: {problems:?}"));
            }
        }
    }
    println!("{} of {plays} plays of recorded streams", plays - failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The model the recordings were made with.
fn model(fixture: &Value, api: &str) -> Value {
    let about = &fixture["model"];
    let mut model = json!({
        "id": about["id"], "api": about["api"].as_str().unwrap_or(api), "provider": about["provider"],
        "baseUrl": "http://127.0.0.1:1", "reasoning": about["reasoning"] == true, "input": ["text", "image"],
        "cost": { "input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75 },
        "contextWindow": 200_000, "maxTokens": 8192,
    });
    if !about["compat"].is_null() {
        model["compat"] = about["compat"].clone();
    }
    model
}

fn judge(host: &Host, expected: &Value, right: Option<&Value>) -> Vec<String> {
    let mut problems = match right {
        None => same(host, expected, &json!({})),
        Some(right) => corrected(host, expected, right),
    };
    let free = right.is_some_and(|right| {
        !right["errorMessage"].is_null() || !right["either"].is_null() || !right["message"]["stopReason"].is_null()
    });
    let (retryable, overflow) = verdicts(host, 200_000.0);
    for (name, got) in [("isRetryable", retryable), ("isContextOverflow", overflow)] {
        let named = right.and_then(|right| right[name].as_bool());
        let want = named.or(expected[name].as_bool().filter(|_| !free));
        if want.is_some_and(|want| want != got) {
            problems.push(format!("{name} is {got} for {:?}", host.text("errorMessage")));
        }
    }
    problems
}

/// The recorded outcome, with `over` on top of the recorded message.
fn same(host: &Host, expected: &Value, over: &Value) -> Vec<String> {
    let mut message = expected["message"].clone();
    let members = message.as_object_mut().unwrap();
    members.remove("diagnostics");
    let text = members.remove("errorMessage");
    for (key, value) in over.as_object().unwrap() {
        members.insert(key.clone(), value.clone());
    }
    loosen(&mut message);
    let mut problems = differences(&message, &Value::Object(host.message.clone()), true);
    if text.is_some() && host.text("errorMessage").is_empty() {
        problems.push("no errorMessage".into());
    }
    let mut events = expected["events"].clone();
    for event in events.as_array_mut().unwrap() {
        event.as_object_mut().unwrap().remove("count");
        loosen(event);
    }
    problems.extend(differences(&events, &json!(host.events), true));
    problems
}

/// The reason in argumentsError is the wording of a JSON parser, and an id that the recorder made up is any id.
fn loosen(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("argumentsError");
            if members.get("id").and_then(Value::as_str).is_some_and(|id| id.ends_with("{generated}")) {
                members.remove("id");
            }
            members.values_mut().for_each(loosen);
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

fn corrected(host: &Host, expected: &Value, right: &Value) -> Vec<String> {
    let message = Value::Object(host.message.clone());
    let mut problems = Vec::new();
    if let Some(tries) = right["either"].as_array() {
        let tries: Vec<_> = tries.iter().map(|one| corrected(host, expected, one)).collect();
        if tries.iter().all(|problems| !problems.is_empty()) {
            problems.push(format!("no alternative fits: {tries:?}"));
        }
    }
    if right["same"] == true {
        problems.extend(same(host, expected, &json!({})));
    }
    if let Some(wanted) = right["message"].as_object() {
        let mut wanted = wanted.clone();
        let thinking = wanted.remove("contentThinking");
        if wanted.keys().all(|key| key == "usage") && !wanted.is_empty() {
            problems.extend(same(host, expected, &Value::Object(wanted.clone())));
        } else {
            problems.extend(differences(&Value::Object(wanted.clone()), &message, true));
            let flips = wanted
                .get("stopReason")
                .is_some_and(|reason| (reason == "error") != (expected["message"]["stopReason"] == "error"));
            if !flips && wanted.get("content").is_none() && thinking.is_none() && right["textStartsWith"].is_null() {
                problems.extend(differences(&expected["message"]["content"], &message["content"], true));
            }
        }
        if let Some(thinking) = thinking {
            let got: String = texts(&message, "thinking").collect();
            if thinking != got {
                problems.push(format!("thinking is {got:?}"));
            }
        }
    }
    if let Some(start) = right["textStartsWith"].as_str() {
        let got: String = texts(&message, "text").collect();
        if !got.starts_with(start) {
            problems.push(format!("text is {got:?}"));
        }
    }
    for words in right["errorMessage"]["contains"].as_array().into_iter().flatten() {
        if !host.text("errorMessage").contains(words.as_str().unwrap()) {
            problems.push(format!("errorMessage lacks {words}: {:?}", host.text("errorMessage")));
        }
    }
    problems
}

fn texts<'m>(message: &'m Value, kind: &'m str) -> impl Iterator<Item = &'m str> {
    let blocks = message["content"].as_array().unwrap().iter();
    blocks.filter(move |block| block["type"] == kind).map(move |block| block[kind].as_str().unwrap())
}
