//! The body around the messages, and the headers.

use super::compat::{Affinity, CacheKey, Compat};
use super::messages::{self, Conversation};
use super::{thinking, tools::Tools};
use crate::body::{self, Body};
use crate::cache_mark::cache_control;
use crate::context::{Body as MessageBody, Message, Part};
use crate::http::{base_of, Headers, HttpRequest, WireError};
use crate::json::{JsonError, Reader};
use crate::literal::Literal;
use crate::read;
use crate::request::{Request, Retention};
use crate::text::{has, json_fault};
use crate::transcript::{fold, hand_off};

/// Builds a Chat Completions request.
pub(crate) fn request(mut request: Request<'_>) -> Result<HttpRequest, WireError> {
    let broken = |error: JsonError| WireError::invalid(json_fault("The request is not valid JSON: ", &error));
    let compat = Compat::of(&request.model).map_err(broken)?;
    let max_tokens = request.max_tokens();
    let (head, messages) = fold(std::mem::take(&mut request.context), compat.supports_mid_convo_system_messages);
    let messages = hand_off(messages, &request.model, &messages::Ids { openai: request.model.provider == "openai" });
    let tools = Tools::new(head.tools, &compat)?;
    let marker = cache_control(request.options.retention, compat.supports_long_retention);
    let cache_control = marker.filter(|_| compat.cache_control);
    let headers = headers(&request, &compat, &messages);

    let sampling = request.sampling().map_err(broken)?;
    let mut body = Body::new(&sampling);
    let model = &request.model;
    let options = &request.options;
    let level = request.level();
    let mut outcome = Ok(());
    body.text("model", Some(&model.id));
    if let Some(out) = body.member("messages") {
        let conversation =
            Conversation { model, compat: &compat, grammar: &tools.grammar, prompt: &head.prompt, cache_control };
        outcome = conversation.write(out, &messages);
    }
    outcome?;
    body.bool("stream", true);
    session(&mut body, &compat, &request);
    if compat.supports_usage_in_streaming {
        body.object("stream_options", |out| out.key("include_usage").bool(true));
    }
    if compat.supports_store {
        body.bool("store", false);
    }
    if max_tokens > 0.0 {
        let field = if compat.plain_max_tokens { "max_tokens" } else { "max_completion_tokens" };
        body.number(field, Some(max_tokens));
    }
    body.number("temperature", options.temperature);
    let has_history = || messages.iter().any(is_tool_history);
    if !tools.is_empty() {
        let written = body.member("tools").map(|out| tools.write(out, &compat, cache_control));
        written.transpose()?;
        if compat.zai_tool_stream {
            body.bool("tool_stream", true);
        }
        body.raw("tool_choice", options.tool_choice);
    } else if compat.requires_tools_with_tool_history && has_history() {
        body.raw("tools", Some("[]"));
    }
    body.response_format(options.response_schema);
    body.raw("priority", compat.vllm_priority);
    let ceiling = if max_tokens > 0.0 { max_tokens } else { model.max_tokens };
    let budget = level.and_then(|level| request.thinking_budget(level, ceiling)).filter(|_| model.reasoning);
    thinking::write(&mut body, model, &compat, level, budget).map_err(broken)?;
    if let Some(field) = &compat.budget_field {
        body.number(field, budget);
    }
    body.raw("provider", compat.open_router_routing.filter(|_| has_member(model.compat, "openRouterRouting")));
    if let Some(routing) = compat.vercel_gateway_routing {
        gateway(&mut body, routing).map_err(broken)?;
    }
    let text = body.into_text();
    let url = [base_of(&request.model.base_url), "/chat/completions"].concat();
    Ok(request.finish(url, headers, text, &tools.grammar))
}

/// The session, where it helps the provider to find its cache.
fn session(body: &mut Body<'_>, compat: &Compat<'_>, request: &Request<'_>) {
    let long = request.options.retention == Retention::Long && compat.supports_long_retention;
    let wanted = match compat.cache_key {
        CacheKey::Enabled => true,
        CacheKey::Disabled => false,
        CacheKey::Auto => long || has(&request.model.base_url, "api.openai.com"),
    };
    if let Some(session) = request.options.cached_session().filter(|_| wanted) {
        body.text("prompt_cache_key", Some(&body::cache_key(session)));
    }
    if long {
        body.text("prompt_cache_retention", Some("24h"));
    }
}

/// Preferences of the Vercel gateway.
fn gateway(body: &mut Body<'_>, routing: &str) -> Result<(), JsonError> {
    let mut kept: Vec<(&str, &str)> = Vec::new();
    read::members(&mut Reader::new(routing), |key, reader| {
        let value = reader.raw()?;
        kept.extend(["only", "order"].into_iter().find(|name| *name == key).map(|name| (name, value)));
        Ok(())
    })?;
    if !kept.is_empty() {
        body.object("providerOptions", |out| {
            out.key("gateway").object(|out| kept.iter().for_each(|(name, value)| out.key(name).raw(value)));
        });
    }
    Ok(())
}

fn has_member(object: Option<&str>, name: &str) -> bool {
    let mut found = false;
    let _ = read::members(&mut Reader::new(object.unwrap_or("{}")), |key, reader| {
        found |= key == name;
        reader.skip()
    });
    found
}

fn is_tool_history(message: &Message<'_>) -> bool {
    match &message.body {
        MessageBody::Result(_) => true,
        MessageBody::Assistant(assistant) => assistant.parts.iter().any(|part| matches!(part, Part::Call(_))),
        _ => false,
    }
}

pub(crate) fn headers(request: &Request<'_>, compat: &Compat<'_>, messages: &[Message<'_>]) -> Headers {
    let mut headers = body::headers(request, messages);
    if let Some(session) = request.options.cached_session().filter(|_| compat.send_session_affinity) {
        affinity(&mut headers, compat.affinity, session);
    }
    headers
}

fn affinity(headers: &mut Headers, form: Affinity, session: Literal<'_>) {
    let session = session.text();
    if form == Affinity::Router {
        return headers.set("x-session-id", session);
    }
    if form == Affinity::Full {
        headers.set("session_id", session.as_ref());
    }
    headers.set("x-client-request-id", session.as_ref());
    headers.set("x-session-affinity", session);
}
