//! The body around the messages.

use super::messages;
use crate::body::response_format;
use crate::http::WireError;
use crate::literal::Literal;
use crate::model::{Level, Mapped};
use crate::openai_completions::write_tools;
use crate::request::{Made, Request};
use crate::tools::Can;
use crate::write::Writer;

/// Builds a request.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) -> Result<(), WireError> {
    request.converse(false, messages::call_id);
    request.declare(&Can { grammar: false, strict: true, refused: &[] })?;
    let (model, options, out) = (&request.model, &request.options, &mut made.body);
    out.key("model").string(&model.id);
    out.put(r#""stream":true"#);
    messages::write(out, request);
    if !request.tools.is_empty() {
        write_tools(out, request, true, false, None);
        out.member("tool_choice", options.tool_choice);
    }
    response_format(out, options.response_schema);
    out.number_member("max_tokens", Some(request.max_tokens()).filter(|tokens| *tokens > 0.0));
    out.number_member("temperature", options.temperature);
    if model.reasoning {
        thinking(out, request);
    }
    // The reference sends the session as a header too; from a page that is one more reason to refuse the preflight.
    out.member("prompt_cache_key", Some(options.session).filter(|session| !session.is_empty()).map(Literal::span));
    // The address is meant without the version; one that has it is no other place.
    let base = made.url.strip_suffix("/v1").map_or(made.url.len(), str::len);
    made.url.truncate(base);
    made.url.push_str("/v1/chat/completions");
    Ok(())
}

/// Writes the member that switches thinking on or off: older models know a mode, those with a map of levels an effort.
fn thinking(out: &mut Writer, request: &Request<'_>) {
    let model = &request.model;
    let plain = Level::ALL.into_iter().all(|level| matches!(model.mapped(level), Mapped::Absent));
    match (request.level, model.mapped(request.level.unwrap_or(Level::Off))) {
        (Some(_), _) if plain => drop(out.put(r#""prompt_mode":"reasoning""#)),
        (_, Mapped::To(word)) => out.key("reasoning_effort").literal(word),
        (Some(_), _) => drop(out.put(r#""reasoning_effort":"high""#)),
        (None, _) => {}
    }
}
