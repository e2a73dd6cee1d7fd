//! The body around the messages, thinking, and the headers.

use super::compat::Compat;
use super::{messages, tools};
use crate::body;
use crate::cache_mark::cache_control;
use crate::context::Message;
use crate::estimate::clamp_max_tokens;
use crate::http::{base_of, Headers, HttpRequest, WireError};
use crate::ids::Word;
use crate::json::JsonError;
use crate::literal::Literal;
use crate::model::{Level, Mapped, Model};
use crate::request::Request;
use crate::text::json_fault;
use crate::tools::string_member;
use crate::transcript::{fold, hand_off};
use crate::write::Writer;

/// Fewest tokens of thinking that the API takes, and what is left for the answer beside them.
const LEAST: f64 = 1024.0;
/// For a model that does not say how much it can answer.
const USUAL_MAX: f64 = 4096.0;

const INTERLEAVED: &str = "interleaved-thinking-2025-05-14";
const FINE_GRAINED: &str = "fine-grained-tool-streaming-2025-05-14";

/// How much the model may say and think.
struct Limits {
    max_tokens: f64,
    /// Of these, tokens to think with, for a model that is told a number.
    budget: Option<f64>,
    /// How hard a model should try that decides itself.
    effort: Option<String>,
}

/// Builds a Messages request.
pub(crate) fn request(mut request: Request<'_>) -> Result<HttpRequest, WireError> {
    let broken = |error: JsonError| WireError::invalid(json_fault("The request is not valid JSON: ", &error));
    let compat = Compat::of(&request.model).map_err(broken)?;
    let limits = Limits::of(&request, &compat);
    let (head, messages) = fold(std::mem::take(&mut request.context), false);
    let messages = hand_off(messages, &request.model, &Word);
    let marker = cache_control(request.options.retention, compat.long_retention);
    let thinks = limits.budget.is_some() || limits.effort.is_some();

    let (model, options) = (&request.model, &request.options);
    let mut out = Writer::with_capacity(4096);
    out.open();
    out.key("model").string(&model.id);
    out.key("max_tokens").number(limits.max_tokens);
    out.key("stream").bool(true);
    if !Literal::of_span(&["\"", &head.prompt, "\""].concat()).is_blank() {
        messages::text_list(out.key("system"), &head.prompt, marker);
    }
    messages::write(out.key("messages"), &messages, compat.empty_signature, marker);
    if !head.tools.is_empty() {
        tools::write(out.key("tools"), &head.tools, &compat, marker.filter(|_| compat.cache_control_on_tools))?;
        if let Some(choice) = options.tool_choice {
            tool_choice(&mut out, choice);
        }
    }
    limits.write(&mut out, model);
    let (effort, schema) = (limits.effort.as_deref(), options.response_schema);
    if effort.is_some() || schema.is_some() {
        out.key("output_config").object(|out| {
            if let Some(effort) = effort {
                out.key("effort").string(effort);
            }
            if let Some(schema) = schema {
                out.key("format").object(|out| {
                    out.key("type").string("json_schema");
                    out.key("schema").raw(schema);
                });
            }
        });
    }
    if let Some(temperature) = options.temperature.filter(|_| compat.temperature && !thinks) {
        out.key("temperature").number(temperature);
    }
    if let Some(user) = options.metadata.and_then(|metadata| string_member(metadata, "user_id")) {
        out.key("metadata").object(|out| out.key("user_id").literal(user));
    }
    out.close();

    let mut headers = headers(&request, &compat, &messages);
    let plain_streaming = !compat.eager_tool_input && !head.tools.is_empty();
    match (limits.budget.is_some(), plain_streaming) {
        (true, true) => headers.set("anthropic-beta", [FINE_GRAINED, ",", INTERLEAVED].concat()),
        (true, false) => headers.set("anthropic-beta", INTERLEAVED),
        (false, true) => headers.set("anthropic-beta", FINE_GRAINED),
        (false, false) => {}
    }
    let url = [base_of(&model.base_url), "/v1/messages"].concat();
    Ok(request.finish(url, headers, out.into_text(), &[]))
}

impl Limits {
    fn of(request: &Request<'_>, compat: &Compat) -> Self {
        let model = &request.model;
        let wanted = request.options.max_tokens;
        let most = if model.max_tokens > 0.0 { model.max_tokens } else { USUAL_MAX };
        let fitting = |tokens: f64| clamp_max_tokens(model, &request.context, tokens);
        let mut limits = Self { max_tokens: fitting(wanted.unwrap_or(most)), budget: None, effort: None };
        let Some(level) = request.level() else {
            return limits;
        };
        if compat.adaptive_thinking {
            limits.effort = Some(effort(model, level).to_owned());
        } else if let Some(budget) = request.thinking_budget(level, f64::INFINITY) {
            // What the caller wants is meant for the answer; the thinking comes on top of it.
            let max_tokens = fitting(wanted.map_or(most, |wanted| most.min(wanted + budget)));
            let budget = budget.min(max_tokens - wanted.unwrap_or(LEAST).min(LEAST));
            if budget >= LEAST {
                limits = Self { max_tokens, budget: Some(budget), effort: None };
            }
        }
        limits
    }

    fn write(&self, out: &mut Writer, model: &Model<'_>) {
        let kind = match (self.budget, &self.effort) {
            (Some(_), _) => "enabled",
            (None, Some(_)) => "adaptive",
            _ if model.reasoning && *model.levels.get(Level::Off) != Mapped::Never => "disabled",
            _ => return,
        };
        out.key("thinking").object(|out| {
            out.key("type").string(kind);
            if let Some(budget) = self.budget {
                out.key("budget_tokens").number(budget);
            }
            if kind != "disabled" {
                out.key("display").string("summarized");
            }
        });
    }
}

/// The provider's word for a level; it has no word for the lowest ones and the highest.
fn effort<'m>(model: &'m Model<'_>, level: Level) -> &'m str {
    match (model.levels.get(level), level) {
        (Mapped::To(word), _) => word,
        (_, Level::Minimal | Level::Low) => "low",
        (_, Level::Medium) => "medium",
        _ => "high",
    }
}

/// A word, or an object that goes as it is.
fn tool_choice(out: &mut Writer, choice: &str) {
    out.key("tool_choice");
    if choice.starts_with('{') {
        return out.raw(choice);
    }
    out.object(|out| out.key("type").raw(choice));
}

/// The fewest headers that do (PROVIDERS 2). A configured `anthropic-beta` replaces the one set here.
fn headers(request: &Request<'_>, compat: &Compat, messages: &[Message<'_>]) -> Headers {
    let mut headers = body::headers(request, messages);
    headers.set("anthropic-version", "2023-06-01");
    headers.set("anthropic-dangerous-direct-browser-access", "true");
    // Only Copilot, which exchanges keys for tokens, takes a bearer here.
    if let Some(key) = request.options.api_key.as_deref().filter(|_| request.model.provider != "github-copilot") {
        headers.remove("authorization");
        headers.set("x-api-key", key);
    }
    if let Some(session) = request.options.cached_session().filter(|_| compat.session_affinity) {
        let name = if compat.router_affinity { "x-session-id" } else { "x-session-affinity" };
        headers.set(name, session.text());
    }
    headers
}
