//! pi's own protocol to a backend (PROVIDERS 9): the transcript goes as it is, the events come back as in the protocol
//! between a page and its own server, of which this is a dialect.

use crate::doc::At;
use crate::request::{Made, Request};

/// Name of this API in a model.
pub(crate) const API: &str = "pi-messages";

/// The options that travel.
const SENT: [&str; 7] =
    ["temperature", "maxTokens", "reasoning", "cacheRetention", "sessionId", "toolChoice", "responseSchema"];

/// Builds a request: prompt and tools become a system message in front of the others.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) {
    let (context, out) = (request.context, &mut made.body);
    let (prompt, mut tools) = (context.at("systemPrompt"), context.at("tools"));
    if tools.items().is_empty() {
        tools = At::default();
    }
    out.key("model").string(&request.model.id);
    out.put(r#""context":{"messages":["#);
    if !prompt.is_empty() || !tools.is_absent() {
        out.put(r#"{"role":"system","content":"#).value(prompt.only(b'"'));
        out.member("toolsAdded", tools);
        out.put(r#""timestamp":0}"#);
    }
    out.members_of(context.at("messages").only(b'[').span());
    out.put(r#"]},"options":{"#);
    for value in request.options.at.members() {
        if value.span() != "null" && SENT.iter().any(|sent| value.name().is(sent)) {
            out.member(&value.name().text(), value);
        }
    }
    out.close();
    made.url.push_str("/messages");
}
