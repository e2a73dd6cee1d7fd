//! What the requests of several protocols have in common: how members get into the body of OpenAI's two, and the headers.

use crate::context::{Body as MessageBody, Content, Message, Part};
use crate::http::Headers;
use crate::literal::Literal;
use crate::request::{response_form, Request};
use crate::write::Writer;

/// Characters of `prompt_cache_key` that OpenAI takes.
const CACHE_KEY_CHARS: usize = 64;

/// The body being written: an object. Members that the sampling parameters override are left out; those come last.
pub(crate) struct Body<'a> {
    out: Writer,
    overridden: &'a [(String, &'a str)],
}

impl<'a> Body<'a> {
    /// A body without members yet; `overridden` are name and source of what [`Request::sampling`] gives.
    pub fn new(overridden: &'a [(String, &'a str)]) -> Self {
        let mut out = Writer::with_capacity(4096);
        out.open();
        Self { out, overridden }
    }

    /// Where to write a member's value, unless it is overridden.
    pub fn member(&mut self, name: &str) -> Option<&mut Writer> {
        if self.overridden.iter().any(|param| param.0 == name) {
            return None;
        }
        Some(self.out.key(name))
    }

    pub fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some((value, out)) = value.and_then(|value| Some((value, self.member(name)?))) {
            out.string(value);
        }
    }

    pub fn bool(&mut self, name: &str, value: bool) {
        if let Some(out) = self.member(name) {
            out.bool(value);
        }
    }

    pub fn number(&mut self, name: &str, value: Option<f64>) {
        if let Some((value, out)) = value.and_then(|value| Some((value, self.member(name)?))) {
            out.number(value);
        }
    }

    pub fn raw(&mut self, name: &str, value: Option<&str>) {
        if let Some((value, out)) = value.and_then(|value| Some((value, self.member(name)?))) {
            out.raw(value);
        }
    }

    pub fn object(&mut self, name: &str, members: impl FnOnce(&mut Writer)) {
        if let Some(out) = self.member(name) {
            out.object(members);
        }
    }

    /// `response_format`, where the answer must fit a schema.
    pub fn response_format(&mut self, schema: Option<&str>) {
        if let Some(schema) = schema {
            self.object("response_format", |out| {
                out.key("type").string("json_schema");
                out.key("json_schema").object(|out| response_form(out, schema));
            });
        }
    }

    /// The whole body.
    pub fn into_text(mut self) -> String {
        for (name, value) in self.overridden {
            self.out.key(name).raw(value);
        }
        self.out.close();
        self.out.into_text()
    }
}

/// The headers of a host that takes a bearer token, with what GitHub Copilot wants besides.
pub(crate) fn headers(request: &Request<'_>, messages: &[Message<'_>]) -> Headers {
    let mut headers = request.bearer_headers();
    if request.model.provider == "github-copilot" {
        let by_user = matches!(messages.last().map(|last| &last.body), Some(MessageBody::User(_)) | None);
        headers.set("x-initiator", if by_user { "user" } else { "agent" });
        headers.set("openai-intent", "conversation-edits");
        if messages.iter().any(has_image) {
            headers.set("copilot-vision-request", "true");
        }
    }
    headers
}

fn has_image(message: &Message<'_>) -> bool {
    let parts = match &message.body {
        MessageBody::User(Content::Parts(parts)) => parts,
        MessageBody::Result(result) => &result.parts,
        _ => return false,
    };
    parts.iter().any(|part| matches!(part, Part::Image { .. }))
}

/// A session as OpenAI takes it for the key of its cache.
pub(crate) fn cache_key(session: Literal<'_>) -> String {
    session.text().chars().take(CACHE_KEY_CHARS).collect()
}
