//! The body around the conversation.

use super::input::{Conversation, Ids};
use crate::body::{self, Body};
use crate::http::{base_of, HttpRequest, WireError};
use crate::json::JsonError;
use crate::model::{Level, Mapped, Model};
use crate::openai_completions::{headers, Compat, Tools};
use crate::request::{response_form, Request, Retention};
use crate::text::json_fault;
use crate::transcript::{fold, hand_off};

/// The smallest answer one may ask for.
const FEWEST_TOKENS: f64 = 16.0;

/// Builds a request.
pub(crate) fn request(mut request: Request<'_>) -> Result<HttpRequest, WireError> {
    let broken = |error: JsonError| WireError::invalid(json_fault("The request is not valid JSON: ", &error));
    let compat = Compat::of(&request.model).map_err(broken)?;
    let max_tokens = request.max_tokens();
    let (head, messages) = fold(std::mem::take(&mut request.context), compat.supports_mid_convo_system_messages);
    let messages = hand_off(messages, &request.model, &Ids);
    let tools = Tools::new(head.tools, &compat)?.flat();
    let headers = headers(&request, &compat, &messages);
    let sampling = request.sampling().map_err(broken)?;
    let mut body = Body::new(&sampling);
    let (model, options) = (&request.model, &request.options);
    body.text("model", Some(&model.id));
    if let Some(out) = body.member("input") {
        let developer = model.reasoning && compat.supports_developer_role;
        Conversation { model, developer, grammar: &tools.grammar, prompt: &head.prompt }.write(out, &messages);
    }
    body.bool("stream", true);
    body.bool("store", false);
    session(&mut body, &compat, &request);
    if max_tokens > 0.0 && compat.supports_max_output_tokens {
        body.number("max_output_tokens", Some(max_tokens.max(FEWEST_TOKENS)));
    }
    body.number("temperature", options.temperature);
    if !tools.is_empty() {
        let written = body.member("tools").map(|out| tools.write(out, &compat, None));
        written.transpose()?;
        body.raw("tool_choice", options.tool_choice);
    }
    if let Some(schema) = options.response_schema {
        body.object("text", |out| {
            out.key("format").object(|out| {
                out.key("type").string("json_schema");
                response_form(out, schema);
            });
        });
    }
    if model.reasoning {
        reasoning(&mut body, model, request.level().map(|level| model.levels.word(level)));
    }
    let text = body.into_text();
    let url = [base_of(&model.base_url), "/responses"].concat();
    Ok(request.finish(url, headers, text, &tools.grammar))
}

/// Where the provider finds what it cached, and for how long it keeps it.
fn session(body: &mut Body<'_>, compat: &Compat<'_>, request: &Request<'_>) {
    if let Some(session) = request.options.cached_session() {
        body.text("prompt_cache_key", Some(&body::cache_key(session)));
    }
    if request.options.retention == Retention::Long {
        if compat.supports_explicit_cache {
            body.object("prompt_cache_options", |out| out.key("ttl").string("30m"));
        } else if compat.supports_long_retention {
            body.text("prompt_cache_retention", Some("24h"));
        }
    }
}

/// `word` is the provider's word for the level asked for. Nothing is stored there, so what it thought must come along
/// to be given back.
fn reasoning(body: &mut Body<'_>, model: &Model<'_>, word: Option<&str>) {
    let off = match model.levels.get(Level::Off) {
        Mapped::Never => None,
        Mapped::To(word) => Some(word.as_ref()),
        Mapped::Absent => Some("none"),
    };
    let effort = word.or(off.filter(|_| model.provider != "github-copilot"));
    if let Some(effort) = effort {
        body.object("reasoning", |out| {
            out.key("effort").string(effort);
            if word.is_some() {
                out.key("summary").string("auto");
            }
        });
    }
    // xAI thinks whatever it is told.
    if word.is_some() || model.provider == "xai" {
        body.raw("include", Some(r#"["reasoning.encrypted_content"]"#));
    }
}
