//! pi's own protocol to a backend (PROVIDERS 9): the transcript goes as it is, the events come back as in the protocol
//! between a page and its own server, of which this is a dialect.

use crate::http::WireError;
use crate::request::{Made, Request};

/// Name of this API in a model.
pub(crate) const API: &str = "pi-messages";

/// The options that travel.
const SENT: [&str; 7] =
    ["temperature", "maxTokens", "reasoning", "cacheRetention", "sessionId", "toolChoice", "responseSchema"];

/// Builds a request: prompt and tools become a system message in front of the others.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) -> Result<(), WireError> {
    let (context, out) = (request.context, &mut made.body);
    let (prompt, tools) = (context.literal("systemPrompt"), context.at("tools"));
    let has_tools = tools.items().next().is_some();
    out.key("model").string(&request.model.id);
    out.put(r#""context":{"messages":["#);
    if !prompt.is_empty() || has_tools {
        out.put(r#"{"role":"system","content":"#).literal(prompt);
        out.member("toolsAdded", has_tools.then(|| tools.span()));
        out.put(r#""timestamp":0}"#);
    }
    out.members_of(context.source("messages", b'[').unwrap_or_default());
    out.put(r#"]},"options":{"#);
    for (name, value) in request.options.at.members() {
        if value.span() != "null" && SENT.iter().any(|sent| name.is(sent)) {
            out.key(&name.text()).raw(value.span());
        }
    }
    out.close();
    made.url.push_str("/messages");
    Ok(())
}
