//! Any transcript makes a request that OpenAI Responses accepts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Value};
use std::collections::BTreeSet;
use steersman_wire::request;
use support::transcripts::{transcript, Random};

/// Signatures as this API's own answers leave them behind, good and bad.
fn sign(messages: &mut [Value], random: &mut Random) {
    let mut number = 0;
    for part in messages.iter_mut().filter_map(|message| message["content"].as_array_mut()).flatten() {
        // Some ids come twice.
        number += random.next(8).min(1);
        let encrypted = random.pick(&[json!("RU5D"), json!("RU5D"), json!("RU5D"), json!(""), Value::Null]).clone();
        let thought = json!({
            "type": "reasoning", "id": format!("rs_{number}"), "summary": [], "encrypted_content": encrypted,
        });
        let text = json!({ "v": 1, "id": format!("msg_{number}"), "phase": "commentary" });
        match (part["type"].as_str().unwrap_or_default(), random.next(4)) {
            ("thinking", 1..) => part["thinkingSignature"] = json!(thought.to_string()),
            ("text", 1) => part["textSignature"] = json!(text.to_string()),
            ("text", 2) => part["textSignature"] = json!(format!("msg_{}", "z".repeat(60 + number as usize))),
            ("toolCall", 1 | 2) if part["id"] != "" => {
                let item = random.pick(&["fc_", "ctc_", "x"]);
                part["id"] = json!(format!("call_{}|{item}{number}", random.next(3)));
            }
            _ => {}
        }
    }
}

#[test]
fn random_transcripts_make_acceptable_requests() {
    let mut counts = Counts::default();
    for seed in 1..4000 {
        let mut random = Random(seed);
        let mut messages = transcript(&mut random, "openai-responses");
        sign(&mut messages, &mut random);
        messages.push(json!({ "role": "user", "content": "go on" }));
        let images = random.next(2) == 0;
        let grammar = random.next(2) == 0;
        let model = json!({
            "id": random.pick(&["m", "n"]), "api": "openai-responses", "provider": random.pick(&["openai", "other"]),
            "baseUrl": "https://x", "reasoning": true, "maxTokens": 10,
            "input": if images { json!(["text", "image"]) } else { json!(["text"]) },
            "compat": { "supportsOpenAIGrammarTools": grammar, "supportsMidConvoSystemMessages": random.next(2) == 0 },
        });
        let tool = json!({
            "name": "read", "parameters": { "properties": { "p": { "type": "string" } }, "required": ["p"] },
            "constrainedSampling": { "type": "grammar", "variants": { "openai_lark": "x" } },
        });
        let context = json!({ "messages": messages, "tools": if grammar { json!([tool]) } else { json!([]) } });
        let input = json!({ "model": model, "context": context, "options": {} });
        let body = request(&input.to_string()).unwrap().body;
        let body: Value = serde_json::from_slice(&body).unwrap();
        if let Err(problem) = judge(body["input"].as_array().unwrap(), images, &mut counts) {
            panic!("seed {seed}: {problem}\n{messages:#?}\n{body:#}");
        }
    }
    println!("{counts:?} in acceptable requests");
    assert!(counts.calls > 2000 && counts.calls == counts.results);
    assert!(counts.customs > 100 && counts.thoughts > 50 && counts.images > 100 && counts.named > 100);
}

#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    customs: usize,
    results: usize,
    thoughts: usize,
    images: usize,
    /// Items of the model's own with the ids it gave them.
    named: usize,
}

