//! Random transcripts, for judging what a wire makes of any history: calls without results and results without calls,
//! ids used twice, empty and odd names, content that says nothing, failed turns, other models and other APIs.

use serde_json::{json, Value};

/// A small seeded generator; the seed must not be 0.
pub struct Random(pub u32);

impl Random {
    /// A number below `below`.
    pub fn next(&mut self, below: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % below
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.next(from.len() as u32) as usize]
    }
}

/// Models that the assistant messages come from: provider, API and id. A target that is meant to meet its own messages
/// is `openai` / `m` or `other` / `n` of its API.
const PROVIDERS: [&str; 2] = ["openai", "other"];
const MODELS: [&str; 2] = ["m", "n"];

const LONG: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef+/=0123456789";
const IDS: [&str; 10] = ["call_1", "call_1", "call_2", "", "a|fc_b+/=", "a|fc_c", "toolu_01", "abcDEF012", "🙈", LONG];
const TEXTS: [&str; 6] = ["hi", "", "  ", "ü😀\n\"x\"", "\u{feff} ", "end"];
const NAMES: [&str; 5] = ["read", "now", "", "a b!", "9x"];
const SIGNATURES: [&str; 6] =
    ["reasoning_content", "x", "", "c2lnbmF0dXJl", "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}", "{"];

/// Messages of a history that a target of this API may have to take over, without a last question.
pub fn transcript(random: &mut Random, api: &str) -> Vec<Value> {
    let count = 1 + random.next(14);
    (0..count).map(|_| message(random, api)).collect()
}

fn message(random: &mut Random, api: &str) -> Value {
    match random.next(8) {
        0 => json!({ "role": "system", "content": random.pick(&TEXTS), "sections": { "s": random.pick(&TEXTS) } }),
        1 | 2 => json!({ "role": "user", "content": parts(random, false) }),
        3..=5 => json!({
            "role": "assistant", "content": parts(random, true),
            "api": random.pick(&[api, api, "another-api"]),
            "provider": random.pick(&PROVIDERS), "model": random.pick(&MODELS),
            "stopReason": random.pick(&["stop", "toolUse", "toolUse", "error", "aborted"]),
        }),
        _ => json!({
            "role": "toolResult", "toolCallId": random.pick(&IDS), "toolName": "read",
            "content": parts(random, false), "isError": random.next(3) == 0,
        }),
    }
}

fn parts(random: &mut Random, assistant: bool) -> Value {
    let count = random.next(4);
    match random.next(8) {
        0 => Value::Null,
        1 if !assistant => json!(random.pick(&TEXTS)),
        _ => (0..count).map(|_| part(random, assistant)).collect(),
    }
}

fn part(random: &mut Random, assistant: bool) -> Value {
    // Now and then what does not belong there: calls and thoughts of the user.
    let any = assistant || random.next(8) == 0;
    match random.next(if any { 5 } else { 2 }) {
        0 => json!({ "type": "text", "text": random.pick(&TEXTS), "textSignature": random.pick(&SIGNATURES) }),
        1 if !assistant => {
            json!({ "type": "image", "data": random.pick(&["AAAA", "AAAA", ""]), "mimeType": "image/png" })
        }
        1 | 2 => json!({
            "type": "thinking", "thinking": random.pick(&TEXTS), "thinkingSignature": random.pick(&SIGNATURES),
            "redacted": random.next(6) == 0,
        }),
        _ => {
            let arguments = random.pick(&[json!({ "p": "a\\b" }), json!({}), Value::Null, json!([1])]).clone();
            json!({
                "type": "toolCall", "id": random.pick(&IDS), "name": random.pick(&NAMES), "arguments": arguments,
                "thoughtSignature": random.pick(&SIGNATURES),
                "argumentsText": random.pick(&[None, None, Some("{\"n\":123456789012345678901}"), Some("{\"n\":"), Some("[]")]),
            })
        }
    }
}
