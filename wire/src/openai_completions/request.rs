//! The body around the messages, and the headers.

use super::messages::{self, Conversation};
use super::{thinking, tools};
use crate::body::{cache_key, copilot_headers, response_format};
use crate::cache_mark::cache_control;
use crate::compat::{Affinity, Compat, Flag};
use crate::context::Block;
use crate::doc::At;
use crate::request::{Made, Request, Retention};
use crate::text::has;
use crate::write::Writer;

/// Builds a Chat Completions request.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) {
    let compat = Compat::of(&request.model);
    let ids = if request.model.provider == "openai" { messages::short_id } else { messages::long_id };
    request.converse(&compat.target(ids), made);
    made.url.push_str("/chat/completions");
    headers(request, &compat, made);

    let (model, options, out, max_tokens) = (&request.model, &request.options, &mut made.body, request.max_tokens());
    let mut marker = At::default();
    if compat.has(Flag::CacheControl) {
        marker = cache_control(options.retention, compat.has(Flag::LongRetention));
    }
    out.key("model").string(&model.id);
    Conversation { out, request, compat: &compat }.write(marker);
    out.key("stream").bool(true);
    session(out, &compat, request);
    if compat.has(Flag::UsageInStreaming) {
        out.put(r#""stream_options":{"include_usage":true}"#);
    }
    if compat.has(Flag::Store) {
        out.put(r#""store":false"#);
    }
    if max_tokens > 0.0 {
        out.key(if compat.has(Flag::PlainMaxTokens) { "max_tokens" } else { "max_completion_tokens" })
            .number(max_tokens);
    }
    out.number_member("temperature", options.temperature);
    if !request.tools.is_empty() {
        tools::write(out, request, compat.has(Flag::StrictMode), false, marker);
        if compat.has(Flag::ZaiToolStream) {
            out.put(r#""tool_stream":true"#);
        }
        out.member("tool_choice", options.tool_choice);
    } else if compat.has(Flag::ToolsWithToolHistory) && request.messages.iter().any(|message| message.has(Block::Call))
    {
        out.put(r#""tools":[]"#);
    }
    response_format(out, options.response_schema);
    out.number_member("priority", compat.at.number("vllmPriority"));
    let ceiling = if max_tokens > 0.0 { max_tokens } else { model.max_tokens };
    let budget = request.thinking_budget(ceiling);
    if model.reasoning {
        thinking::write(out, request, &compat, budget);
        let field = compat.at.text("thinkingTokenBudgetField");
        if !field.is_empty() {
            out.number_member(&field, budget);
        } else if compat.has(Flag::ThinkingTokenBudget) {
            out.number_member("thinking_token_budget", budget);
        }
    }
    out.member("provider", compat.at.at("openRouterRouting").only(b'{'));
    gateway(out, &compat);
    request.add_sampling(out);
}

/// The session, where it helps the provider to find its cache.
fn session(out: &mut Writer, compat: &Compat<'_>, request: &Request<'_>) {
    let options = &request.options;
    let long = options.retention == Retention::Long && compat.has(Flag::LongRetention);
    let mode = compat.at.at("promptCacheKeyMode");
    let wanted = mode.is("enabled") || !mode.is("disabled") && (long || has(&request.model.base_url, "api.openai.com"));
    if wanted && !options.session.is_empty() {
        out.key("prompt_cache_key").string(&cache_key(options.session));
    }
    if long {
        out.put(r#""prompt_cache_retention":"24h""#);
    }
}

/// Preferences of the Vercel gateway.
fn gateway(out: &mut Writer, compat: &Compat<'_>) {
    let routing = compat.at.at("vercelGatewayRouting");
    let before = out.len();
    out.put(r#""providerOptions":{"gateway":{"#);
    let empty = out.len();
    for name in ["only", "order"] {
        out.member(name, routing.at(name));
    }
    if out.len() == empty {
        return out.truncate(before);
    }
    out.put("}}");
}

/// Adds the headers of a host of OpenAI's protocols.
pub(crate) fn headers(request: &Request<'_>, compat: &Compat<'_>, made: &mut Made) {
    copilot_headers(request, made);
    let session = request.options.session.as_text();
    if session.is_empty() || !compat.has(Flag::SessionAffinity) {
        return;
    }
    let affinity = compat.affinity();
    if affinity == Affinity::Router {
        return made.headers.set("x-session-id", &session);
    }
    if affinity == Affinity::Full {
        made.headers.set("session_id", &session);
    }
    made.headers.set("x-client-request-id", &session);
    made.headers.set("x-session-affinity", &session);
}
