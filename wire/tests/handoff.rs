//! Any transcript makes an acceptable request: random histories, judged by the rules of the API.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Value};
use std::collections::BTreeSet;
use steersman_wire::request;
use support::transcripts::{transcript, Random};

#[test]
fn random_transcripts_make_acceptable_requests() {
    let (mut calls, mut results) = (0, 0);
    for seed in 1..3000 {
        let mut random = Random(seed);
        let mut messages = transcript(&mut random, "openai-completions");
        messages.push(json!({ "role": "user", "content": "go on" }));
        let openai = random.next(2) == 0;
        let compat = json!({
            "requiresAssistantAfterToolResult": random.next(3) == 0, "requiresToolResultName": random.next(2) == 0,
            "requiresThinkingAsText": random.next(3) == 0,
        });
        let model = json!({
            "id": "m", "api": "openai-completions", "provider": if openai { "openai" } else { "host" }, "baseUrl": "https://x",
            "reasoning": true, "input": if random.next(2) == 0 { json!(["text"]) } else { json!(["text", "image"]) },
            "compat": compat, "maxTokens": 10,
        });
        let input = json!({ "model": model, "context": { "messages": messages }, "options": {} });
        let body = request(&input.to_string()).unwrap().body;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let judge = Judge { limit: if openai { 40 } else { 64 }, compat: &compat };
        let counted = judge.conversation(body["messages"].as_array().unwrap());
        match counted {
            Ok((made, answered)) => (calls, results) = (calls + made, results + answered),
            Err(problem) => panic!("seed {seed}: {problem}\n{messages:#?}\n{body:#}"),
        }
    }
    println!("{calls} calls and {results} results in acceptable requests");
    assert!(calls > 2000 && calls == results);
}

#[test]
fn a_grammar_tool_that_was_called_in_another_way_gets_what_was_written() {
    let call =
        |id: &str, arguments: Value| json!({ "type": "toolCall", "id": id, "name": "g", "arguments": arguments });
    let calls = [call("a", json!({ "input": "x" })), call("b", json!({ "other": 1 }))];
    let tool = json!({
        "name": "g", "parameters": { "type": "object", "properties": { "input": { "type": "string" } }, "required": ["input"] },
        "constrainedSampling": { "type": "grammar", "variants": { "openai_lark": "start: /x/" } },
    });
    let model = json!({ "id": "m", "api": "openai-completions", "compat": { "supportsOpenAIGrammarTools": true } });
    let messages = json!([{ "role": "assistant", "content": calls }, { "role": "user", "content": "go on" }]);
    let input = json!({ "model": model, "context": { "messages": messages, "tools": [tool] } });
    let body: Value = serde_json::from_slice(&request(&input.to_string()).unwrap().body).unwrap();
    let calls = body["messages"][0]["tool_calls"].as_array().unwrap();
    let inputs: Vec<&str> = calls.iter().map(|call| call["custom"]["input"].as_str().unwrap()).collect();
    assert_eq!(inputs, ["x", r#"{"other":1}"#]);
}

struct Judge<'c> {
    limit: usize,
    compat: &'c Value,
}

impl Judge<'_> {
    /// How many calls and results there are, or what is wrong.
    fn conversation(&self, messages: &[Value]) -> Result<(usize, usize), String> {
        let need = |ok: bool, what: &str, at: usize| if ok { Ok(()) } else { Err(format!("messages[{at}]: {what}")) };
        let mut open: Vec<(String, String)> = Vec::new();
        let mut seen = BTreeSet::new();
        let (mut calls, mut results) = (0, 0);
        let mut before = "";
        for (at, message) in messages.iter().enumerate() {
            let role = message["role"].as_str().unwrap();
            need(role == "tool" || open.is_empty(), "a call has no result", at)?;
            match role {
                "system" | "developer" => {
                    need(message["content"].as_str().is_some_and(|text| !text.is_empty()), "empty", at)?
                }
                "user" => {
                    need(content_is_good(&message["content"], true), "bad content", at)?;
                    let bridged = self.compat["requiresAssistantAfterToolResult"] != true || before != "tool";
                    need(bridged, "user right after results", at)?;
                }
                "assistant" => {
                    let made = message["tool_calls"].as_array();
                    need(made.is_none_or(|made| !made.is_empty()), "empty call list", at)?;
                    let content = &message["content"];
                    let says = !content.is_null() && content != "";
                    need(says || made.is_some(), "says nothing", at)?;
                    need(!says || content_is_good(content, false), "bad content", at)?;
                    for call in made.into_iter().flatten() {
                        let (id, name) = (call["id"].as_str().unwrap(), call["function"]["name"].as_str().unwrap());
                        need(self.is_id(id), "bad id", at)?;
                        need(seen.insert(id.to_owned()), "id used twice", at)?;
                        need(is_name(name), "bad name", at)?;
                        let arguments: Value =
                            serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
                        need(arguments.is_object(), "arguments are no object", at)?;
                        open.push((id.to_owned(), name.to_owned()));
                        calls += 1;
                    }
                }
                "tool" => {
                    let id = message["tool_call_id"].as_str().unwrap();
                    let known = open.iter().position(|call| call.0 == id);
                    need(known.is_some(), "result without call", at)?;
                    let (_, name) = open.remove(known.unwrap());
                    need(message["content"].as_str().is_some_and(|text| !text.is_empty()), "empty result", at)?;
                    if self.compat["requiresToolResultName"] == true {
                        need(
                            name.is_empty() || message["name"] == name.as_str() || message["name"].is_null(),
                            "wrong name",
                            at,
                        )?;
                    }
                    results += 1;
                }
                other => return Err(format!("role {other}")),
            }
            before = role;
        }
        need(open.is_empty(), "a call has no result", messages.len())?;
        Ok((calls, results))
    }

    fn is_id(&self, id: &str) -> bool {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
        !id.is_empty() && id.len() <= self.limit && id.bytes().all(fits)
    }
}

fn is_name(name: &str) -> bool {
    let first = name.bytes().next();
    first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte))
}

fn content_is_good(content: &Value, images: bool) -> bool {
    match content {
        Value::String(_) => true,
        Value::Array(parts) => {
            !parts.is_empty()
                && parts.iter().all(|part| match part["type"].as_str() {
                    Some("text") => part["text"].as_str().is_some_and(|text| !text.is_empty()),
                    Some("image_url") => images && part["image_url"]["url"].as_str().is_some(),
                    _ => false,
                })
        }
        _ => false,
    }
}
