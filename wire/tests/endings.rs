//! Every way a response can end, at every place: one terminal record, nothing after it, nothing lost before it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use serde_json::{json, Value};
use std::fs;
use std::path::PathBuf;
use steersman_wire::sniff::{sniff, Body};
use steersman_wire::sse::{Event, Sse};
use steersman_wire::{is_retryable, Ended, Response};
use support::chunks::cut;
use support::message::Host;
use support::{files, own, read, shared, STREAMS};

/// Ways to end a response early.
const ENDS: [&str; 3] = ["abort", "fail", "end"];

fn finish(response: &mut Response, host: &mut Host, how: &str) {
    match how {
        "abort" => response.abort("Request was aborted"),
        "fail" => response.fail("Failed to fetch"),
        _ => response.end(),
    }
    host.take(response);
}

#[test]
fn an_end_at_any_event_keeps_what_came_before() {
    let mut endings = 0;
    for file in STREAMS.iter().flat_map(|api| files(&own(api).join("streams"), "json")) {
        let case = read(&file);
        let body = fs::read(file.with_extension("sse")).unwrap();
        let events = cut(&body, "event");
        for how in ENDS {
            for count in 0..=events.len() {
                let model = &case["model"];
                let mut host = Host::new(model);
                let mut response = Response::new(&model.to_string()).unwrap();
                response.head(case["status"].as_u64().unwrap_or(200) as u16, "text/event-stream", "");
                for event in &events[..count] {
                    response.push(event);
                }
                host.take(&mut response);
                let (before, was_finished) = (host.message["content"].clone(), response.finished());
                finish(&mut response, &mut host, how);
                assert!(response.finished());
                let content = &host.message["content"];
                assert_eq!(content.as_array().unwrap().len(), before.as_array().unwrap().len());
                for (old, new) in before.as_array().unwrap().iter().zip(content.as_array().unwrap()) {
                    let member = if old["type"] == "thinking" { "thinking" } else { "text" };
                    assert_eq!(old[member], new[member], "{file:?} {how} after {count}");
                }
                if !was_finished && how != "end" {
                    let reason = if how == "abort" { "aborted" } else { "error" };
                    assert_eq!(host.text("stopReason"), reason);
                    assert!(!host.events.iter().rev().skip(1).take(1).any(|event| event["type"] == "done"));
                }
                // Whatever comes now changes nothing.
                let kept = host.message.clone();
                for more in ENDS {
                    finish(&mut response, &mut host, more);
                }
                response.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"late\"}}]}\n\n");
                host.take(&mut response);
                assert_eq!(host.message, kept);
                endings += 1;
            }
        }
    }
    println!("{endings} endings");
    assert!(endings > 300);
}

#[test]
fn a_huge_event_in_small_pieces_is_read() {
    let text = "0123456789abcdef".repeat(4 * 1024 * 1024 / 16);
    let model = json!({ "id": "m", "api": "openai-completions" });
    for delta in [
        json!({ "content": text }),
        json!({ "tool_calls": [{ "index": 0, "id": "k", "function": { "name": "t", "arguments": json!({ "x": text }).to_string() } }] }),
    ] {
        let event = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": "stop" }] });
        let body = format!("data: {event}\n\ndata: [DONE]\n\n");
        let mut host = Host::new(&model);
        let mut response = Response::new(&model.to_string()).unwrap();
        response.head(200, "text/event-stream", "");
        body.as_bytes().chunks(32).for_each(|chunk| response.push(chunk));
        host.take(&mut response);
        let block = &host.message["content"][0];
        let got = block["text"].as_str().or(block["arguments"]["x"].as_str()).unwrap();
        assert_eq!(got.len(), text.len());
    }
}

