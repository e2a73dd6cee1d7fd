//! The conversation in Mistral's form.

use crate::context::{Assistant, Body, Content, Message, Part, ToolResult};
use crate::ids::hash;
use crate::literal::{clean, Literal};
use crate::openai_completions::{call_of, function_call, is_sent};
use crate::request::data_url;
use crate::text::decimal;
use crate::transcript::{joined, tool_name, CallIds};
use crate::write::Writer;

/// Call ids: nine letters or digits.
pub(super) struct Ids;

impl CallIds for Ids {
    fn adapt(&self, id: &str, _own: bool, attempt: u32) -> String {
        if attempt == 0 && id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return id.to_owned();
        }
        let number = decimal(attempt.into());
        ["c", &hash(&[id, "/", &number].concat())].concat()
    }
}

/// Writes the messages. `prompt` is escaped, without quotes.
pub(super) fn write(out: &mut Writer, prompt: &str, messages: &[Message<'_>]) {
    if !prompt.is_empty() {
        out.object(|out| {
            out.key("role").string("system");
            out.key("content").joined(|out| out.push_str(prompt));
        });
    }
    for message in messages {
        match &message.body {
            Body::User(content) => user(out, content),
            Body::Assistant(answer) => assistant(out, answer),
            Body::Result(answer) => result(out, answer),
            // All of them are in the prompt.
            Body::System(_) => {}
        }
    }
}

/// A user message, unless it says nothing, which the API refuses.
fn user(out: &mut Writer, content: &Content<'_>) {
    let empty = match content {
        Content::Text(text) => clean(text.inner()).is_empty(),
        Content::Parts(parts) => !parts.iter().any(|part| is_sent(&part)),
    };
    if empty {
        return;
    }
    out.object(|out| {
        out.key("role").string("user");
        out.key("content");
        match content {
            Content::Text(text) => out.literal(*text),
            Content::Parts(parts) => {
                out.array(|out| parts.iter().filter(is_sent).for_each(|part| content_part(out, part)))
            }
        }
    });
}

/// An answer in the order it was given, thinking among it.
fn assistant(out: &mut Writer, assistant: &Assistant<'_>) {
    let says = |part: &&Part<'_>| match part {
        Part::Text { text, .. } | Part::Thinking { text, .. } => !text.is_blank(),
        _ => false,
    };
    let said = || assistant.parts.iter().filter(says);
    let calls = || assistant.parts.iter().filter_map(call_of);
    let (has_said, has_calls) = (said().next().is_some(), calls().next().is_some());
    if !has_said && !has_calls {
        return;
    }
    out.object(|out| {
        out.key("role").string("assistant");
        if has_said {
            out.key("content").array(|out| said().for_each(|part| content_part(out, part)));
        }
        if has_calls {
            out.key("tool_calls").array(|out| calls().for_each(|call| out.object(|out| function_call(out, call))));
        }
    });
}

fn result(out: &mut Writer, result: &ToolResult<'_>) {
    let images = || result.parts.iter().filter(|part| matches!(part, Part::Image { .. }));
    let escaped = ["\"", &joined(result.parts.iter().filter_map(Part::text), "\\n"), "\""].concat();
    let text = Literal::of_span(&escaped).text();
    let shown = match text.trim() {
        "" if images().next().is_some() => "(see attached image)",
        "" => "(no tool output)",
        text => text,
    };
    out.object(|out| {
        out.key("role").string("tool");
        out.key("tool_call_id").string(&result.call_id);
        out.key("name").string(&tool_name(result.tool_name));
        out.key("content").array(|out| {
            out.object(|out| {
                out.key("type").string("text");
                out.key("text").string(&[if result.is_error { "[tool error] " } else { "" }, shown].concat());
            });
            images().for_each(|image| content_part(out, image));
        });
    });
}

fn content_part(out: &mut Writer, part: &Part<'_>) {
    let text_part = |out: &mut Writer, text: Literal<'_>| {
        out.object(|out| {
            out.key("type").string("text");
            out.key("text").literal(text);
        });
    };
    match part {
        Part::Text { text, .. } => text_part(out, *text),
        Part::Thinking { text, .. } => out.object(|out| {
            out.key("type").string("thinking");
            out.key("thinking").array(|out| text_part(out, *text));
        }),
        Part::Image { data, mime } => out.object(|out| {
            out.key("type").string("image_url");
            out.key("image_url").joined(data_url(*mime, *data));
        }),
        Part::Call(_) => {}
    }
}
