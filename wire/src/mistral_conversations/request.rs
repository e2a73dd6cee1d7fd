//! The body around the messages.

use super::messages;
use crate::body::response_format;
use crate::doc::At;
use crate::model::Level;
use crate::openai_completions::write_tools;
use crate::request::{Made, Request};
use crate::transcript::Target;
use crate::write::Writer;

/// Builds a request.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) {
    let ids = messages::call_id;
    request.converse(&Target { in_place: false, ids, grammar: false, strict: true, refused: &[] }, made);
    let (model, options, out) = (&request.model, &request.options, &mut made.body);
    out.key("model").string(&model.id);
    out.put(r#""stream":true"#);
    messages::write(out, request);
    if !request.tools.is_empty() {
        write_tools(out, request, true, false, At::default());
        out.member("tool_choice", options.tool_choice);
    }
    response_format(out, options.response_schema);
    let max_tokens = request.max_tokens();
    if max_tokens > 0.0 {
        out.number_member("max_tokens", max_tokens);
    }
    out.number_member("temperature", options.temperature);
    if model.reasoning {
        thinking(out, request);
    }
    // The reference sends the session as a header too; from a page that is one more reason to refuse the preflight.
    if !options.session.is_empty() {
        out.member("prompt_cache_key", options.session);
    }
    // The address is meant without the version; one that has it is no other place.
    let base = made.url.strip_suffix("/v1").map_or(made.url.len(), str::len);
    made.url.truncate(base);
    made.url.push_str("/v1/chat/completions");
}

/// Writes the member that switches thinking on or off: older models know a mode, those with a map of levels an effort.
fn thinking(out: &mut Writer, request: &Request<'_>) {
    let model = &request.model;
    let plain = !Level::ALL.into_iter().any(|level| matches!(model.mapped(level).first(), b'"' | b'n'));
    let on = request.level.is_some();
    let word = model.mapped(request.level.unwrap_or(Level::Off)).only(b'"');
    if on && plain {
        out.put(r#""prompt_mode":"reasoning""#);
    } else if !word.is_absent() {
        out.member("reasoning_effort", word);
    } else if on {
        out.put(r#""reasoning_effort":"high""#);
    }
}