#[test]
fn a_mebibyte_of_arguments_in_small_deltas_is_put_together() {
    let model = json!({ "id": "m", "api": "openai-completions" });
    let arguments = json!({ "x": "0123456789\"\n".repeat(1024 * 1024 / 12), "y": [1, 2, 3] }).to_string();
    let mut host = Host::new(&model);
    let mut response = Response::new(&model.to_string()).unwrap();
    response.head(200, "text/event-stream", "");
    let start = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "id": "k", "function": { "name": "t" } }] } }] });
    response.push(format!("data: {start}\n\n").as_bytes());
    for piece in arguments.as_bytes().chunks(64) {
        let piece = std::str::from_utf8(piece).unwrap();
        let event = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": piece } }] } }] });
        response.push(format!("data: {event}\n\n").as_bytes());
    }
    response
        .push(b"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n");
    // The view of the arguments is checked on its final form only; the test host is not made for speed.
    let deltas: String = response
        .batch()
        .iter()
        .filter(|record| record.kind == steersman_wire::batch::kind::TOOLCALL_DELTA)
        .map(|record| record.text)
        .collect();
    assert_eq!(deltas, arguments);
    let appended: usize = response
        .batch()
        .iter()
        .filter(|record| {
            [steersman_wire::batch::kind::STRING, steersman_wire::batch::kind::APPEND].contains(&record.kind)
        })
        .map(|record| record.text.len())
        .sum();
    assert_eq!(appended, "0123456789\"\n".len() * (1024 * 1024 / 12));
    assert!(response.finished());
    response.clear();
    host.take(&mut response);
}

#[test]
fn long_answers_of_anthropic_messages_are_put_together() {
    use steersman_wire::batch::kind;
    let model = json!({ "id": "m", "api": "anthropic-messages" });
    let mut response = Response::new(&model.to_string()).unwrap();
    response.head(200, "text/event-stream", "");
    let mut send = |event: Value, padding: usize| {
        let text = event.to_string();
        let body = format!("data: {}{}}}\n\n", &text[..text.len() - 1], " ".repeat(padding));
        body.as_bytes().chunks(64).for_each(|chunk| response.push(chunk));
    };
    let text = "0123456789abcdef".repeat(4 * 1024 * 1024 / 16);
    let arguments = json!({ "x": "0123456789\"\n".repeat(1024 * 1024 / 12), "y": [1, 2, 3] }).to_string();
    send(json!({ "type": "message_start", "message": { "id": "k" } }), 0);
    send(json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": text } }), 3);
    let call = json!({ "type": "tool_use", "id": "k", "name": "t", "input": {} });
    send(json!({ "type": "content_block_start", "index": 1, "content_block": call }), 0);
    for (at, piece) in arguments.as_bytes().chunks(64).enumerate() {
        let delta = json!({ "type": "input_json_delta", "partial_json": std::str::from_utf8(piece).unwrap() });
        send(json!({ "type": "content_block_delta", "index": 1, "delta": delta }), at % 15);
    }
    send(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }), 0);
    send(json!({ "type": "message_stop" }), 0);
    assert!(response.finished());
    let said = |kinds: &[u32]| -> String {
        response.batch().iter().filter(|record| kinds.contains(&record.kind)).map(|record| record.text).collect()
    };
    assert!(said(&[kind::TEXT_DELTA]) == text && said(&[kind::TOOLCALL_DELTA]) == arguments);
    assert!(said(&[kind::STRING, kind::APPEND]) == "0123456789\"\n".repeat(1024 * 1024 / 12));
    assert_eq!(said(&[kind::DONE]), "toolUse");
}

