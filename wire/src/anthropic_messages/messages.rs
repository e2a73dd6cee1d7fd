//! The conversation in Messages form (PROVIDERS 4.1).

use crate::cache_mark::{insert_marker, Mark};
use crate::context::{Assistant, Body, Call, Content, Message, Part, ToolResult};
use crate::literal::Literal;
use crate::text::replace;
use crate::tool_args::is_object;
use crate::transcript::{joined, tool_name};
use crate::write::Writer;

/// Stands in an error result for its images, which the API refuses there.
const MOVED: &str = "\"(image attached after the tool results)\"";

/// Writes the list. `marker` is the source of a cache marker for the end of the last user message; `empty_signature`
/// lets thinking go back that has no signature.
pub(super) fn write(out: &mut Writer, messages: &[Message<'_>], empty_signature: bool, marker: Option<&str>) {
    let mut mark = None;
    out.array(|out| {
        let mut results = Vec::new();
        for (index, message) in messages.iter().enumerate() {
            match &message.body {
                // Folded into the prompt.
                Body::System(_) => {}
                Body::User(content) => user(out, content, &mut mark),
                Body::Assistant(assistant) => self::assistant(out, assistant, empty_signature),
                Body::Result(result) => {
                    results.push(result);
                    let more = messages.get(index + 1).is_some_and(|next| matches!(next.body, Body::Result(_)));
                    if !more {
                        answers(out, &std::mem::take(&mut results), &mut mark);
                    }
                }
            }
        }
    });
    if let (Some(marker), Some(mark)) = (marker, mark) {
        insert_marker(out, mark, marker);
    }
}

/// Whether a part is worth sending: the API refuses blank texts.
fn is_sent(part: &&Part<'_>) -> bool {
    match part {
        Part::Text { text, .. } => !text.is_blank(),
        Part::Thinking { signature: Some(_), .. } | Part::Call(_) | Part::Image { .. } => true,
        Part::Thinking { text, redacted, .. } => !*redacted && !text.is_blank(),
    }
}

fn message(out: &mut Writer, role: &str, content: impl FnOnce(&mut Writer)) {
    out.object(|out| {
        out.key("role").string(role);
        content(out.key("content"));
    });
}

fn user(out: &mut Writer, content: &Content<'_>, mark: &mut Option<Mark>) {
    match content {
        Content::Text(text) if text.is_blank() => {}
        Content::Text(text) => message(out, "user", |out| {
            let start = out.len();
            out.literal(*text);
            *mark = Some(Mark::String(start, out.len()));
        }),
        Content::Parts(parts) if !parts.iter().any(|part| is_sent(&part)) => {}
        Content::Parts(parts) => message(out, "user", |out| {
            out.array(|out| {
                parts.iter().filter(is_sent).for_each(|part| block(out, part, false));
                *mark = Some(Mark::Part(out.len() - 1));
            });
        }),
    }
}

fn assistant(out: &mut Writer, assistant: &Assistant<'_>, empty_signature: bool) {
    let sent = || assistant.parts.iter().filter(|part| is_sent(part) && !matches!(part, Part::Image { .. }));
    if sent().next().is_some() {
        message(out, "assistant", |out| out.array(|out| sent().for_each(|part| block(out, part, empty_signature))));
    }
}

fn block(out: &mut Writer, part: &Part<'_>, empty_signature: bool) {
    out.object(|out| match part {
        Part::Thinking { signature: Some(signature), redacted: true, .. } => {
            out.key("type").string("redacted_thinking");
            out.key("data").literal(*signature);
        }
        Part::Thinking { text, signature, .. } if signature.is_some() || empty_signature => {
            out.key("type").string("thinking");
            out.key("thinking").literal(*text);
            out.key("signature").literal(signature.unwrap_or(Literal::EMPTY));
        }
        Part::Text { text, .. } | Part::Thinking { text, .. } => {
            out.key("type").string("text");
            out.key("text").literal(*text);
        }
        Part::Image { data, mime } => {
            out.key("type").string("image");
            out.key("source").object(|out| {
                out.key("type").string("base64");
                out.key("media_type").literal(*mime);
                out.key("data").literal(*data);
            });
        }
        Part::Call(call) => self::call(out, call),
    });
}

fn call(out: &mut Writer, call: &Call<'_>) {
    out.key("type").string("tool_use");
    out.key("id").string(&call.id);
    // Names from elsewhere may hold marks that are refused here.
    out.key("name").string(&replace(&replace(&tool_name(call.name), ".", "_"), ":", "_"));
    out.key("input");
    match call.exact.map(Literal::text).filter(|exact| is_object(exact)) {
        Some(exact) => out.raw(&exact),
        None => out.raw(call.arguments),
    }
}

/// All results of one turn go into one message.
fn answers(out: &mut Writer, results: &[&ToolResult<'_>], mark: &mut Option<Mark>) {
    let is_image = |part: &&Part<'_>| matches!(part, Part::Image { .. });
    message(out, "user", |out| {
        out.array(|out| {
            for result in results {
                let has_images = result.parts.iter().any(|part| is_image(&part));
                out.object(|out| {
                    out.key("type").string("tool_result");
                    out.key("tool_use_id").string(&result.call_id);
                    out.key("content");
                    if has_images && !result.is_error {
                        out.array(|out| with_images(out, &result.parts));
                    } else {
                        out.joined(|out| out.push_str(&joined(texts(&result.parts).into_iter(), "\\n")));
                    }
                    out.key("is_error").bool(result.is_error);
                });
            }
            for result in results.iter().filter(|result| result.is_error) {
                let mut images = result.parts.iter().filter(is_image).peekable();
                if images.peek().is_some() {
                    let (id, name) = (&result.call_id, result.tool_name.text());
                    text(out, &["Images from the error result of tool call ", id, " (", &name, "):"].concat());
                    images.for_each(|image| block(out, image, false));
                }
            }
            *mark = Some(Mark::Part(out.len() - 1));
        });
    });
}

/// The texts of a result, with one in the place of every run of images.
fn texts<'a>(parts: &[Part<'a>]) -> Vec<Literal<'a>> {
    let mut texts = Vec::with_capacity(parts.len());
    let mut after_image = false;
    for part in parts {
        let image = matches!(part, Part::Image { .. });
        texts.extend(part.text());
        if image && !after_image {
            texts.push(Literal::of_span(MOVED));
        }
        after_image = image;
    }
    texts
}

fn with_images(out: &mut Writer, parts: &[Part<'_>]) {
    if parts.iter().filter_map(Part::text).all(Literal::is_blank) {
        text(out, "(see attached image)");
    }
    let shown = |part: &&Part<'_>| is_sent(part) && matches!(part, Part::Text { .. } | Part::Image { .. });
    parts.iter().filter(shown).for_each(|part| block(out, part, false));
}

fn text(out: &mut Writer, text: &str) {
    out.object(|out| {
        out.key("type").string("text");
        out.key("text").string(text);
    });
}

/// A list of one text block, as the prompt goes. `text` is escaped and without quotes.
pub(super) fn text_list(out: &mut Writer, text: &str, marker: Option<&str>) {
    out.array(|out| {
        out.object(|out| {
            out.key("type").string("text");
            out.key("text").joined(|out| out.push_str(text));
            if let Some(marker) = marker {
                out.key("cache_control").raw(marker);
            }
        });
    });
}