fn judge(items: &[Value], images: bool, counts: &mut Counts) -> Result<(), String> {
    // Calls that wait for their result, with the type of it.
    let mut open: Vec<(&str, &str)> = Vec::new();
    let (mut calls, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for (at, item) in items.iter().enumerate() {
        let need = |ok: bool, what: &str| if ok { Ok(()) } else { Err(format!("input[{at}]: {what}")) };
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        let kind = text("type");
        if let Some(id) = item["id"].as_str() {
            need(is_id(id), "bad id")?;
            need(ids.insert(id), "id of an item used twice")?;
            counts.named += usize::from(!id.starts_with("msg_pi_"));
        }
        match kind {
            "" => {
                need(open.is_empty(), "a call has no result before the next message")?;
                match text("role") {
                    "user" => need(content_is_good(&item["content"], images, counts), "bad content")?,
                    "developer" => need(!text("content").is_empty(), "no instruction")?,
                    _ => need(false, "role")?,
                }
            }
            "message" => {
                need(text("id").starts_with("msg_"), "message without an id")?;
                let parts = item["content"].as_array().unwrap();
                need(parts.len() == 1 && parts[0]["text"].as_str().is_some_and(|text| !text.is_empty()), "no text")?;
                need(parts[0]["annotations"] == json!([]), "no annotations")?;
            }
            "reasoning" => {
                need(text("id").starts_with("rs_") && item["summary"].is_array(), "not what came")?;
                need(!text("encrypted_content").is_empty(), "a thought that nobody can read")?;
                let next = items.get(at + 1).map_or("", |next| next["type"].as_str().unwrap_or_default());
                let product = ["message", "function_call", "custom_tool_call", "reasoning"].contains(&next);
                need(product, "a thought without what came of it")?;
                counts.thoughts += 1;
            }
            "function_call" | "custom_tool_call" => {
                let custom = kind == "custom_tool_call";
                let id = text("call_id");
                need(is_id(id) && calls.insert(id), "bad call id")?;
                let prefix = if custom { "ctc_" } else { "fc_" };
                need(item["id"].is_null() || text("id").starts_with(prefix), "id of another kind of item")?;
                need(is_name(text("name")), "bad name")?;
                let arguments = serde_json::from_str::<Value>(text("arguments"));
                need(custom || arguments.is_ok_and(|arguments| arguments.is_object()), "bad arguments")?;
                need(!custom || item["input"].is_string(), "no input")?;
                open.push((id, if custom { "custom_tool_call_output" } else { "function_call_output" }));
                counts.calls += 1;
                counts.customs += usize::from(custom);
            }
            "function_call_output" | "custom_tool_call_output" => {
                let call = open.iter().position(|call| *call == (text("call_id"), kind));
                need(call.is_some(), "a result without its call")?;
                open.remove(call.unwrap());
                let output = &item["output"];
                need(!text("output").is_empty() || content_is_good(output, images, counts), "bad output")?;
                counts.results += 1;
            }
            _ => need(false, "unknown item")?,
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("no results for {open:?}"))
    }
}

fn content_is_good(content: &Value, images: bool, counts: &mut Counts) -> bool {
    let mut part_is_good = |part: &Value| match part["type"].as_str() {
        Some("input_text") => part["text"].as_str().is_some_and(|text| !text.is_empty()),
        Some("input_image") => {
            counts.images += 1;
            images && part["image_url"] == "data:image/png;base64,AAAA"
        }
        _ => false,
    };
    content.as_array().is_some_and(|parts| !parts.is_empty() && parts.iter().all(&mut part_is_good))
}

fn is_id(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    !id.is_empty() && id.len() <= 64 && id.bytes().all(fits)
}

fn is_name(name: &str) -> bool {
    let first = name.bytes().next();
    first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte))
}

#[test]
fn a_signature_that_is_damaged_is_not_sent() {
    let item = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "RU5D" }).to_string();
    let sent = |signature: &str, api: &str| {
        let part = json!({ "type": "thinking", "thinking": "Hm.", "thinkingSignature": signature });
        let input = json!({
            "model": {
                "id": "m", "api": api, "provider": "p", "baseUrl": "https://x", "reasoning": true, "input": ["text"],
            },
            "context": { "messages": [
                { "role": "user", "content": "1" },
                {
                    "role": "assistant", "api": api, "provider": "p", "model": "m", "stopReason": "stop",
                    "content": [part, { "type": "text", "text": "2" }],
                },
                { "role": "user", "content": "3" },
            ] },
            "options": {},
        });
        let body = request(&input.to_string()).unwrap().body;
        serde_json::from_slice::<Value>(&body).unwrap_or_else(|error| panic!("{api} {signature}: {error}")).to_string()
    };
    assert!(sent(&item, "openai-responses").contains("RU5D"));
    let nested = "[".repeat(300);
    for damaged in [
        format!("{item} x"),
        format!("{item}{item}"),
        format!("[{item}"),
        format!("{nested}{item}"),
        item[..item.len() - 1].to_owned(),
    ] {
        assert!(!sent(&damaged, "openai-responses").contains("RU5D"), "{damaged}");
        for api in support::APIS {
            sent(&damaged, api);
        }
    }
}
