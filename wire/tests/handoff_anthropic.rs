//! Any transcript makes an acceptable Messages request: random histories, judged by the rules of the API.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Value};
use std::collections::BTreeSet;
use steersman_wire::request;
use support::transcripts::{transcript, Random};

const API: &str = "anthropic-messages";
const LEVELS: [Option<&str>; 5] = [None, Some("minimal"), Some("low"), Some("high"), Some("max")];

#[test]
fn random_transcripts_make_acceptable_messages_requests() {
    let (mut calls, mut results, mut thoughts) = (0, 0, 0);
    for seed in 1..3000 {
        let mut random = Random(seed);
        let mut messages = vec![json!({ "role": "user", "content": "begin" })];
        messages.extend(transcript(&mut random, API));
        messages.push(json!({ "role": "user", "content": "go on" }));
        let mut chance = |of: u32| random.next(of) == 0;
        let compat = json!({
            "allowEmptySignature": chance(3), "forceAdaptiveThinking": chance(3), "supportsCacheControlOnTools": chance(2),
            "supportsEagerToolInputStreaming": chance(2), "supportsTemperature": chance(2),
        });
        let input = if chance(2) { json!(["text"]) } else { json!(["text", "image"]) };
        let tools = if chance(2) { json!([{ "name": "read" }, { "name": "now" }]) } else { Value::Null };
        let model = json!({
            "id": "m", "api": API, "provider": "openai", "baseUrl": "https://x", "reasoning": true, "input": input,
            "compat": compat, "maxTokens": random.pick(&[0, 900, 1500, 5000, 64_000]),
            "contextWindow": random.pick(&[0, 1000, 8000, 200_000]),
        });
        let options = json!({
            "reasoning": random.pick(&LEVELS), "maxTokens": random.pick(&[None, Some(1), Some(3000)]), "temperature": 0.5,
            "toolChoice": random.pick(&["auto", "none"]), "cacheRetention": random.pick(&["none", "short", "long"]),
        });
        let context = json!({ "systemPrompt": random.pick(&["", " ", "S"]), "messages": messages, "tools": tools });
        let input = json!({ "model": model, "context": context, "options": options });
        let body = request(&input.to_string()).unwrap().body;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let mut judge = Judge { empty_signature: compat["allowEmptySignature"] == true, ..Judge::default() };
        if let Err(problem) = judge.body(&body) {
            panic!("seed {seed}: {problem}\n{input:#}\n{body:#}");
        }
        (calls, results, thoughts) = (calls + judge.calls, results + judge.results, thoughts + judge.thoughts);
    }
    println!("{calls} calls, {results} results and {thoughts} thoughts in acceptable requests");
    assert!(calls > 2000 && calls == results && thoughts > 200);
}

#[test]
fn arguments_go_back_with_the_digits_they_came_with() {
    let call = json!({
        "type": "toolCall", "id": "k", "name": "read", "arguments": { "id": 2_512_292_042_121_000_000_u64 },
        "argumentsText": "{\"id\":2512292042121000001}",
    });
    let odd = json!({ "type": "toolCall", "id": "l", "name": "read", "arguments": { "n": 1 }, "argumentsText": "[2]" });
    let messages = json!([{ "role": "assistant", "content": [call, odd] }]);
    let input = json!({ "model": { "id": "m", "api": API }, "context": { "messages": messages } });
    let body = String::from_utf8(request(&input.to_string()).unwrap().body).unwrap();
    assert!(body.contains(r#""input":{"id":2512292042121000001}"#), "{body}");
    assert!(body.contains(r#""input":{"n":1}"#), "{body}");
}

#[test]
fn a_tool_that_must_be_strict_and_cannot_be_is_refused() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "maximum": 3 } } });
    let sampling = json!({ "type": "json_schema", "strict": "require" });
    let tools = json!([{ "name": "pick", "parameters": schema, "constrainedSampling": sampling }]);
    for strict in [true, false] {
        let model = json!({ "id": "m", "api": API, "compat": { "supportsStrictTools": strict } });
        let input = json!({ "model": model, "context": { "messages": [], "tools": tools } });
        let error = request(&input.to_string()).unwrap_err();
        assert_eq!(error.code, "unsupported");
        assert!(error.message.starts_with("Tool \"pick\" requires"), "{}", error.message);
    }
}

type Verdict = Result<(), String>;

fn need(ok: bool, what: &str, place: &Value) -> Verdict {
    if ok {
        return Ok(());
    }
    Err(format!("{what}: {place}"))
}

#[derive(Default)]
struct Judge {
    empty_signature: bool,
    calls: usize,
    results: usize,
    thoughts: usize,
    markers: usize,
    seen: BTreeSet<String>,
    /// Calls of the message before, and those of them that are answered.
    open: Vec<String>,
    answered: Vec<String>,
}

