//! How each dialect is told to think (PROVIDERS 5.2).

use super::compat::{Compat, ThinkingFormat};
use crate::body::Body;
use crate::json::{Kind, Reader};
use crate::model::{Level, Mapped, Model};
use crate::read::{self, Read};
use std::borrow::Cow;

/// Writes the members that switch thinking on or off. `budget` is the number of tokens to think with, where there is
/// thinking.
pub(super) fn write(
    body: &mut Body<'_>,
    model: &Model<'_>,
    compat: &Compat<'_>,
    level: Option<Level>,
    budget: Option<f64>,
) -> Read<()> {
    if !model.reasoning {
        return Ok(());
    }
    let on = level.is_some();
    let off = model.levels.get(Level::Off);
    let off_word = match off {
        Mapped::To(word) => word.as_ref(),
        _ => "none",
    };
    // The provider's word for the level asked for.
    let word = level.map(|level| model.levels.word(level));
    let effort = word.filter(|_| compat.supports_reasoning_effort);
    match compat.thinking_format {
        ThinkingFormat::Zai => {
            body.object("thinking", |out| {
                out.key("type").string(if on { "enabled" } else { "disabled" });
                if on {
                    out.key("clear_thinking").bool(false);
                }
            });
            body.text("reasoning_effort", effort);
        }
        ThinkingFormat::Qwen => {
            body.bool("enable_thinking", on);
            body.text("reasoning_effort", effort);
        }
        ThinkingFormat::QwenChatTemplate => body.object("chat_template_kwargs", |out| {
            out.key("enable_thinking").bool(on);
            out.key("preserve_thinking").bool(true);
        }),
        ThinkingFormat::ChatTemplate => {
            template(body, "chat_template_kwargs", compat.chat_template_kwargs, model, level, budget)?;
        }
        ThinkingFormat::Baseten => {
            template(body, "chat_template_args", compat.chat_template_args, model, level, budget)?;
            body.text("reasoning_effort", effort_or_off(model, level).filter(|_| compat.supports_reasoning_effort));
        }
        ThinkingFormat::DeepSeek => {
            if on || *off != Mapped::Never {
                body.object("thinking", |out| out.key("type").string(if on { "enabled" } else { "disabled" }));
            }
            body.text("reasoning_effort", effort);
        }
        ThinkingFormat::OpenRouter => {
            if on || *off != Mapped::Never {
                body.object("reasoning", |out| out.key("effort").string(word.unwrap_or(off_word)));
            }
        }
        ThinkingFormat::AntLing => {
            if let Some(Mapped::To(word)) = level.map(|level| model.levels.get(level)) {
                body.object("reasoning", |out| out.key("effort").string(word));
            }
        }
        ThinkingFormat::Together => {
            body.object("reasoning", |out| out.key("enabled").bool(on));
            body.text("reasoning_effort", effort);
        }
        ThinkingFormat::StringThinking => {
            if on || *off != Mapped::Never {
                body.text("thinking", Some(word.unwrap_or(off_word)));
            }
        }
        ThinkingFormat::OpenAi => {
            let off = if on || *off == Mapped::Absent || *off == Mapped::Never { None } else { Some(off_word) };
            body.text("reasoning_effort", effort.or(off.filter(|_| compat.supports_reasoning_effort)));
        }
    }
    Ok(())
}

/// The word for the level, or for thinking off where the provider has one.
fn effort_or_off<'m>(model: &'m Model<'_>, level: Option<Level>) -> Option<&'m str> {
    match (model.levels.get(level.unwrap_or(Level::Off)), level) {
        (Mapped::To(word), _) => Some(word),
        (Mapped::Absent, Some(level)) => Some(level.name()),
        _ => None,
    }
}

/// Writes template values: constants as they are, variables by name.
fn template(
    body: &mut Body<'_>,
    name: &str,
    values: Option<&str>,
    model: &Model<'_>,
    level: Option<Level>,
    budget: Option<f64>,
) -> Read<()> {
    enum Value<'a> {
        Constant(&'a str),
        Bool(bool),
        Number(f64),
        Text(&'a str),
    }
    let mut resolved: Vec<(String, Value<'_>)> = Vec::new();
    read::members(&mut Reader::new(values.unwrap_or("{}")), |key, reader| {
        let object = reader.peek()? == Kind::Object;
        let span = reader.raw()?;
        if !object {
            resolved.push((key.to_owned(), Value::Constant(span)));
            return Ok(());
        }
        let (mut variable, mut omit) = (None::<Cow<'_, str>>, false);
        read::members(&mut Reader::new(span), |key, reader| {
            match key {
                "$var" => read::set(&mut variable, reader)?,
                "omitWhenOff" => read::set(&mut omit, reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let value = match variable.as_deref() {
            _ if omit && level.is_none() => None,
            Some("thinking.enabled") => Some(Value::Bool(level.is_some())),
            Some("thinking.budget") => budget.map(Value::Number),
            _ => effort_or_off(model, level).map(Value::Text),
        };
        resolved.extend(value.map(|value| (key.to_owned(), value)));
        Ok(())
    })?;
    if !resolved.is_empty() {
        body.object(name, |out| {
            for (key, value) in &resolved {
                out.key(key);
                match value {
                    Value::Constant(source) => out.raw(source),
                    Value::Bool(value) => out.bool(*value),
                    Value::Number(value) => out.number(*value),
                    Value::Text(value) => out.string(value),
                }
            }
        });
    }
    Ok(())
}
