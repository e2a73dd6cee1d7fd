//! Is the body of a Chat Completions request acceptable? Rules of the API, as `PROVIDERS.md` lists them.

use std::collections::BTreeSet;

use steersman_wire::json::{parse, Value};

/// What a server would object to; empty when the body is fine. `open_end`: the application itself made the conversation
/// end with an answer, or left nothing of it.
pub fn problems(body: &[u8], model: &Value, open_end: bool) -> Vec<String> {
    let mut found = Problems::default();
    match std::str::from_utf8(body).ok().and_then(|text| parse(text).ok()) {
        Some(body) => found.body(&body, model, open_end),
        None => found.add("the body is not JSON"),
    }
    found.0
}

#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    fn add(&mut self, what: impl Into<String>) {
        self.0.push(what.into());
    }

    fn need(&mut self, ok: bool, what: impl Fn() -> String) {
        if !ok {
            self.add(what());
        }
    }

    fn body(&mut self, body: &Value, model: &Value, open_end: bool) {
        let compat = |flag: &str| model.get("compat").and_then(|compat| compat.get(flag)?.as_bool()) == Some(true);
        let none = Vec::new();
        let messages = body.get("messages").and_then(Value::as_array).unwrap_or(&none);
        self.need(body.get("model").and_then(Value::as_str).is_some_and(|id| !id.is_empty()), || "no model".into());
        if !open_end {
            self.need(!messages.is_empty(), || "no messages".into());
            let last = messages.last().and_then(|message| message.get("role")?.as_str());
            self.need(last != Some("assistant"), || "the last message is from the assistant".into());
        }
        let longest = if model.get("provider").and_then(Value::as_str) == Some("openai") { 40 } else { 64 };
        let mut open: Vec<(String, String)> = Vec::new();
        let mut before = "";
        for (index, message) in messages.iter().enumerate() {
            let text = |key: &str| message.get(key).and_then(Value::as_str);
            let role = text("role").unwrap_or_default();
            let at = |what: &str| format!("messages[{index}] ({role}): {what}");
            if role != "tool" && !open.is_empty() {
                self.add(at(&format!("no result for {:?} right after the call", open)));
                open.clear();
            }
            match role {
                "system" | "developer" => self.content(message, &at, false),
                "user" => {
                    self.need(message.get("content").is_some_and(|content| !content.is_null()), || at("no content"));
                    if compat("requiresAssistantAfterToolResult") {
                        self.need(before != "tool", || at("directly after tool results"));
                    }
                }
                "assistant" => self.assistant(message, &at, longest, &mut open, model),
                "tool" => {
                    let id = text("tool_call_id").unwrap_or_default();
                    match open.iter().position(|(open, _)| open == id) {
                        Some(place) => {
                            let (_, name) = open.remove(place);
                            let named = text("name");
                            self.need(named.is_none_or(|named| named == name), || at("names another tool"));
                            if compat("requiresToolResultName") {
                                self.need(named.is_some_and(|named| !named.is_empty()), || at("no name"));
                            }
                        }
                        None => self.add(at(&format!("a result for {id:?}, which is not called right before"))),
                    }
                    self.content(message, &at, false);
                }
                _ => self.add(at("unknown role")),
            }
            before = match role {
                "system" | "user" | "assistant" | "tool" => role,
                _ => "",
            };
        }
        self.need(open.is_empty(), || format!("no result for {open:?}"));
        self.tools(body);
    }

    /// Content that must say something.
    fn content(&mut self, message: &Value, at: &dyn Fn(&str) -> String, optional: bool) {
        match message.get("content") {
            Some(Value::String(text)) => self.need(optional || !text.is_empty(), || at("empty content")),
            Some(Value::Array(parts)) => {
                self.need(!parts.is_empty(), || at("an empty list as content"));
                for part in parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("text")) {
                    let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
                    self.need(!text.is_empty(), || at("an empty text part"));
                }
            }
            _ => self.need(optional, || at("no content")),
        }
    }

    fn assistant(
        &mut self,
        message: &Value,
        at: &dyn Fn(&str) -> String,
        longest: usize,
        open: &mut Vec<(String, String)>,
        model: &Value,
    ) {
        let calls = message.get("tool_calls").map(|calls| calls.as_array().unwrap_or_default());
        let compat = model.get("compat");
        let flag = |name: &str| compat.and_then(|compat| compat.get(name)?.as_bool()) == Some(true);
        let thinks = ["reasoning_content", "reasoning", "reasoning_text", "reasoning_details"];
        let says = calls.is_some_and(|calls| !calls.is_empty()) || thinks.iter().any(|key| message.get(key).is_some());
        let free = says || flag("requiresNonNullAssistantContent") || flag("requiresAssistantAfterToolResult");
        self.content(message, at, free);
        if flag("requiresNonNullAssistantContent") {
            self.need(!message.get("content").is_none_or(Value::is_null), || at("null content"));
        }
        let Some(calls) = calls else { return };
        self.need(!calls.is_empty(), || at("an empty list of calls"));
        let mut ids = BTreeSet::new();
        for call in calls {
            let function = call.get("function");
            let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
            let part = |key: &str| function.and_then(|function| function.get(key)?.as_str()).unwrap_or_default();
            self.need(!id.is_empty(), || at("a call without id"));
            self.need(id.len() <= longest, || at(&format!("an id of {} characters", id.len())));
            let odd = |c: char| !(c.is_ascii_alphanumeric() || "_.:-".contains(c));
            self.need(!id.contains(odd), || at(&format!("odd characters in id {id:?}")));
            self.need(ids.insert(id), || at(&format!("id {id:?} is used twice")));
            self.need(!part("name").is_empty(), || at("a call without a name"));
            let arguments = parse(part("arguments"));
            self.need(matches!(arguments, Ok(Value::Object(_))), || at("arguments are no JSON object"));
            open.push((id.to_owned(), part("name").to_owned()));
        }
    }

    fn tools(&mut self, body: &Value) {
        let tools = body.get("tools").and_then(Value::as_array).unwrap_or_default();
        let names: Vec<_> =
            tools.iter().map(|tool| tool.get("function").and_then(|tool| tool.get("name")?.as_str())).collect();
        let distinct: BTreeSet<_> = names.iter().collect();
        self.need(distinct.len() == names.len() && !names.contains(&None), || "tool names".into());
    }
}
