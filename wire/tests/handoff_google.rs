//! Any transcript makes an acceptable request: random histories, judged by the rules of the Gemini API.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Value};
use std::collections::BTreeSet;
use steersman_wire::request;
use support::transcripts::{transcript, Random};

/// Models with and without call ids, with and without images in results, and the one family that demands signatures.
const TARGETS: [&str; 4] = ["gemini-3-pro", "gemini-2.5-flash", "claude-x", "m"];

#[test]
fn random_transcripts_make_acceptable_requests() {
    let (mut calls, mut results, mut signed) = (0, 0, 0);
    for seed in 1..4000 {
        let mut random = Random(seed);
        let mut messages = transcript(&mut random, "google-generative-ai");
        let target = *random.pick(&TARGETS);
        for message in messages.iter_mut().filter(|message| message["model"] == "m") {
            message["model"] = json!(target);
        }
        messages.push(json!({ "role": "user", "content": "go on" }));
        let model = json!({
            "id": target, "api": "google-generative-ai", "provider": random.pick(&["openai", "host"]),
            "baseUrl": "https://x", "reasoning": true, "maxTokens": 10,
            "input": if random.next(2) == 0 { json!(["text"]) } else { json!(["text", "image"]) },
        });
        let input = json!({ "model": model, "context": { "messages": messages }, "options": {} });
        let body = request(&input.to_string()).unwrap().body;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let mut judge = Judge { target, ids: BTreeSet::new(), calls: 0, results: 0, signed: 0 };
        if let Err(problem) = judge.contents(body["contents"].as_array().unwrap()) {
            panic!("seed {seed}, {target}: {problem}\n{messages:#?}\n{body:#}");
        }
        (calls, results, signed) = (calls + judge.calls, results + judge.results, signed + judge.signed);
    }
    println!("{calls} calls and {results} results in acceptable requests, {signed} signatures");
    assert!(calls > 2000 && calls == results && signed > 500);
}

type Judged = Result<(), String>;

fn need(ok: bool, what: &str) -> Judged {
    if ok {
        Ok(())
    } else {
        Err(what.to_owned())
    }
}

struct Judge<'t> {
    target: &'t str,
    ids: BTreeSet<String>,
    calls: usize,
    results: usize,
    signed: usize,
}

impl Judge<'_> {
    fn contents(&mut self, contents: &[Value]) -> Judged {
        let mut open: Vec<Value> = Vec::new();
        let mut before = "model";
        for (at, content) in contents.iter().enumerate() {
            let role = content["role"].as_str().unwrap();
            self.content(role, before, content["parts"].as_array().unwrap(), &mut open)
                .map_err(|problem| format!("contents[{at}]: {problem}"))?;
            before = role;
        }
        need(before == "user", "the last content is not the user's")?;
        need(open.is_empty(), "a call has no result")
    }

    fn content(&mut self, role: &str, before: &str, parts: &[Value], open: &mut Vec<Value>) -> Judged {
        need(role == "user" || role == "model", "role")?;
        need(role == "user" || before == "user", "nothing of the user's before the model")?;
        need(!parts.is_empty(), "no parts")?;
        let (mut calls, mut responses) = (Vec::new(), 0);
        for (at, part) in parts.iter().enumerate() {
            let kinds = ["text", "inlineData", "functionCall", "functionResponse"];
            need(kinds.iter().filter(|kind| !part[**kind].is_null()).count() == 1, "one kind of data per part")?;
            if let Some(signature) = part["thoughtSignature"].as_str() {
                need(role == "model" && is_base64(signature), "bad signature")?;
                self.signed += 1;
            }
            if let Some(text) = part["text"].as_str() {
                need(!text.is_empty() || part["thoughtSignature"].is_string(), "empty text")?;
            }
            need(part["thought"].is_null() || role == "model", "a thought of the user's")?;
            need(part["inlineData"].is_null() || role == "user", "an image of the model's")?;
            if part["functionCall"].is_object() {
                need(role == "model", "a call of the user's")?;
                let first = calls.is_empty() && self.target.starts_with("gemini-3");
                need(!first || part["thoughtSignature"].is_string(), "the first call is not signed")?;
                self.call(&part["functionCall"])?;
                calls.push(part["functionCall"].clone());
            }
            if part["functionResponse"].is_object() {
                need(role == "user" && responses == at, "results come first")?;
                self.response(&part["functionResponse"], open)?;
                responses += 1;
            }
        }
        need(open.is_empty(), "a call has no result right behind it")?;
        *open = calls;
        Ok(())
    }

    fn call(&mut self, call: &Value) -> Judged {
        let name = call["name"].as_str().unwrap().as_bytes();
        need(name[0].is_ascii_alphabetic() || name[0] == b'_', "bad name")?;
        need(name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(byte)), "bad name")?;
        need(call["args"].is_object(), "arguments are no object")?;
        need(call["id"].is_string() == self.has_ids(), "id")?;
        if let Some(id) = call["id"].as_str() {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            need((1..=64).contains(&id.len()) && id.bytes().all(fits), "bad id")?;
            need(self.ids.insert(id.to_owned()), "an id twice")?;
        }
        self.calls += 1;
        Ok(())
    }

    fn response(&mut self, response: &Value, open: &mut Vec<Value>) -> Judged {
        let known = open.iter().position(|call| call["id"] == response["id"] && call["name"] == response["name"]);
        open.remove(known.ok_or("a result without its call")?);
        let said = response["response"].as_object().unwrap();
        need(said.len() == 1 && said.keys().all(|key| key == "output" || key == "error"), "bad response")?;
        need(said.values().all(Value::is_string), "bad response")?;
        need(response["parts"].is_null() || self.target != "gemini-2.5-flash", "images in a result")?;
        self.results += 1;
        Ok(())
    }

    fn has_ids(&self) -> bool {
        self.target == "gemini-3-pro" || self.target == "claude-x"
    }
}

fn is_base64(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    !text.is_empty() && text.len() % 4 == 0 && text.bytes().all(fits)
}
