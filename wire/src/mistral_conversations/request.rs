//! The body around the messages.

use super::messages::{self, Ids};
use crate::body::Body;
use crate::http::{base_of, HttpRequest, WireError};
use crate::json::JsonError;
use crate::literal::Literal;
use crate::model::{Level, Mapped, Model};
use crate::openai_completions::{Compat, Tools};
use crate::request::Request;
use crate::text::json_fault;
use crate::transcript::{fold, hand_off};

/// Builds a request.
pub(crate) fn request(mut request: Request<'_>) -> Result<HttpRequest, WireError> {
    let broken = |error: JsonError| WireError::invalid(json_fault("The request is not valid JSON: ", &error));
    // Of what a Chat Completions host can do, only this concerns tools.
    let compat = Compat {
        supports_strict_mode: true,
        supports_grammar_tools: false,
        ..Compat::of(&request.model).map_err(broken)?
    };
    let max_tokens = request.max_tokens();
    let (head, messages) = fold(std::mem::take(&mut request.context), false);
    let messages = hand_off(messages, &request.model, &Ids);
    let tools = Tools::new(head.tools, &compat)?;
    let (model, options) = (&request.model, &request.options);
    let mut body = Body::new(&[]);
    body.text("model", Some(&model.id));
    body.bool("stream", true);
    if let Some(out) = body.member("messages") {
        out.array(|out| messages::write(out, &head.prompt, &messages));
    }
    if !tools.is_empty() {
        body.member("tools").map(|out| tools.write(out, &compat, None)).transpose()?;
        body.raw("tool_choice", options.tool_choice);
    }
    body.response_format(options.response_schema);
    body.number("max_tokens", Some(max_tokens).filter(|tokens| *tokens > 0.0));
    body.number("temperature", options.temperature);
    if let Some((name, word)) = thinking(model, request.level()) {
        body.text(name, Some(word));
    }
    // The reference sends the session as a header too; from a page that is one more reason to refuse the preflight.
    body.raw("prompt_cache_key", options.cached_session().map(Literal::span));
    let base = base_of(&model.base_url);
    // The address is meant without the version; one that has it is no other place.
    let url = [base.strip_suffix("/v1").unwrap_or(base), "/v1/chat/completions"].concat();
    let (headers, body) = (request.bearer_headers(), body.into_text());
    Ok(request.finish(url, headers, body, &[]))
}

/// The member that switches thinking on or off: older models know a mode, those with a map of levels an effort.
fn thinking<'m>(model: &'m Model<'_>, level: Option<Level>) -> Option<(&'static str, &'m str)> {
    if !model.reasoning {
        return None;
    }
    let mapped = model.levels.get(level.unwrap_or(Level::Off));
    match (level, mapped) {
        (Some(_), _) if model.levels.is_empty() => Some(("prompt_mode", "reasoning")),
        (_, Mapped::To(word)) => Some(("reasoning_effort", word)),
        (Some(_), _) => Some(("reasoning_effort", "high")),
        (None, _) => None,
    }
}
