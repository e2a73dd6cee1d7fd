//! The body around the conversation, and the headers.

use super::family::Family;
use super::messages::Conversation;
use super::{thinking, tools};
use crate::http::{base_of, Headers, HttpRequest, WireError};
use crate::ids::Word;
use crate::request::Request;
use crate::text::has;
use crate::transcript::{fold, hand_off};
use crate::write::Writer;

/// Builds a request for a streamed answer.
pub(crate) fn request(mut request: Request<'_>) -> Result<HttpRequest, WireError> {
    let max_tokens = request.max_tokens();
    let (head, messages) = fold(std::mem::take(&mut request.context), false);
    let messages = hand_off(messages, &request.model, &Word);
    let family = Family::of(&request.model.id);
    let mut out = Writer::with_capacity(4096);
    out.open();
    out.key("contents");
    Conversation { family: &family }.write(&mut out, &messages);
    if !head.prompt.is_empty() {
        out.key("systemInstruction").object(|out| {
            out.key("parts").array(|out| out.object(|out| out.key("text").joined(|out| out.push_str(&head.prompt))));
        });
    }
    if !head.tools.is_empty() {
        tools::write(&mut out, &head.tools, request.options.tool_choice, family.is_third())?;
    }
    out.key("generationConfig").object(|out| {
        if let Some(temperature) = request.options.temperature {
            out.key("temperature").number(temperature);
        }
        if max_tokens > 0.0 {
            out.key("maxOutputTokens").number(max_tokens);
        }
        // Older models refuse both together. Tools may also come in the conversation.
        if let Some(schema) = request.options.response_schema.filter(|_| family.is_third() || head.tools.is_empty()) {
            out.key("responseMimeType").string("application/json");
            out.key("responseJsonSchema").raw(&tools::without_const(schema));
        }
        thinking::write(out, &request, &family);
    });
    out.close();

    let mut headers = Headers::default();
    headers.set("content-type", "application/json");
    headers.set("accept", "text/event-stream");
    // Not in the address: addresses end up in logs.
    if let Some(key) = &request.options.api_key {
        headers.set("x-goog-api-key", key.as_ref());
    }
    let id = request.model.id.as_ref();
    // Tuned models have a path of their own.
    let folder = if has(id, "/") { "/" } else { "/models/" };
    let url = [base_of(&request.model.base_url), folder, id, ":streamGenerateContent?alt=sse"].concat();
    Ok(request.finish(url, headers, out.into_text(), &[]))
}
