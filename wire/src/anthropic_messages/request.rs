//! The body around the messages, thinking, and the headers.

use super::{messages, tools};
use crate::body::copilot_headers;
use crate::cache_mark::cache_control;
use crate::compat::{Affinity, Compat, Flag};
use crate::doc::{At, Node};
use crate::ids;
use crate::model::{Level, Model};
use crate::request::{Made, Request};
use crate::transcript::Target;
use crate::write::Writer;

/// Fewest tokens of thinking that the API takes, and what is left for the answer beside them.
const LEAST: f64 = 1024.0;
/// For a model that does not say how much it can answer.
const USUAL_MAX: f64 = 4096.0;

const INTERLEAVED: &str = "interleaved-thinking-2025-05-14";
const FINE_GRAINED: &str = "fine-grained-tool-streaming-2025-05-14";

/// How much the model may say and think.
struct Limits<'a> {
    max_tokens: f64,
    /// Of these, tokens to think with, for a model that is told a number; else NaN.
    budget: f64,
    /// How hard a model should try that decides itself; absent for any other.
    effort: At<'a>,
}

/// Builds a Messages request.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) {
    let compat = Compat::of(&request.model);
    let strict = compat.has(Flag::StrictTools);
    let refused = tools::REFUSED;
    request.converse(&Target { in_place: false, ids: ids::word, grammar: false, strict, refused }, made);
    let limits = Limits::of(request, &compat);
    made.url.push_str("/v1/messages");
    headers(request, &compat, &limits, made);

    let (model, options, out) = (&request.model, &request.options, &mut made.body);
    let marker = cache_control(options.retention, compat.has(Flag::LongRetention));
    out.key("model").string(&model.id);
    out.key("max_tokens").number(limits.max_tokens);
    out.put(r#""stream":true"#);
    if !Node::of(&["\"", &request.prompt, "\""].concat()).is_blank() {
        out.put(r#""system":[{"type":"text","text":"#).quoted(&request.prompt);
        out.member("cache_control", marker);
        out.put("}]");
    }
    messages::write(out, &request.messages, compat.has(Flag::EmptySignature), marker);
    if !request.tools.is_empty() {
        let marker = if compat.has(Flag::CacheControlOnTools) { marker } else { At::default() };
        tools::write(out, request, &compat, marker);
        tool_choice(out, options.tool_choice);
    }
    limits.write(out, model);
    let (adaptive, schema) = (!limits.effort.is_absent(), options.response_schema);
    if adaptive || !schema.is_absent() {
        out.put(r#""output_config":{"#);
        out.member("effort", limits.effort);
        if !schema.is_absent() {
            out.put(r#""format":{"type":"json_schema","schema":"#).value(schema);
            out.close();
        }
        out.close();
    }
    if compat.has(Flag::Temperature) && limits.budget.is_nan() && !adaptive {
        out.number_member("temperature", options.temperature);
    }
    let user = options.at.at("metadata").string("user_id");
    if !user.is_absent() {
        out.put(r#""metadata":{"user_id":"#).value(user);
        out.close();
    }
}

impl<'a> Limits<'a> {
    fn of(request: &Request<'a>, compat: &Compat<'_>) -> Self {
        let model = &request.model;
        let wanted = request.options.max_tokens();
        let most = if model.max_tokens > 0.0 { model.max_tokens } else { USUAL_MAX };
        let asks = wanted > 0.0;
        let max_tokens = if asks { wanted } else { most }.min(request.room);
        let mut limits = Self { max_tokens, budget: f64::NAN, effort: At::default() };
        let Some(level) = request.level else {
            return limits;
        };
        if compat.has(Flag::AdaptiveThinking) {
            limits.effort = effort(model, level);
            return limits;
        }
        let budget = request.thinking_budget(f64::INFINITY);
        // What the caller wants is meant for the answer; the thinking comes on top of it.
        let max_tokens = if asks { most.min(wanted + budget) } else { most }.min(request.room);
        let rest = max_tokens - if asks { wanted.min(LEAST) } else { LEAST };
        if budget >= LEAST && rest >= LEAST {
            limits.max_tokens = max_tokens;
            limits.budget = budget.min(rest);
        }
        limits
    }

    fn write(&self, out: &mut Writer, model: &Model<'_>) {
        if !self.budget.is_nan() {
            out.put(r#""thinking":{"type":"enabled","budget_tokens":"#).number(self.budget);
            out.put(r#""display":"summarized"}"#);
        } else if !self.effort.is_absent() {
            out.put(r#""thinking":{"type":"adaptive","display":"summarized"}"#);
        } else if model.reasoning && !model.lacks(Level::Off) {
            out.put(r#""thinking":{"type":"disabled"}"#);
        }
    }
}

/// The provider's word for a level; it has no word for the lowest ones and the highest.
fn effort<'a>(model: &Model<'a>, level: Level) -> At<'a> {
    model.mapped(level).only(b'"').or(level.clamp(Level::Low, Level::High).word())
}

/// A word, or an object that goes as it is.
fn tool_choice(out: &mut Writer, choice: At<'_>) {
    if choice.is_object() {
        out.member("tool_choice", choice);
    } else if !choice.is_absent() {
        out.put(r#""tool_choice":{"type":"#).value(choice);
        out.close();
    }
}

/// The fewest headers that do (PROVIDERS 2). A configured `anthropic-beta` replaces the one set here.
fn headers(request: &Request<'_>, compat: &Compat<'_>, limits: &Limits<'_>, made: &mut Made) {
    copilot_headers(request, made);
    let headers = &mut made.headers;
    headers.set("anthropic-version", "2023-06-01");
    headers.set("anthropic-dangerous-direct-browser-access", "true");
    let plain_streaming = !compat.has(Flag::EagerToolInput) && !request.tools.is_empty();
    match (!limits.budget.is_nan(), plain_streaming) {
        (true, true) => headers.set("anthropic-beta", &[FINE_GRAINED, ",", INTERLEAVED].concat()),
        (true, false) => headers.set("anthropic-beta", INTERLEAVED),
        (false, true) => headers.set("anthropic-beta", FINE_GRAINED),
        (false, false) => {}
    }
    // Only Copilot, which exchanges keys for tokens, takes a bearer here.
    let key = &request.options.api_key;
    if !key.is_empty() && request.model.provider != "github-copilot" {
        headers.remove("authorization");
        headers.set("x-api-key", key);
    }
    let session = request.options.session.as_text();
    if !session.is_empty() && compat.has(Flag::SessionAffinity) {
        let router = compat.affinity() == Affinity::Router;
        headers.set(if router { "x-session-id" } else { "x-session-affinity" }, &session);
    }
}
