//! Which recorded scenarios cannot exist in Rust, by what they contain. Probes of JavaScript objects (`same`, `hold`,
//! `show`) in other scenarios are left out instead.

use steersman_wire::json::{parse, to_text, Object, Value};

use crate::json::Look;

pub const IDENTITY: &str = "identity of JavaScript objects";
pub const IN_PLACE: &str = "changes JavaScript objects in place";
pub const STREAM_FN: &str = "a Rust stream function cannot fail";
pub const DEFAULT_STREAM: &str = "no default stream function in Rust";
pub const NON_ERROR: &str = "throws something that is no error";
pub const NO_RESULT: &str = "a Rust tool always gives a result";
pub const TYPED: &str = "a value that the Rust type excludes";
pub const MEMBERS: &str = "a hook exchanged while the run goes on";
pub const NO_ABORT: &str = "a Rust run always has an abort";
pub const UNHANDLED: &str = "unhandled rejections";
pub const ALLOWED: &str = "deviations that the suite allows";

/// Why a scenario cannot be played; `None` when it can.
pub fn reason(scenario: &Value, version: &str, expected: &Value, allowed: &[Value]) -> Option<&'static str> {
    let id = scenario.text("id");
    let deviates = |entry: &&Value| entry.text("id") == id && entry.text("version") == Some(version);
    if allowed.iter().any(|entry| deviates(&entry)) {
        return Some(ALLOWED);
    }
    if scenario.text("category") == Some("identity") {
        return Some(IDENTITY);
    }
    if scenario.flag("signal") == Some(false) {
        return Some(NO_ABORT);
    }
    let no_tools = scenario.get("context").and_then(|context| context.get("tools")).is_some_and(Value::is_null);
    if no_tools && version == "0.85.1" {
        return Some(TYPED);
    }
    let mut found = None;
    visit(scenario, &mut |members| {
        found = found.or_else(|| members.iter().find_map(|(key, value)| excluded(key, value, members)));
    });
    let queues = scenario.get("hooks").into_iter().flat_map(|hooks| {
        ["getSteeringMessages", "getFollowUpMessages"].into_iter().filter_map(|name| hooks.get(name))
    });
    for hook in queues {
        let default = hook.get("default").and_then(|default| default.get("return"));
        found = found.or(default.map(|_| TYPED));
    }
    let unhandled = !expected.list("unhandled").is_empty() && scenario.text("unhandled") != Some("optional");
    found = found.or(unhandled.then_some(UNHANDLED));
    // What the engine of JavaScript says of an assignment that cannot be.
    found.or(to_text(expected).contains("<TypeError>").then_some(TYPED))
}

fn excluded(key: &str, value: &Value, members: &Object) -> Option<&'static str> {
    match key {
        "mutate" if value.as_str().is_some() => Some(IDENTITY),
        "mutate" | "mutateResult" | "pushInPlace" if value.as_str().is_none() => Some(IN_PLACE),
        "throws" | "rejects" | "returns" | "iterThrow" | "resultRejects" => Some(STREAM_FN),
        "setDefaultStreamFn" => Some(DEFAULT_STREAM),
        "streamFn" if value.is_null() || value.as_str() == Some("default") => Some(DEFAULT_STREAM),
        "throwValue" | "throwsValue" => Some(NON_ERROR),
        "returnUndefined" => Some(NO_RESULT),
        "$special" => Some(TYPED),
        "terminate" | "block" if !matches!(value, Value::Bool(_) | Value::Null | Value::Array(_)) => {
            (!members.contains_key("when")).then_some(TYPED)
        }
        "shouldStopAfterTurn" => {
            let mut odd = false;
            visit(value, &mut |members| {
                odd |= members.get("return").is_some_and(|value| !matches!(value, Value::Bool(_)));
            });
            odd.then_some(TYPED)
        }
        "unset" if to_text(value).contains("prepareNextTurn") => Some(MEMBERS),
        _ => None,
    }
}

/// Every object in a value.
fn visit(value: &Value, see: &mut dyn FnMut(&Object)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| visit(item, see)),
        Value::Object(members) => {
            see(members);
            members.values().for_each(|value| visit(value, see));
        }
        _ => {}
    }
}

/// The list of deviations beside the scenarios.
pub fn allowed(folder: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("deviations-allowed.json")).unwrap();
    match parse(&text).unwrap() {
        Value::Array(list) => list,
        _ => panic!("a list of deviations"),
    }
}
