//! Whether what was observed is what was recorded.

use steersman_wire::json::{Object, Value};

use crate::json::{sorted, Look};
use crate::values::text_content;
use crate::world::Observed;

/// The first difference per lane; empty when there is none.
pub fn differences(scenario: &Value, expected: &Value, observed: &Observed) -> Vec<String> {
    let expected = native_form(expected);
    let mut found = Vec::new();
    let lanes: &[fn(&Value) -> bool] = match scenario.text("api") {
        // Without back-pressure, events and calls are two independent sequences.
        Some("loop") => &[is_event, |entry| !is_event(entry)],
        _ => &[|_| true],
    };
    for lane in lanes {
        let (want, got) = (canonical(expected.list("trace"), *lane), canonical(&observed.trace, *lane));
        for index in 0..want.len().max(got.len()) {
            let at = |list: &[String]| list.get(index).cloned().unwrap_or_else(|| "(end of trace)".into());
            let (want, got) = (at(&want), at(&got));
            if want != got {
                found.push(format!("trace {index}\n    wanted {want}\n    got    {got}"));
                break;
            }
        }
    }
    let (want, got) = (sorted(expected.get("final").unwrap_or(&Value::Null)), sorted(&observed.last));
    if want != got {
        found.push(format!("final\n    wanted {want}\n    got    {got}"));
    }
    found
}

fn is_event(entry: &Value) -> bool {
    matches!(entry.text("k"), Some("event" | "settled" | "stuck"))
}

/// The entries of a lane as texts; neighbouring settlements come in any order.
fn canonical(trace: &[Value], lane: fn(&Value) -> bool) -> Vec<String> {
    let lane: Vec<&Value> = trace.iter().filter(|entry| lane(entry)).collect();
    let groups = lane.chunk_by(|a, b| a.text("k") == Some("settled") && b.text("k") == Some("settled"));
    let groups = groups.flat_map(|group| {
        let mut texts: Vec<String> = group.iter().map(|entry| sorted(entry)).collect();
        texts.sort();
        texts
    });
    groups.collect()
}

/// What a look at JavaScript objects showed.
fn is_probe(entry: &Value) -> bool {
    match entry.text("k") {
        Some("same") => true,
        Some("show") => entry.text("what") != Some("ctx.messages"),
        _ => false,
    }
}

/// What a recording comes to where there are no JavaScript objects: options and facts that only they have are left out,
/// and content given as one text is one text block.
fn native_form(value: &Value) -> Value {
    const ONLY_JS: [(&str, &[&str]); 5] = [
        ("stream", &["transport"]),
        ("tool", &["onUpdate"]),
        ("hook", &["argIsSignal"]),
        ("get", &["transport", "thinkingBudgets", "maxRetryDelayMs"]),
        ("do", &["returned"]),
    ];
    match value {
        Value::Array(items) => items.iter().filter(|item| !is_probe(item)).map(native_form).collect::<Vec<_>>().into(),
        Value::Object(members) => {
            let mut members: Object = members.iter().map(|(key, value)| (key, native_form(value))).collect();
            let kind = value.text("k").unwrap_or_default();
            for key in ONLY_JS.iter().filter(|(known, _)| *known == kind).flat_map(|(_, keys)| *keys) {
                members.remove(key);
            }
            if let Some(Value::Object(settled)) = members.get_mut("value") {
                settled.remove("asyncIterable");
                if settled.get("result").and_then(Value::as_str) == Some("function") {
                    settled.remove("result");
                }
            }
            // A flag that is not set is false.
            if members.get("terminate") == Some(&Value::Bool(false)) {
                members.remove("terminate");
            }
            if let (Some("user"), Some(text)) = (value.text("role"), value.text("content")) {
                members.insert("content", text_content(text));
            }
            members.into()
        }
        other => other.clone(),
    }
}
