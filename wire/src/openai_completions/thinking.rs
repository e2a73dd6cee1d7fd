//! How each dialect is told to think (PROVIDERS 5.2).

use crate::compat::{Compat, Flag, ThinkingFormat};
use crate::doc::{At, Node};
use crate::model::Level;
use crate::request::Request;
use crate::write::Writer;

static NONE: Node<'static> = Node::of("\"none\"");

/// Writes the members that switch thinking on or off, for a model that can think. `budget` is the number of tokens to
/// think with; NaN where there is no thinking.
pub(super) fn write(out: &mut Writer, request: &Request<'_>, compat: &Compat<'_>, budget: f64) {
    let (model, level) = (&request.model, request.level);
    let on = level.is_some();
    // The provider's word for thinking off, and for the level asked for.
    let off = model.mapped(Level::Off).only(b'"');
    let word = level.map_or(At::default(), |level| model.word(level));
    let word_or_off = word.or(off).or(&NONE);
    let can_be_off = on || !model.lacks(Level::Off);
    let mut effort = word;
    match compat.thinking_format() {
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
            effort = At::default();
        }
        ThinkingFormat::ChatTemplate => {
            template(out, "chat_template_kwargs", compat.at.at("chatTemplateKwargs"), request, budget);
            effort = At::default();
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
                reasoning(out, word_or_off);
            }
            effort = At::default();
        }
        ThinkingFormat::AntLing => {
            let known = level.map_or(At::default(), |level| model.mapped(level));
            if known.is_string() {
                reasoning(out, known);
            }
            effort = At::default();
        }
        ThinkingFormat::Together => {
            out.put(r#""reasoning":{"enabled":"#).bool(on);
            out.close();
        }
        ThinkingFormat::StringThinking => {
            if can_be_off {
                out.member("thinking", word_or_off);
            }
            effort = At::default();
        }
        ThinkingFormat::OpenAi => {
            effort = word.or(off);
        }
    }
    if compat.has(Flag::ReasoningEffort) {
        out.member("reasoning_effort", effort);
    }
}

fn reasoning(out: &mut Writer, effort: At<'_>) {
    out.put(r#""reasoning":{"effort":"#).value(effort);
    out.close();
}

/// The word for the level, or for thinking off where the provider has one.
fn effort_or_off<'a>(request: &Request<'a>) -> At<'a> {
    let level = request.level.unwrap_or(Level::Off);
    if level == Level::Off || request.model.lacks(level) {
        return request.model.mapped(level).only(b'"');
    }
    request.model.word(level)
}

/// Writes template values: constants as they are, variables by name.
fn template(out: &mut Writer, name: &str, values: At<'_>, request: &Request<'_>, budget: f64) {
    let before = out.len();
    out.key(name).open();
    let empty = out.len();
    for value in values.members() {
        let key = value.name().text();
        let variable = value.at("$var");
        if !value.is_object() {
            out.member(&key, value);
        } else if value.is_true("omitWhenOff") && request.level.is_none() {
        } else if variable.is("thinking.enabled") {
            out.key(&key).bool(request.level.is_some());
        } else if variable.is("thinking.budget") {
            out.number_member(&key, budget);
        } else {
            out.member(&key, effort_or_off(request));
        }
    }
    if out.len() == empty {
        return out.truncate(before);
    }
    out.close();
}