#[test]
fn long_answers_of_openai_responses_are_put_together() {
    use steersman_wire::batch::kind;
    let model = json!({ "id": "m", "api": "openai-responses" });
    let mut response = Response::new(&model.to_string()).unwrap();
    response.head(200, "text/event-stream", "");
    let mut send = |event: Value| response.push(format!("data: {event}\n\n").as_bytes());
    let input = "0123456789\"\n".repeat(1024 * 1024 / 12);
    let arguments = json!({ "input": input }).to_string();
    let calls = [
        ("function_call", "function_call_arguments", &arguments),
        ("custom_tool_call", "custom_tool_call_input", &input),
    ];
    for (index, (item, ..)) in calls.iter().enumerate() {
        let item = json!({ "type": item, "id": format!("i{index}"), "call_id": format!("c{index}"), "name": "t" });
        send(json!({ "type": "response.output_item.added", "output_index": index, "item": item }));
    }
    // Deltas of both in turn.
    let pieces = arguments.as_bytes().chunks(64).zip(input.as_bytes().chunks(60));
    for (first, second) in pieces {
        for (index, piece) in [first, second].into_iter().enumerate() {
            let kind = format!("response.{}.delta", calls[index].1);
            send(json!({ "type": kind, "output_index": index, "delta": std::str::from_utf8(piece).unwrap() }));
        }
    }
    for (index, (item, name, text)) in calls.iter().enumerate() {
        let member = if index == 0 { "arguments" } else { "input" };
        send(json!({ "type": format!("response.{name}.done"), "output_index": index, member: text }));
        let item = json!({ "type": item, "id": format!("i{index}"), "call_id": format!("c{index}"), "name": "t", member: text });
        send(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    send(json!({ "type": "response.completed", "response": { "id": "r", "status": "completed", "output": [] } }));
    assert!(response.finished());
    let deltas = |index: u32| -> String {
        let deltas = response.batch().iter().filter(|record| record.kind == kind::TOOLCALL_DELTA && record.a == index);
        deltas.map(|record| record.text).collect()
    };
    assert!(deltas(0) == arguments && deltas(1) == arguments);
    assert!(response.batch().iter().any(|record| record.kind == kind::DONE && record.text == "toolUse"));
}

#[test]
fn recorded_responses_end_as_they_should() {
    let Some(folder) = shared() else {
        return;
    };
    let cases = read(&folder.join(PathBuf::from("sse-torture.json")));
    let mut count = 0;
    for case in cases["responses"].as_array().unwrap() {
        let (sent, expect) = (&case["response"], &case["expect"]);
        let chunks: Vec<Vec<u8>> = sent["chunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|chunk| from_base64(chunk["b64"].as_str().unwrap()))
            .collect();
        let name = case["name"].as_str().unwrap();
        if let Some(wanted) = expect["events"].as_array() {
            assert_eq!(events(&chunks), *wanted, "{name}");
            let first: Vec<u8> = chunks.concat();
            assert_eq!(sniff(&first), Some(Body::EventStream), "{name}");
        }
        let model = json!({ "id": "m", "api": "openai-completions" });
        let mut host = Host::new(&model);
        let mut response = Response::new(&model.to_string()).unwrap();
        let content_type = sent["headers"]["content-type"].as_str().unwrap_or_default();
        let status = sent["status"].as_u64().unwrap() as u16;
        response.head(status, content_type, "");
        chunks.iter().for_each(|chunk| response.push(chunk));
        match (sent["end"].as_str().unwrap(), expect["whenIdleTimeoutMs"].as_u64()) {
            ("close", _) => response.end(),
            ("reset", _) => response.fail("network error"),
            ("hang", Some(_)) => response.give_up("stream_idle", "The stream timed out"),
            ("hang", None) if !response.finished() => response.abort("Request was aborted"),
            _ => {}
        }
        host.take(&mut response);
        assert!(response.finished(), "{name}");
        let message = host.text("errorMessage");
        match expect["kind"].as_str().unwrap() {
            "error" => {
                assert_eq!(host.text("stopReason"), "error", "{name}");
                assert!(
                    message.contains(expect["errorMessageContains"].as_str().unwrap_or_default()),
                    "{name}: {message}"
                );
                if let Some(status) = expect["status"].as_u64() {
                    assert!(message.starts_with(&status.to_string()), "{name}: {message}");
                }
            }
            // The payloads are no chunks of this API, so the first event ends the response with an error; that it was
            // taken for an event is what counts. A `[DONE]` ends it without waiting for the connection.
            _ => assert!(!message.starts_with("Expected an event stream"), "{name}: {message}"),
        }
        if let (Some(want), "error") = (expect["retryable"].as_bool(), expect["kind"].as_str().unwrap()) {
            let ended = Ended { stop_reason: "error", error_message: message, ..Ended::default() };
            assert_eq!(is_retryable(&ended), want, "{name}: {message}");
        }
        count += 1;
    }
    println!("{count} recorded responses");
    assert_eq!(count, 19);
}

fn events(chunks: &[Vec<u8>]) -> Vec<Value> {
    let (mut sse, mut events) = (Sse::default(), Vec::new());
    let mut done = false;
    for chunk in chunks {
        sse.push(chunk, &mut |event: Event<'_>| {
            done |= event.data == "[DONE]";
            if !done {
                events.push(json!({ "event": event.name, "data": event.data }));
            }
        })
        .unwrap();
    }
    events
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut have, mut out) = (0u32, 0, Vec::new());
    for digit in text.bytes().filter(|byte| *byte != b'=') {
        bits = bits << 6 | DIGITS.iter().position(|known| *known == digit).unwrap() as u32;
        have += 6;
        if have >= 8 {
            have -= 8;
            out.push((bits >> have) as u8);
        }
    }
    out
}
