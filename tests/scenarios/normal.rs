//! The form in which values stand in a trace.

use steersman_wire::json::{Object, Value};

use crate::json::{sorted, Look};

const ZERO_USAGE: &str = r#"{"cacheRead":0,"cacheWrite":0,"cost":{"cacheRead":0,"cacheWrite":0,"input":0,"output":0,"total":0},"input":0,"output":0,"totalTokens":0}"#;

/// Texts of the validator: reasons are left out, and repeated lines.
pub fn text(said: &str) -> String {
    if !said.starts_with("Validation failed for tool \"") {
        return said.to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    for line in said.split('\n') {
        let path = line.strip_prefix("  - ").and_then(|rest| rest.split_once(": ")).map(|(path, _)| path);
        let issue = path.filter(|path| !path.contains(':')).map(|path| format!("  - {path}: <reason>"));
        if issue.is_some() && issue.as_ref() == lines.last() {
            continue;
        }
        lines.push(issue.unwrap_or_else(|| line.to_owned()));
    }
    lines.join("\n")
}

/// A value as it stands in a trace.
pub fn norm(value: &Value) -> Value {
    norm_at("", value)
}

fn norm_at(key: &str, value: &Value) -> Value {
    match value {
        Value::Number(_) if key == "durationMs" => "<ms>".into(),
        Value::Number(number) if key == "timestamp" && number.as_f64() > 1e12 => "<now>".into(),
        Value::Number(number) => (number.as_f64() + 0.0).into(),
        Value::String(said) => text(said).into(),
        Value::Array(tools) if matches!(key, "toolsAdded" | "toolsRemoved") => {
            tools.iter().map(|tool| tool.get("name").cloned().unwrap_or_default()).collect::<Vec<_>>().into()
        }
        Value::Array(items) => items.iter().map(norm).collect::<Vec<_>>().into(),
        Value::Object(_) if key == "usage" && sorted(value) == ZERO_USAGE => "<zero>".into(),
        Value::Object(members) => {
            let members: Object = members.iter().map(|(key, value)| (key, norm_at(key, value))).collect();
            members.into()
        }
        other => other.clone(),
    }
}

/// A message in one line.
pub fn brief(message: &Value) -> String {
    let content = message.get("content").or(message.get("text")).unwrap_or(&Value::Null);
    let body = text(&match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(block).collect::<Vec<_>>().join("|"),
        Value::Null => String::new(),
        other => sorted(other),
    });
    match message.text("role").unwrap_or_default() {
        "assistant" => {
            let mut line = format!("assistant:{body}");
            let reason = message.text("stopReason").filter(|reason| !matches!(*reason, "stop" | "toolUse"));
            if let Some(reason) = reason {
                line += &format!(" !{reason}");
            }
            if let Some(error) = message.text("errorMessage").filter(|error| !error.is_empty()) {
                line += &format!(" ({})", text(error));
            }
            line
        }
        "toolResult" => {
            let mark = if message.flag("isError") == Some(true) { "!" } else { "" };
            format!("toolResult:{}{mark}:{body}", message.text("toolCallId").unwrap_or_default())
        }
        "system" => {
            let mut line = format!("system:{body}");
            if let Some(sections) = message.get("sections").and_then(Value::as_object) {
                line += &format!(" {{{}}}", sections.keys().collect::<Vec<_>>().join(","));
            }
            for (key, mark) in [("toolsAdded", '+'), ("toolsRemoved", '-')] {
                if message.has(key) {
                    let names: Vec<_> = message.list(key).iter().filter_map(|tool| tool.text("name")).collect();
                    line += &format!(" {mark}[{}]", names.join(","));
                }
            }
            line
        }
        role => format!("{role}:{body}"),
    }
}

fn block(block: &Value) -> String {
    let text = |key| block.text(key).unwrap_or_default();
    match text("type") {
        "text" => text("text").to_owned(),
        "thinking" => format!("<think>{}", text("thinking")),
        "toolCall" => format!("call({} {})", text("id"), text("name")),
        "image" => "[image]".to_owned(),
        other => format!("[{other}]"),
    }
}
