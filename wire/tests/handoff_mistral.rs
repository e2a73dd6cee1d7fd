//! Any transcript makes a request that Mistral accepts, and reaches a backend of pi's own protocol as it is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Value};
use std::collections::BTreeSet;
use steersman_wire::request;
use support::transcripts::{transcript, Random};

fn body(api: &str, images: bool, messages: &[Value]) -> Value {
    let model = json!({
        "id": "m", "api": api, "provider": "openai", "baseUrl": "https://x", "reasoning": true, "maxTokens": 10,
        "input": if images { json!(["text", "image"]) } else { json!(["text"]) },
    });
    let input = json!({ "model": model, "context": { "messages": messages }, "options": {} });
    serde_json::from_slice(&request(&input.to_string()).unwrap().body).unwrap()
}

#[test]
fn random_transcripts_make_acceptable_requests() {
    let mut counts = Counts::default();
    for seed in 1..3000 {
        let mut random = Random(seed);
        let mut messages = transcript(&mut random, "mistral-conversations");
        messages.push(json!({ "role": "user", "content": "go on" }));
        let images = random.next(2) == 0;
        let body = body("mistral-conversations", images, &messages);
        if let Err(problem) = judge(body["messages"].as_array().unwrap(), images, &mut counts) {
            panic!("seed {seed}: {problem}\n{messages:#?}\n{body:#}");
        }
    }
    println!("{counts:?} in acceptable requests");
    assert!(counts.calls > 2000 && counts.calls == counts.results);
    assert!(counts.thoughts > 100 && counts.images > 100);
}

#[test]
fn ids_that_fit_stay_and_others_are_alike_in_every_request() {
    let call = |id: &str| json!({ "type": "toolCall", "id": id, "name": "read", "arguments": {} });
    let answer =
        |ids: &[&str]| json!({ "role": "assistant", "content": ids.iter().map(|id| call(id)).collect::<Vec<_>>() });
    let ids = |messages: &[Value]| -> Vec<String> {
        let body = body("mistral-conversations", true, messages);
        let calls = body["messages"].as_array().unwrap().iter().filter_map(|message| message["tool_calls"].as_array());
        calls.flatten().map(|call| call["id"].as_str().unwrap().to_owned()).collect()
    };
    let first = ids(&[answer(&["abcDEF012", "call_1", "call_1"])]);
    assert_eq!(first[0], "abcDEF012");
    let longer = ids(&[answer(&["abcDEF012", "call_1", "call_1"]), answer(&["call_1", "abcDEF012"])]);
    assert_eq!(longer[..3], first);
    assert_eq!(longer.iter().collect::<BTreeSet<_>>().len(), 5);
}

#[test]
fn a_backend_gets_the_transcript_as_it_is() {
    for seed in 1..300 {
        let mut random = Random(seed);
        let messages = transcript(&mut random, "pi-messages");
        let body = body("pi-messages", random.next(2) == 0, &messages);
        assert_eq!(body["context"], json!({ "messages": messages }), "seed {seed}");
    }
}

#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    results: usize,
    thoughts: usize,
    images: usize,
}

fn judge(messages: &[Value], images: bool, counts: &mut Counts) -> Result<(), String> {
    // Calls that wait for their result, by id, with the tool's name.
    let mut open: Vec<(String, String)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let need = |ok: bool, what: &str| if ok { Ok(()) } else { Err(format!("messages[{at}]: {what}")) };
        let role = message["role"].as_str().unwrap();
        let content = &message["content"];
        need(role == "tool" || open.is_empty(), "a call has no result")?;
        match role {
            "system" => need(at == 0 && content.as_str().is_some_and(|text| !text.is_empty()), "bad prompt")?,
            "user" => {
                let text = content.as_str().is_some_and(|text| !text.is_empty());
                need(text || parts(content, &["text", "image_url"], counts), "bad content")?;
            }
            "assistant" => {
                let calls = message.get("tool_calls").map(|calls| calls.as_array().unwrap());
                need(calls.is_none_or(|calls| !calls.is_empty()), "empty list of calls")?;
                match message.get("content") {
                    Some(content) => need(parts(content, &["text", "thinking"], counts), "bad content")?,
                    None => need(calls.is_some(), "says nothing")?,
                }
                for call in calls.into_iter().flatten() {
                    let (id, name) = (call["id"].as_str().unwrap(), call["function"]["name"].as_str().unwrap());
                    need(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "bad id")?;
                    need(seen.insert(id.to_owned()), "an id is used twice")?;
                    need(call["type"] == "function" && !name.is_empty(), "bad call")?;
                    let arguments = call["function"]["arguments"].as_str().unwrap();
                    let arguments: Value = serde_json::from_str(arguments).unwrap();
                    need(arguments.is_object(), "arguments are no object")?;
                    open.push((id.to_owned(), name.to_owned()));
                    counts.calls += 1;
                }
            }
            "tool" => {
                let known = open.iter().position(|call| call.0 == message["tool_call_id"]);
                let (_, name) = open.remove(known.ok_or("a result without a call")?);
                need(message["name"] == name, "a result of another tool")?;
                need(parts(content, &["text", "image_url"], counts), "bad result")?;
                need(content[0]["type"] == "text", "a result without a text")?;
                counts.results += 1;
            }
            other => return Err(format!("role {other}")),
        }
    }
    let shown = images || !messages.iter().any(|message| message.to_string().contains("image_url"));
    if !open.is_empty() || !shown {
        return Err("a call has no result at the end, or an image goes to a model that sees none".into());
    }
    Ok(())
}

/// Whether a content list has something in it, and nothing but what these types say in good form.
fn parts(content: &Value, types: &[&str], counts: &mut Counts) -> bool {
    let says = |text: &Value| text.as_str().is_some_and(|text| !text.is_empty());
    let Some(parts) = content.as_array().filter(|parts| !parts.is_empty()) else {
        return false;
    };
    parts.iter().all(|part| {
        let kind = part["type"].as_str().unwrap();
        let good = match kind {
            "text" => says(&part["text"]),
            "image_url" => {
                counts.images += 1;
                part["image_url"].as_str().is_some_and(|url| url.starts_with("data:image/png;base64,"))
            }
            "thinking" => {
                counts.thoughts += 1;
                part["thinking"].as_array().is_some_and(|texts| texts.len() == 1 && says(&texts[0]["text"]))
            }
            _ => false,
        };
        good && types.contains(&kind)
    })
}
