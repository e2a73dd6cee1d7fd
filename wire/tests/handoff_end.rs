//! A conversation ends with the user, also where what the user said is blank and providers leave it out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use serde_json::{json, Value};
use steersman_wire::request;

const APIS: [(&str, &str); 5] = [
    ("openai-completions", "messages"),
    ("openai-responses", "input"),
    ("anthropic-messages", "messages"),
    ("google-generative-ai", "contents"),
    ("mistral-conversations", "messages"),
];

/// The conversation as it is sent.
fn sent(api: &str, list: &str, messages: &Value) -> Vec<Value> {
    let model =
        json!({ "id": "m", "api": api, "provider": "p", "baseUrl": "https://x", "input": ["text"], "maxTokens": 9 });
    let input = json!({ "model": model, "context": { "messages": messages }, "options": { "apiKey": "k" } });
    let body: Value = serde_json::from_slice(&request(&input.to_string()).unwrap().body).unwrap();
    body[list].as_array().unwrap().clone()
}

fn user(content: impl Into<Value>) -> Value {
    json!({ "role": "user", "content": content.into() })
}

fn answer(text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({ "role": "assistant", "content": content, "provider": "p", "api": "a", "model": "m", "stopReason": "stop" })
}

#[test]
fn a_blank_message_at_the_end_gets_words() {
    let blanks =
        [json!(""), json!(" \n"), json!([]), json!([{ "type": "text", "text": " " }]), json!([{ "type": "video" }])];
    for (api, list) in APIS {
        for blank in &blanks {
            for messages in [
                json!([user(blank.clone())]),
                json!([user(blank.clone()), user(blank.clone())]),
                json!([user("a"), answer("b"), user(blank.clone())]),
                json!([user(blank.clone()), answer("b"), user(blank.clone()), user(blank.clone())]),
            ] {
                let sent = sent(api, list, &messages);
                let role = |message: Option<&Value>| {
                    message.and_then(|message| message["role"].as_str()).unwrap_or("").to_owned()
                };
                assert_eq!(role(sent.last()), "user", "{api}: {messages} {sent:?}");
            }
        }
        let whole = sent(api, list, &json!([user("a"), answer("b"), user(" ")]));
        assert!(whole[2].to_string().contains("(empty message)"), "{api}: {whole:?}");
        // What is said besides counts, and nothing is added.
        let besides = sent(api, list, &json!([user("a"), answer("b"), user("c"), user(" ")]));
        assert!(!json!(besides).to_string().contains("(empty message)"), "{api}: {besides:?}");
    }
}
