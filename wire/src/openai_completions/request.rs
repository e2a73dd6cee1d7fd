//! The body around the messages, and the headers.

use super::compat::{Affinity, CacheKey, Compat};
use super::messages::{self, Conversation};
use super::{thinking, tools::Tools};
use crate::context::{Body as MessageBody, Content, Message, Part};
use crate::http::{base_of, Headers, HttpRequest, WireError};
use crate::json::{JsonError, Reader};
use crate::literal::{clean, Literal};
use crate::read;
use crate::request::{Request, Retention};
use crate::text::{has, json_fault};
use crate::transcript::{fold, hand_off};
use crate::write::Writer;

/// Characters of `prompt_cache_key` that OpenAI takes.
const CACHE_KEY_CHARS: usize = 64;

/// Builds a Chat Completions request.
pub(crate) fn request(mut request: Request<'_>) -> Result<HttpRequest, WireError> {
    let broken = |error: JsonError| WireError::invalid(json_fault("The request is not valid JSON: ", &error));
    let compat = Compat::of(&request.model).map_err(broken)?;
    let max_tokens = request.max_tokens();
    let (head, messages) = fold(std::mem::take(&mut request.context), compat.supports_mid_convo_system_messages);
    let messages = hand_off(messages, &request.model, &messages::Ids { openai: request.model.provider == "openai" });
    let tools = Tools::new(head.tools, &compat)?;
    let cache_control = cache_control(&compat, request.options.retention);
    let headers = headers(&request, &compat, &messages);

    let sampling = request.sampling().map_err(broken)?;
    let mut body = Body { out: Writer::with_capacity(4096), overridden: &sampling };
    let model = &request.model;
    let options = &request.options;
    let level = request.level();
    let mut outcome = Ok(());
    body.out.open();
    body.text("model", Some(&model.id));
    if let Some(out) = body.member("messages") {
        let conversation = Conversation {
            model,
            compat: &compat,
            grammar: &tools.grammar,
            prompt: &head.prompt,
            cache_control: cache_control.as_deref(),
        };
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
        let written = body.member("tools").map(|out| tools.write(out, &compat, cache_control.as_deref()));
        written.transpose()?;
        if compat.zai_tool_stream {
            body.bool("tool_stream", true);
        }
        body.raw("tool_choice", options.tool_choice);
    } else if compat.requires_tools_with_tool_history && has_history() {
        body.raw("tools", Some("[]"));
    }
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
    for (name, value) in &sampling {
        body.out.key(name).raw(value);
    }
    body.out.close();

    let text = body.out.into_text();
    let url = [base_of(&request.model.base_url), "/chat/completions"].concat();
    Ok(request.finish(url, headers, text, &tools.grammar))
}

/// The body being written. Members that the sampling parameters override are left out; those come last.
pub(super) struct Body<'a> {
    out: Writer,
    overridden: &'a [(String, &'a str)],
}

impl Body<'_> {
    /// Where to write a member's value, unless it is overridden.
    fn member(&mut self, name: &str) -> Option<&mut Writer> {
        if self.overridden.iter().any(|param| param.0 == name) {
            return None;
        }
        Some(self.out.key(name))
    }

    pub fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some((value, out)) = value.and_then(|value| Some((value, self.member(name)?))) {
            out.string(value);
        }
    }

    pub fn bool(&mut self, name: &str, value: bool) {
        if let Some(out) = self.member(name) {
            out.bool(value);
        }
    }

    pub fn number(&mut self, name: &str, value: Option<f64>) {
        if let Some((value, out)) = value.and_then(|value| Some((value, self.member(name)?))) {
            out.number(value);
        }
    }

    pub fn raw(&mut self, name: &str, value: Option<&str>) {
        if let Some((value, out)) = value.and_then(|value| Some((value, self.member(name)?))) {
            out.raw(value);
        }
    }

    pub fn object(&mut self, name: &str, members: impl FnOnce(&mut Writer)) {
        if let Some(out) = self.member(name) {
            out.object(members);
        }
    }
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
        let key: String = session.text().chars().take(CACHE_KEY_CHARS).collect();
        body.text("prompt_cache_key", Some(&key));
    }
    if long {
        body.text("prompt_cache_retention", Some("24h"));
    }
}

/// Source of the marker that Anthropic models behind this API want on cacheable parts.
fn cache_control(compat: &Compat<'_>, retention: Retention) -> Option<String> {
    if !compat.cache_control || retention == Retention::None {
        return None;
    }
    let long = retention == Retention::Long && compat.supports_long_retention;
    Some(if long { r#"{"type":"ephemeral","ttl":"1h"}"# } else { r#"{"type":"ephemeral"}"# }.to_owned())
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

/// The fewest headers that do (PROVIDERS 2): each one more is a reason for a host to refuse the preflight.
fn headers(request: &Request<'_>, compat: &Compat<'_>, messages: &[Message<'_>]) -> Headers {
    let mut headers = Headers::default();
    headers.set("content-type", "application/json");
    headers.set("accept", "text/event-stream");
    if let Some(key) = &request.options.api_key {
        headers.set("authorization", ["Bearer ", key].concat());
    }
    if request.model.provider == "github-copilot" {
        let by_user = matches!(messages.last().map(|last| &last.body), Some(MessageBody::User(_)) | None);
        headers.set("x-initiator", if by_user { "user" } else { "agent" });
        headers.set("openai-intent", "conversation-edits");
        if messages.iter().any(has_image) {
            headers.set("copilot-vision-request", "true");
        }
    }
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

fn has_image(message: &Message<'_>) -> bool {
    let parts = match &message.body {
        MessageBody::User(Content::Parts(parts)) => parts,
        MessageBody::Result(result) => &result.parts,
        _ => return false,
    };
    parts.iter().any(|part| matches!(part, Part::Image { .. }))
}

/// Writes a data URL of an image, in its escaped form.
pub(super) fn data_url<'a>(mime: Literal<'a>, data: Literal<'a>) -> impl FnOnce(&mut String) + 'a {
    move |out| {
        out.push_str("data:");
        out.push_str(&clean(mime.inner()));
        out.push_str(";base64,");
        out.push_str(&clean(data.inner()));
    }
}
