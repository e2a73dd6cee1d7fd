//! The body around the conversation, and the headers.

use super::family::Family;
use super::{messages, thinking, tools};
use crate::ids;
use crate::request::{Made, Request};
use crate::text::has;
use crate::transcript::Target;

/// Builds a request for a streamed answer.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) {
    let family_name = request.model.id.clone();
    let family = Family::of(&family_name);
    let strict = family.is_third();
    request.converse(&Target { in_place: false, ids: ids::word, grammar: false, strict, refused: &[] }, made);
    let (options, out, max_tokens) = (&request.options, &mut made.body, request.max_tokens());
    messages::write(out, &request.messages, &family);
    if !request.prompt.is_empty() {
        out.put(r#""systemInstruction":{"parts":[{"text":"#).quoted(&request.prompt);
        out.put("}]}");
    }
    if !request.tools.is_empty() {
        tools::write(out, request);
    }
    out.put(r#""generationConfig":{"#);
    out.number_member("temperature", options.temperature);
    if max_tokens > 0.0 {
        out.number_member("maxOutputTokens", max_tokens);
    }
    // Older models refuse both together. Tools may also come in the conversation.
    if !options.response_schema.is_absent() && (family.is_third() || request.tools.is_empty()) {
        let schema = tools::without_const(options.response_schema.span());
        out.put(r#""responseMimeType":"application/json","responseJsonSchema":"#).raw(&schema);
    }
    thinking::write(out, request, &family);
    out.close();

    // Not in the address: addresses end up in logs.
    if !options.api_key.is_empty() {
        made.headers.remove("authorization");
        made.headers.set("x-goog-api-key", &options.api_key);
    }
    let id = request.model.id.as_ref();
    // Tuned models have a path of their own.
    made.url.push_str(if has(id, "/") { "/" } else { "/models/" });
    made.url.push_str(id);
    made.url.push_str(":streamGenerateContent?alt=sse");
}
