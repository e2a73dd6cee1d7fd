//! How each dialect is told to think (PROVIDERS 5.2).

use crate::compat::{Compat, Flag, ThinkingFormat};
use crate::doc::At;
use crate::literal::Literal;
use crate::model::{Level, Mapped};
use crate::request::Request;
use crate::write::Writer;

/// Writes the members that switch thinking on or off, for a model that can think. `budget` is the number of tokens to
/// think with, where there is thinking.
pub(super) fn write(out: &mut Writer, request: &Request<'_>, compat: &Compat<'_>, budget: Option<f64>) {
    let (model, level) = (&request.model, request.level);
    let on = level.is_some();
    let off = model.mapped(Level::Off);
    let off_word = match off {
        Mapped::To(word) => word,
        _ => Literal::of_span("\"none\""),
    };
    // The provider's word for the level asked for.
    let word = level.map(|level| model.word(level));
    let can_be_off = on || !matches!(off, Mapped::Never);
    let mut effort = word;
    match compat.thinking_format {
        ThinkingFormat::Zai => {
            out.put(if on {
                r#""thinking":{"type":"enabled","clear_thinking":false}"#
            } else {
                r#""thinking":{"type":"disabled"}"#
            });
        }
        ThinkingFormat::Qwen => out.key("enable_thinking").bool(on),
        ThinkingFormat::QwenChatTemplate => {
            out.put(r#""chat_template_kwargs":{"enable_thinking":"#).bool(on);
            out.put(r#""preserve_thinking":true}"#);
            effort = None;
        }
        ThinkingFormat::ChatTemplate => {
            template(out, "chat_template_kwargs", compat.at.at("chatTemplateKwargs"), request, budget);
            effort = None;
        }
        ThinkingFormat::Baseten => {
            template(out, "chat_template_args", compat.at.at("chatTemplateArgs"), request, budget);
            effort = effort_or_off(request);
        }
        ThinkingFormat::DeepSeek => {
            if can_be_off {
                out.put(if on { r#""thinking":{"type":"enabled"}"# } else { r#""thinking":{"type":"disabled"}"# });
            }
        }
        ThinkingFormat::OpenRouter => {
            if can_be_off {
                reasoning(out, word.unwrap_or(off_word));
            }
            effort = None;
        }
        ThinkingFormat::AntLing => {
            if let Some(Mapped::To(word)) = level.map(|level| model.mapped(level)) {
                reasoning(out, word);
            }
            effort = None;
        }
        ThinkingFormat::Together => {
            out.put(r#""reasoning":{"enabled":"#).bool(on);
            out.close();
        }
        ThinkingFormat::StringThinking => {
            if can_be_off {
                out.key("thinking").literal(word.unwrap_or(off_word));
            }
            effort = None;
        }
        ThinkingFormat::OpenAi => {
            if let (None, Mapped::To(word)) = (effort, off) {
                effort = Some(word);
            }
        }
    }
    if compat.has(Flag::ReasoningEffort) {
        out.member("reasoning_effort", effort.map(Literal::span));
    }
}

fn reasoning(out: &mut Writer, effort: Literal<'_>) {
    out.put(r#""reasoning":{"effort":"#).literal(effort);
    out.close();
}

/// The word for the level, or for thinking off where the provider has one.
fn effort_or_off<'a>(request: &Request<'a>) -> Option<Literal<'a>> {
    match (request.model.mapped(request.level.unwrap_or(Level::Off)), request.level) {
        (Mapped::To(word), _) => Some(word),
        (Mapped::Absent, Some(level)) => Some(level.word()),
        _ => None,
    }
}

/// Writes template values: constants as they are, variables by name.
fn template(out: &mut Writer, name: &str, values: At<'_>, request: &Request<'_>, budget: Option<f64>) {
    let before = out.len();
    out.key(name).open();
    let empty = out.len();
    for (key, value) in values.members() {
        let key = key.text();
        let variable = value.literal("$var");
        if value.first() != b'{' {
            out.key(&key).raw(value.span());
        } else if value.is_true("omitWhenOff") && request.level.is_none() {
        } else if variable.is("thinking.enabled") {
            out.key(&key).bool(request.level.is_some());
        } else if variable.is("thinking.budget") {
            out.number_member(&key, budget);
        } else {
            out.member(&key, effort_or_off(request).map(Literal::span));
        }
    }
    if out.len() == empty {
        return out.truncate(before);
    }
    out.close();
}
