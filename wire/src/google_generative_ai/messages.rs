//! The conversation in Gemini's form: contents of parts, in turn from user and model (PROVIDERS 7.1).

use super::family::Family;
use crate::context::{Body, Call, Content, Message, Part, ToolResult};
use crate::ids::cleaned;
use crate::literal::Literal;
use crate::tool_args::is_object;
use crate::transcript::{joined, tool_name};
use crate::write::Writer;

/// Google's own word for a call that its model did not sign, because another model made it.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// A conversation begins with the user, even where the history does not.
const BEGINNING: &str = "(earlier messages are not shown)";

/// Writes the contents of one request.
pub(super) struct Conversation<'f> {
    pub family: &'f Family<'f>,
}

impl Conversation<'_> {
    /// Writes the list. What says nothing is left out, and what then follows each other from the model is one content,
    /// for calls have to stand right behind something from the user.
    pub fn write(&self, out: &mut Writer, messages: &[Message<'_>]) {
        let mut turns: Vec<&Message<'_>> = Vec::with_capacity(messages.len());
        for message in messages {
            if says_something(message) {
                turns.push(message);
            }
        }
        out.array(|out| {
            if matches!(turns.first().map(|first| &first.body), Some(Body::Assistant(_))) {
                content(out, "user", |out| text_part(out, BEGINNING));
            }
            for turn in turns.chunk_by(|first, second| one_content(first, second)) {
                match turn.first().map(|first| &first.body) {
                    Some(Body::User(said)) => content(out, "user", |out| user(out, said)),
                    Some(Body::Assistant(_)) => content(out, "model", |out| self.model(out, turn)),
                    _ => self.results(out, turn),
                }
            }
        });
    }

    fn model(&self, out: &mut Writer, turn: &[&Message<'_>]) {
        // Only the first of parallel calls carries a signature.
        let mut sign = self.family.is_third();
        for message in turn {
            let Body::Assistant(assistant) = &message.body else { continue };
            for part in assistant.parts.iter().filter(|part| is_sent(part)) {
                out.open();
                let (signature, demanded) = match part {
                    Part::Call(call) => {
                        self.call(out, call);
                        (call.signature, std::mem::take(&mut sign))
                    }
                    Part::Text { text, signature } | Part::Thinking { text, signature, .. } => {
                        out.key("text").literal(*text);
                        if matches!(part, Part::Thinking { .. }) {
                            out.key("thought").bool(true);
                        }
                        (*signature, false)
                    }
                    Part::Image { .. } => (None, false),
                };
                let signature = signature.map(Literal::text).filter(|text| is_base64(text));
                if let Some(signature) = signature.as_deref().or(demanded.then_some(UNSIGNED)) {
                    out.key("thoughtSignature").string(signature);
                }
                out.close();
            }
        }
    }

    fn call(&self, out: &mut Writer, call: &Call<'_>) {
        let exact = call.exact.map(Literal::text).filter(|text| is_object(text));
        out.key("functionCall").object(|out| {
            out.key("name").string(&tool_name(call.name));
            out.key("args").raw(exact.as_deref().unwrap_or(call.arguments));
            if self.family.takes_ids() {
                out.key("id").string(&call.id);
            }
        });
    }

    /// All results of a turn stand in one content; images that have no place there follow.
    fn results(&self, out: &mut Writer, turn: &[&Message<'_>]) {
        let results = || turn.iter().filter_map(|message| result_of(message));
        content(out, "user", |out| results().for_each(|result| self.result(out, result)));
        if !self.family.takes_result_images() && results().any(|result| result.parts.iter().any(is_image)) {
            content(out, "user", |out| {
                text_part(out, "Tool result image:");
                results().for_each(|result| images(out, &result.parts));
            });
        }
    }

    fn result(&self, out: &mut Writer, result: &ToolResult<'_>) {
        let texts = || result.parts.iter().filter_map(Part::text);
        let has_images = result.parts.iter().any(is_image);
        out.object(|out| {
            out.key("functionResponse").object(|out| {
                out.key("name").string(&tool_name(result.tool_name));
                out.key("response").object(|out| {
                    out.key(if result.is_error { "error" } else { "output" }).joined(|out| {
                        let text = joined(texts(), "\\n");
                        out.push_str(if text.is_empty() && has_images { "(see attached image)" } else { &text });
                    });
                });
                if has_images && self.family.takes_result_images() {
                    out.key("parts").array(|out| images(out, &result.parts));
                }
                if self.family.takes_ids() {
                    out.key("id").string(&result.call_id);
                }
            });
        });
    }
}

/// Whether the second of two messages belongs into the content of the first.
fn one_content(first: &Message<'_>, second: &Message<'_>) -> bool {
    matches!((&first.body, &second.body), (Body::Assistant(_), Body::Assistant(_)) | (Body::Result(_), Body::Result(_)))
}

fn says_something(message: &Message<'_>) -> bool {
    match &message.body {
        Body::User(Content::Text(text)) => !text.is_blank(),
        Body::User(Content::Parts(parts)) => parts.iter().any(is_shown),
        Body::Assistant(assistant) => assistant.parts.iter().any(|part| is_sent(part)),
        Body::Result(_) => true,
        Body::System(_) => false,
    }
}

/// Part of a user message that is worth sending.
fn is_shown(part: &Part<'_>) -> bool {
    is_image(part) || part.text().is_some_and(|text| !text.is_blank())
}

/// Part of an assistant message that goes back. A signature goes back with an empty text too.
fn is_sent(part: &Part<'_>) -> bool {
    match part {
        Part::Text { text, signature } | Part::Thinking { text, signature, .. } => {
            !text.is_blank() || signature.is_some_and(|signature| is_base64(&signature.text()))
        }
        Part::Call(_) => true,
        Part::Image { .. } => false,
    }
}

fn is_image(part: &Part<'_>) -> bool {
    matches!(part, Part::Image { .. })
}

fn result_of<'m, 'a>(message: &'m Message<'a>) -> Option<&'m ToolResult<'a>> {
    match &message.body {
        Body::Result(result) => Some(result),
        _ => None,
    }
}

fn content(out: &mut Writer, role: &str, parts: impl FnOnce(&mut Writer)) {
    out.object(|out| {
        out.key("role").string(role);
        out.key("parts").array(parts);
    });
}

fn user(out: &mut Writer, said: &Content<'_>) {
    match said {
        Content::Text(text) => out.object(|out| out.key("text").literal(*text)),
        Content::Parts(parts) => {
            for part in parts.iter().filter(|part| is_shown(part)) {
                match part.text() {
                    Some(text) => out.object(|out| out.key("text").literal(text)),
                    None => images(out, std::slice::from_ref(part)),
                }
            }
        }
    }
}

fn text_part(out: &mut Writer, text: &str) {
    out.object(|out| out.key("text").string(text));
}

fn images(out: &mut Writer, parts: &[Part<'_>]) {
    for part in parts {
        if let Part::Image { data, mime } = part {
            out.object(|out| {
                out.key("inlineData").object(|out| {
                    out.key("mimeType").literal(*mime);
                    out.key("data").literal(*data);
                });
            });
        }
    }
}

/// Whether a text can be bytes in base64, of either alphabet.
fn is_base64(text: &str) -> bool {
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    text.len() % 4 == 0 && !digits.is_empty() && cleaned(digits, b"+/-_") == digits
}
