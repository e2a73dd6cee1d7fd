//! The body around the conversation.

use super::input::{call_id, Conversation};
use crate::body::cache_key;
use crate::compat::{Compat, Flag};
use crate::doc::{At, Node};
use crate::model::Level;
use crate::openai_completions::{headers, write_tools};
use crate::request::{response_form, Made, Request, Retention};
use crate::write::Writer;

/// The smallest answer one may ask for.
const FEWEST_TOKENS: f64 = 16.0;

static NONE: Node<'static> = Node::of("\"none\"");

/// Builds a request.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) {
    let compat = Compat::of(&request.model);
    request.converse(&compat.target(call_id), made);
    made.url.push_str("/responses");
    headers(request, &compat, made);

    let out = &mut made.body;
    let (model, options, max_tokens) = (&request.model, &request.options, request.max_tokens());
    out.key("model").string(&model.id);
    let developer = model.reasoning && compat.has(Flag::DeveloperRole);
    Conversation { request, developer }.write(out);
    out.put(r#""stream":true,"store":false"#);
    session(out, &compat, request);
    if max_tokens > 0.0 && compat.has(Flag::MaxOutputTokens) {
        out.key("max_output_tokens").number(max_tokens.max(FEWEST_TOKENS));
    }
    out.number_member("temperature", options.temperature);
    if !request.tools.is_empty() {
        write_tools(out, request, compat.has(Flag::StrictMode), true, At::default());
        out.member("tool_choice", options.tool_choice);
    }
    if !options.response_schema.is_absent() {
        out.put(r#""text":{"format":{"type":"json_schema""#);
        response_form(out, options.response_schema);
        out.put("}}");
    }
    if model.reasoning {
        reasoning(out, request);
    }
    request.add_sampling(out);
}

/// Where the provider finds what it cached, and for how long it keeps it.
fn session(out: &mut Writer, compat: &Compat<'_>, request: &Request<'_>) {
    let options = &request.options;
    if !options.session.is_empty() {
        out.key("prompt_cache_key").string(&cache_key(options.session));
    }
    if options.retention == Retention::Long {
        if compat.has(Flag::ExplicitCache) {
            out.put(r#""prompt_cache_options":{"ttl":"30m"}"#);
        } else if compat.has(Flag::LongRetention) {
            out.put(r#""prompt_cache_retention":"24h""#);
        }
    }
}

/// Nothing is stored there, so what it thought must come along to be given back.
fn reasoning(out: &mut Writer, request: &Request<'_>) {
    let model = &request.model;
    // The provider's word for the level asked for, or for none.
    let on = request.level.is_some();
    let effort = match request.level {
        Some(level) => model.word(level),
        None => model.mapped(Level::Off).only(b'"').or(&NONE),
    };
    if on || !model.lacks(Level::Off) && model.provider != "github-copilot" {
        out.put(r#""reasoning":{"effort":"#).value(effort);
        if on {
            out.put(r#""summary":"auto""#);
        }
        out.close();
    }
    // xAI thinks whatever it is told.
    if on || model.provider == "xai" {
        out.put(r#""include":["reasoning.encrypted_content"]"#);
    }
}
