//! pi's own protocol to a backend (PROVIDERS 9): the transcript goes as it is, the events come back as in the protocol
//! between a page and its own server, of which this is a dialect.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::http::WireError;
use crate::model::Model;
use crate::proxy;
use crate::request::{Made, Request};
use crate::response::{Decode, Step};
use crate::source::Read;
use crate::source::Source;
use crate::sse::Event;
use crate::text::decimal;

/// Name of this API in a model.
pub(crate) const API: &str = "pi-messages";

/// The options that travel.
const SENT: [&str; 7] =
    ["temperature", "maxTokens", "reasoning", "cacheRetention", "sessionId", "toolChoice", "responseSchema"];

/// Builds a request: prompt and tools become a system message in front of the others.
pub(crate) fn request(request: &mut Request<'_>, made: &mut Made) -> Result<(), WireError> {
    let (context, out) = (request.context, &mut made.body);
    let (prompt, tools) = (context.literal("systemPrompt"), context.at("tools"));
    let has_tools = tools.items().next().is_some();
    out.key("model").string(&request.model.id);
    out.put(r#""context":{"messages":["#);
    if !prompt.is_empty() || has_tools {
        out.put(r#"{"role":"system","content":"#).literal(prompt);
        out.member("toolsAdded", has_tools.then(|| tools.span()));
        out.put(r#""timestamp":0}"#);
    }
    out.members_of(context.source("messages", b'[').unwrap_or_default());
    out.put(r#"]},"options":{"#);
    for (name, value) in request.options.at.members() {
        if value.span() != "null" && SENT.iter().any(|sent| name.is(sent)) {
            out.key(&name.text()).raw(value.span());
        }
    }
    out.close();
    made.url.push_str("/messages");
    Ok(())
}

/// Decoder of one response.
pub(crate) struct Decoder {
    events: proxy::Decoder,
    provider: String,
}

impl Decoder {
    pub fn new(model: &Model<'_>) -> Self {
        Self { events: proxy::Decoder::default(), provider: model.provider.clone().into_owned() }
    }
}

impl Decode for Decoder {
    fn starts_by_event(&self) -> bool {
        true
    }

    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        self.events.event(event, draft)
    }

    fn end(&mut self, draft: &mut Draft) -> Option<&'static str> {
        let reason = self.events.end(draft);
        if reason.is_none() {
            draft.fail(self.cut());
        }
        reason
    }

    fn cut(&self) -> Failure {
        Failure::truncated([&self.provider, " stream ended without a terminal event"].concat())
    }

    fn refused(&self, status: u16, status_text: &str, body: &str) -> Failure {
        let failure = Failure::of_status(status, body);
        let [error] = Source::whole(body).pick(&["error"]);
        let [text, code] = error.pick(&["message", "code"]);
        if text.only(b'"').is_absent() {
            return failure;
        }
        let head = [&decimal(status.into()), " ", status_text].concat();
        let mut message = [head.trim_end(), ": ", &text.string()].concat();
        if !code.only(b'"').is_absent() {
            message.push_str(&[" (", &code.string(), ")"].concat());
        }
        Failure { message, ..failure }
    }
}