impl Judge {
    fn body(&mut self, body: &Value) -> Verdict {
        let max = body["max_tokens"].as_f64().unwrap();
        need(max >= 1.0 && max.fract() == 0.0, "max_tokens", &body["max_tokens"])?;
        for block in body["system"].as_array().into_iter().flatten() {
            self.text(block)?;
        }
        let messages = body["messages"].as_array().unwrap();
        need(messages[0]["role"] == "user", "begins with", &messages[0])?;
        need(messages.last().unwrap()["role"] == "user", "ends with", messages.last().unwrap())?;
        messages.iter().try_for_each(|message| self.message(message))?;
        need(self.open.is_empty(), "a call has no result", body)?;
        for tool in body["tools"].as_array().into_iter().flatten() {
            self.marker(tool);
            need(tool["input_schema"]["type"] == "object", "schema", tool)?;
        }
        need(self.markers <= 4, "markers", body)?;
        need(body["tool_choice"].is_null() || body["tools"].is_array(), "choice without tools", body)?;
        let thinking = &body["thinking"];
        if thinking["type"] == "enabled" {
            let budget = thinking["budget_tokens"].as_f64().unwrap();
            need((1024.0..max).contains(&budget), "budget", thinking)?;
        }
        let thinks = thinking["type"] != "disabled";
        need(!thinks || body["temperature"].is_null(), "temperature with thinking", body)
    }

    fn message(&mut self, message: &Value) -> Verdict {
        let role = message["role"].as_str().unwrap();
        need(["user", "assistant"].contains(&role), "role", message)?;
        if let Some(text) = message["content"].as_str() {
            need(!text.trim().is_empty(), "blank", message)?;
            return need(self.open.is_empty(), "a call has no result", message);
        }
        let blocks = message["content"].as_array().unwrap();
        need(!blocks.is_empty(), "empty", message)?;
        let made = self.calls;
        let calls = std::mem::take(&mut self.open);
        self.answered.clear();
        let mut next = Vec::new();
        let mut others = false;
        for block in blocks {
            self.marker(block);
            let kind = block["type"].as_str().unwrap();
            need(kind != "tool_result" || !others, "result behind something else", message)?;
            others |= kind != "tool_result";
            match (role, kind) {
                (_, "text") => need(is_said(&block["text"]), "blank", block)?,
                ("user", "image") => image(block)?,
                ("user", "tool_result") => self.result(block, &calls)?,
                ("assistant", "thinking") => {
                    self.thoughts += 1;
                    let signature = block["signature"].as_str().unwrap();
                    need(block["thinking"].is_string(), "no thinking", block)?;
                    need(self.empty_signature || !signature.is_empty(), "signature", block)?;
                }
                ("assistant", "redacted_thinking") => need(is_said(&block["data"]), "no data", block)?,
                ("assistant", "tool_use") => {
                    let id = block["id"].as_str().unwrap();
                    need(is_plain(id, 64), "id", block)?;
                    need(self.seen.insert(id.to_owned()), "id used twice", block)?;
                    need(is_plain(block["name"].as_str().unwrap(), 128), "name", block)?;
                    need(block["input"].is_object(), "input", block)?;
                    next.push(id.to_owned());
                    self.calls += 1;
                }
                _ => return Err(format!("out of place: {block}")),
            }
        }
        need(self.answered.len() == calls.len(), "a call has no result", message)?;
        self.open = next;
        need(self.open.len() == self.calls - made, "calls", message)
    }

    fn result(&mut self, block: &Value, calls: &[String]) -> Verdict {
        let id = block["tool_use_id"].as_str().unwrap().to_owned();
        need(calls.contains(&id), "result without call", block)?;
        need(!self.answered.contains(&id), "second result", block)?;
        self.answered.push(id);
        self.results += 1;
        let failed = block["is_error"].as_bool().unwrap();
        let Some(parts) = block["content"].as_array() else {
            return need(block["content"].is_string(), "content", block);
        };
        need(!parts.is_empty(), "empty", block)?;
        for part in parts {
            match part["type"].as_str().unwrap() {
                "text" => need(is_said(&part["text"]), "blank", block)?,
                _ => image(part)?,
            }
            need(!failed || part["type"] == "text", "image of an error", block)?;
        }
        Ok(())
    }

    fn text(&mut self, block: &Value) -> Verdict {
        self.marker(block);
        need(block["type"] == "text" && is_said(&block["text"]), "text", block)
    }

    fn marker(&mut self, block: &Value) {
        self.markers += usize::from(block["cache_control"]["type"] == "ephemeral");
    }
}

fn image(block: &Value) -> Verdict {
    let source = &block["source"];
    let fits = block["type"] == "image" && source["type"] == "base64" && source["media_type"] == "image/png";
    need(fits && is_said(&source["data"]), "image", block)
}

fn is_said(text: &Value) -> bool {
    text.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn is_plain(name: &str, most: usize) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    !name.is_empty() && name.len() <= most && name.bytes().all(fits)
}
