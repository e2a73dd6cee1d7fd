//! What the requests of several protocols have in common.

use crate::context::{Message, Part, Role};
use crate::doc::At;
use crate::request::{response_form, Made, Request};
use crate::text::first;
use crate::write::Writer;

/// Characters of `prompt_cache_key` that OpenAI takes.
const CACHE_KEY_CHARS: usize = 64;

/// Writes `response_format`, where the answer must fit a schema.
pub(crate) fn response_format(out: &mut Writer, schema: At<'_>) {
    if !schema.is_absent() {
        out.put(r#""response_format":{"type":"json_schema","json_schema":{"#);
        response_form(out, schema);
        out.put("}}");
    }
}

/// Adds the headers that GitHub Copilot wants besides.
pub(crate) fn copilot_headers(request: &Request<'_>, made: &mut Made) {
    if request.model.provider != "github-copilot" {
        return;
    }
    let messages = &request.messages;
    let by_user = messages.last().is_none_or(|last| last.role == Role::User);
    made.headers.set("x-initiator", if by_user { "user" } else { "agent" });
    made.headers.set("openai-intent", "conversation-edits");
    let shown = |message: &Message<'_>| message.role == Role::User && has_image(message);
    if messages.iter().any(|message| shown(message) || message.results.iter().any(has_image)) {
        made.headers.set("copilot-vision-request", "true");
    }
}

/// Whether there is an image in a message.
pub(crate) fn has_image(message: &Message<'_>) -> bool {
    message.parts.iter().any(Part::is_image)
}

/// A session as OpenAI takes it for the key of its cache.
pub(crate) fn cache_key(session: At<'_>) -> String {
    first(&session.as_text(), CACHE_KEY_CHARS).0.to_owned()
}

/// How a protocol writes texts and images.
pub(crate) struct Forms {
    /// What stands around a text.
    pub text: [&'static str; 2],
    /// What stands around type and data of an image.
    pub image: [&'static str; 3],
    /// A message of the user may be one string.
    pub takes_strings: bool,
    /// An image can carry a cache marker.
    pub marks_images: bool,
}

impl Forms {
    /// Writes a text or an image.
    pub fn part(&self, out: &mut Writer, part: &Part<'_>) {
        if !part.is_image() {
            return self.text(out, part.text.inner());
        }
        let [before, between, after] = self.image;
        out.pieces(&[before, part.mime().inner(), between, part.text.inner(), after]);
        if self.marks_images {
            out.set_mark(0);
        }
    }

    /// Writes a text, which is escaped and without quotes.
    pub fn text(&self, out: &mut Writer, text: &str) {
        let [before, after] = self.text;
        out.pieces(&[before, text, after]).set_mark(0);
    }

    /// Writes those parts of a message that are wanted.
    pub fn parts<'a>(&self, out: &mut Writer, parts: &[Part<'a>], wanted: fn(&Part<'a>) -> bool) {
        for part in parts {
            if wanted(part) {
                self.part(out, part);
            }
        }
    }

    /// Writes a message of the user.
    pub fn user<'a>(&self, out: &mut Writer, message: &Message<'a>, wanted: fn(&Part<'a>) -> bool) {
        out.put(r#"{"role":"user","content":"#);
        if message.whole && self.takes_strings {
            content(out, &message.text());
        } else {
            out.put("[");
            self.parts(out, &message.parts, wanted);
            out.put("]");
        }
        out.close();
    }
}

/// Writes content that is one string, escaped and without quotes.
pub(crate) fn content(out: &mut Writer, text: &str) {
    let start = out.len();
    out.quoted(text);
    if !text.is_empty() {
        out.set_mark(start);
    }
}
