//! What one response has used, in tokens and US dollars.

use steersman_wire::json::to_text;
use steersman_wire::total_cost;

use crate::native::encode::Json;
use crate::native::message::{AgentMessage, AssistantMessage, Content, Usage};
use crate::native::stream_fn::Request;

/// Four characters to a token is the usual rough measure.
const CHARACTERS_PER_TOKEN: f64 = 4.0;
const TOKENS_PER_IMAGE: f64 = 1200.0;

/// As reported; what nobody reported is estimated, so that a limit holds with every provider.
pub(super) fn spent_on(answer: &AssistantMessage, request: &Request) -> (f64, f64) {
    let usage = answer.usage;
    let price = |counts| {
        let prices = request.model.fields().get("cost");
        prices.map_or(0.0, |prices| total_cost(counts, &to_text(prices)))
    };
    if !is_reported(&usage) {
        let input = estimate(&asked(request), request.messages.iter().flat_map(|message| content(message)));
        let output = estimate(&answered(answer), &answer.content);
        return (input + output, price([input, output, 0.0, 0.0, f64::NAN]));
    }
    let Usage { input, output, cache_read, cache_write, cost, .. } = usage;
    let sum = input + output + cache_read + cache_write;
    let said = cost.total > 0.0 || cost.total_from_provider == Some(true);
    let counts = [input, output, cache_read, cache_write, usage.cache_write_1h.unwrap_or(f64::NAN)];
    let tokens = if usage.total_tokens == 0.0 { sum } else { usage.total_tokens };
    (tokens, if said { cost.total } else { price(counts) })
}

/// No response is free of tokens, so all zero can only mean that nobody reported any.
fn is_reported(usage: &Usage) -> bool {
    let Usage { input, output, cache_read, cache_write, total_tokens, .. } = *usage;
    [input, output, cache_read, cache_write, total_tokens].iter().any(|count| *count > 0.0)
}

fn asked(request: &Request) -> String {
    let mut out = Json::default();
    out.object(|out| {
        if let Some(prompt) = &request.system_prompt {
            out.text("systemPrompt", prompt);
        }
        out.list("messages", &request.messages, |out, message| out.message(message));
        if let Some(tools) = &request.tools {
            out.list("tools", tools, Json::declaration);
        }
    });
    out.0
}

fn answered(answer: &AssistantMessage) -> String {
    let mut out = Json::default();
    out.object(|out| out.list("content", &answer.content, Json::block));
    out.0
}

fn content(message: &AgentMessage) -> &[Content] {
    match message {
        AgentMessage::User(message) => &message.content,
        AgentMessage::ToolResult(message) => &message.content,
        _ => &[],
    }
}

/// Tokens of a JSON text that has these blocks in it.
fn estimate<'a>(text: &str, blocks: impl IntoIterator<Item = &'a Content>) -> f64 {
    let (mut length, mut images) = (text.encode_utf16().count(), 0.0);
    for block in blocks {
        if let Content::Image { data, mime_type } = block {
            length = length.saturating_sub(data.len() + mime_type.len());
            images += 1.0;
        }
    }
    (length as f64 / CHARACTERS_PER_TOKEN).ceil() + images * TOKENS_PER_IMAGE
}
