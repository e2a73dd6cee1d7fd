//! pi's own protocol to a backend (PROVIDERS 9): the transcript goes as it is, the events come back as in the protocol
//! between a page and its own server, of which this is a dialect.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::http::{base_of, HttpRequest, WireError};
use crate::json::{self, JsonError, Reader};
use crate::literal::Literal;
use crate::model::Model;
use crate::proxy;
use crate::read::{self, Read};
use crate::request::Request;
use crate::response::{Decode, Step};
use crate::source::Source;
use crate::sse::Event;
use crate::text::{decimal, json_fault};
use crate::write::Writer;

/// Name of this API in a model.
pub(crate) const API: &str = "pi-messages";

/// The options that travel.
const SENT: [&str; 7] =
    ["temperature", "maxTokens", "reasoning", "cacheRetention", "sessionId", "toolChoice", "responseSchema"];

/// Builds a request: prompt and tools become a system message in front of the others.
pub(crate) fn request(request: Request<'_>) -> Result<HttpRequest, WireError> {
    let broken = |error: JsonError| WireError::invalid(json_fault("The request is not valid JSON: ", &error));
    let body = body(&request).map_err(broken)?;
    let url = [base_of(&request.model.base_url), "/messages"].concat();
    let headers = request.bearer_headers();
    Ok(request.finish(url, headers, body, &[]))
}

fn body(request: &Request<'_>) -> Read<String> {
    let (mut tools, mut messages, mut options) = (None, None, None);
    read::members(&mut Reader::new(request.input), |key, reader| match key {
        "options" => reader.raw().map(|span| options = Some(span)),
        "context" => read::members(reader, |key, reader| {
            let part = match key {
                "tools" => &mut tools,
                "messages" => &mut messages,
                _ => return reader.skip(),
            };
            *part = read::span(reader, json::Kind::Array)?;
            Ok(())
        }),
        _ => reader.skip(),
    })?;
    let prompt = request.context.system_prompt.unwrap_or(Literal::EMPTY);
    let tools = tools.filter(|_| !request.context.tools.list.is_empty());
    let mut out = Writer::with_capacity(4096);
    out.open();
    out.key("model").string(&request.model.id);
    out.key("context").object(|out| {
        out.key("messages").array(|out| {
            if !prompt.is_empty() || tools.is_some() {
                out.object(|out| {
                    out.key("role").string("system");
                    out.key("content").literal(prompt);
                    if let Some(tools) = tools {
                        out.key("toolsAdded").raw(tools);
                    }
                    out.key("timestamp").number(0.0);
                });
            }
            out.members_of(messages.unwrap_or_default());
        });
    });
    out.key("options").open();
    read::members(&mut Reader::new(options.unwrap_or("{}")), |key, reader| {
        let span = reader.raw()?;
        if SENT.contains(&key) && span != "null" {
            out.key(key).raw(span);
        }
        Ok(())
    })?;
    out.close();
    out.close();
    Ok(out.into_text())
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
