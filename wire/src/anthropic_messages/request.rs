//! The body around the messages, thinking, and the headers.

use super::{messages, tools};
use crate::body::copilot_headers;
use crate::cache_mark::cache_control;
use crate::compat::{Affinity, Compat, Flag};
use crate::http::WireError;
use crate::ids;
use crate::literal::Literal;
use crate::model::{Level, Mapped, Model};
use crate::request::{Made, Request};
use crate::tools::Can;
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
    /// Of these, tokens to think with, for a model that is told a number.
    budget: Option<f64>,
    /// How hard a model should try that decides itself.
    effort: Option<Literal<'a>>,
}

/// Builds a Messages request.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) -> Result<(), WireError> {
    let compat = Compat::of(&request.model);
    request.converse(false, ids::word);
    request.declare(&Can { grammar: false, strict: compat.has(Flag::StrictTools), refused: &tools::REFUSED })?;
    let limits = Limits::of(request, &compat);
    made.url.push_str("/v1/messages");
    headers(request, &compat, &limits, made);

    let (model, options, out) = (&request.model, &request.options, &mut made.body);
    let marker = cache_control(options.retention, compat.has(Flag::LongRetention));
    out.key("model").string(&model.id);
    out.key("max_tokens").number(limits.max_tokens);
    out.put(r#""stream":true"#);
    if !Literal::of_span(&["\"", &request.prompt, "\""].concat()).is_blank() {
        out.put(r#""system":[{"type":"text","text":"#).quoted(&request.prompt);
        out.member("cache_control", marker);
        out.put("}]");
    }
    messages::write(out, &request.messages, compat.has(Flag::EmptySignature), marker);
    if !request.tools.is_empty() {
        tools::write(out, request, &compat, marker.filter(|_| compat.has(Flag::CacheControlOnTools)));
        if let Some(choice) = options.tool_choice {
            tool_choice(out, choice);
        }
    }
    limits.write(out, model);
    if limits.effort.is_some() || options.response_schema.is_some() {
        out.put(r#""output_config":{"#);
        out.member("effort", limits.effort.map(Literal::span));
        if let Some(schema) = options.response_schema {
            out.put(r#""format":{"type":"json_schema","schema":"#).raw(schema);
            out.close();
        }
        out.close();
    }
    if compat.has(Flag::Temperature) && limits.budget.is_none() && limits.effort.is_none() {
        out.number_member("temperature", options.temperature);
    }
    if let Some(user) = options.at.at("metadata").at("user_id").as_literal() {
        out.put(r#""metadata":{"user_id":"#).literal(user);
        out.close();
    }
    Ok(())
}

impl<'a> Limits<'a> {
    fn of(request: &Request<'a>, compat: &Compat<'_>) -> Self {
        let model = &request.model;
        let wanted = request.options.max_tokens();
        let most = if model.max_tokens > 0.0 { model.max_tokens } else { USUAL_MAX };
        let mut limits = Self { max_tokens: wanted.unwrap_or(most).min(request.room), budget: None, effort: None };
        let Some(level) = request.level else {
            return limits;
        };
        if compat.has(Flag::AdaptiveThinking) {
            limits.effort = Some(effort(model, level));
        } else if let Some(budget) = request.thinking_budget(level, f64::INFINITY) {
            // What the caller wants is meant for the answer; the thinking comes on top of it.
            let max_tokens = wanted.map_or(most, |wanted| most.min(wanted + budget)).min(request.room);
            let budget = budget.min(max_tokens - wanted.unwrap_or(LEAST).min(LEAST));
            if budget >= LEAST {
                limits.max_tokens = max_tokens;
                limits.budget = Some(budget);
            }
        }
        limits
    }

    fn write(&self, out: &mut Writer, model: &Model<'_>) {
        if let Some(budget) = self.budget {
            out.put(r#""thinking":{"type":"enabled","budget_tokens":"#).number(budget);
            out.put(r#""display":"summarized"}"#);
        } else if self.effort.is_some() {
            out.put(r#""thinking":{"type":"adaptive","display":"summarized"}"#);
        } else if model.reasoning && !matches!(model.mapped(Level::Off), Mapped::Never) {
            out.put(r#""thinking":{"type":"disabled"}"#);
        }
    }
}

/// The provider's word for a level; it has no word for the lowest ones and the highest.
fn effort<'a>(model: &Model<'a>, level: Level) -> Literal<'a> {
    match (model.mapped(level), level) {
        (Mapped::To(word), _) => word,
        (_, Level::Minimal) => Level::Low.word(),
        (_, level) => level.min(Level::High).word(),
    }
}

/// A word, or an object that goes as it is.
fn tool_choice(out: &mut Writer, choice: &str) {
    out.key("tool_choice");
    if choice.starts_with('{') {
        return out.raw(choice);
    }
    out.put(r#"{"type":"#).raw(choice);
    out.close();
}

/// The fewest headers that do (PROVIDERS 2). A configured `anthropic-beta` replaces the one set here.
fn headers(request: &Request<'_>, compat: &Compat<'_>, limits: &Limits<'_>, made: &mut Made) {
    copilot_headers(request, made);
    let headers = &mut made.headers;
    headers.set("anthropic-version", "2023-06-01");
    headers.set("anthropic-dangerous-direct-browser-access", "true");
    let plain_streaming = !compat.has(Flag::EagerToolInput) && !request.tools.is_empty();
    match (limits.budget.is_some(), plain_streaming) {
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
    let session = request.options.session.text();
    if !session.is_empty() && compat.has(Flag::SessionAffinity) {
        let router = compat.affinity == Affinity::Router;
        headers.set(if router { "x-session-id" } else { "x-session-affinity" }, &session);
    }
}
