//! The protocol between a page and its own server (PROVIDERS 9.1): the events of a response without the message, so the
//! server does all the work and the page only follows.

use crate::draft::{Draft, Kind, Source};
use crate::failure::Failure;
use crate::json::{self, Reader, Value};
use crate::read::{self, Read};
use crate::response::{Decode, Outcome, Step};
use crate::sse::Event;
use crate::template::Template;
use crate::text::{around, decimal, has};
use std::borrow::Cow;

/// Name of this protocol in what [`Response::new`](crate::Response::new) is given.
pub(crate) const API: &str = "pi-proxy";

const CLOSED: &str = "Connection closed by proxy server before the response completed";

/// Decoder of one response.
#[derive(Default)]
pub(crate) struct Decoder {
    started: bool,
    /// `done` came with this reason.
    reason: Option<&'static str>,
    template: Template,
}

/// One event, read but not yet acted on.
#[derive(Default)]
struct Message<'a> {
    kind: Cow<'a, str>,
    index: Option<f64>,
    /// Sources.
    delta: Option<&'a str>,
    signature: Option<&'a str>,
    content: Option<&'a str>,
    redacted: bool,
    call: Option<&'a str>,
    usage: Option<&'a str>,
    level: Option<&'a str>,
    id: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    response_id: Option<Cow<'a, str>>,
    response_model: Option<Cow<'a, str>>,
    reason: Option<Cow<'a, str>>,
    error: Option<Cow<'a, str>>,
}

impl<'a> Message<'a> {
    fn read(data: &'a str) -> Read<Self> {
        let mut reader = Reader::new(data);
        let mut message = Self::default();
        read::members(&mut reader, |key, reader| {
            match key {
                "type" => read::set(&mut message.kind, reader)?,
                "contentIndex" => read::set(&mut message.index, reader)?,
                "delta" => message.delta = read::span(reader, json::Kind::String)?,
                "contentSignature" => message.signature = read::span(reader, json::Kind::String)?,
                "content" => message.content = read::span(reader, json::Kind::String)?,
                "redacted" => read::set(&mut message.redacted, reader)?,
                "responseId" => read::set(&mut message.response_id, reader)?,
                "responseModel" => read::set(&mut message.response_model, reader)?,
                "toolCall" => message.call = read::span(reader, json::Kind::Object)?,
                "usage" => message.usage = read::span(reader, json::Kind::Object)?,
                "providerThinkingLevel" => message.level = read::span(reader, json::Kind::String)?,
                "id" => read::set(&mut message.id, reader)?,
                "toolName" => read::set(&mut message.name, reader)?,
                "reason" => read::set(&mut message.reason, reader)?,
                "errorMessage" => read::set(&mut message.error, reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.finish()?;
        Ok(message)
    }
}

impl Decoder {
    fn message(&mut self, data: &str, draft: &mut Draft) -> Read<Step> {
        let message = Message::read(data)?;
        if message.kind == "start" {
            self.start(draft);
        }
        let (what, step) = around(&message.kind, b'_', true).unwrap_or((&message.kind, ""));
        let kind = match what {
            "text" => Kind::Text,
            "thinking" => Kind::Thinking,
            "toolcall" => Kind::Call,
            "done" | "error" => return Ok(self.last(&message, draft)),
            _ => return Ok(Step::Continue),
        };
        self.start(draft);
        let next = draft.len();
        let index = message.index.filter(|index| index.fract() == 0.0 && *index >= 0.0 && *index <= f64::from(next));
        let Some(index) = index.map(|index| index as u32) else {
            return Ok(Step::Failed(bad_index(&message)));
        };
        match step {
            "start" if index == next => match kind {
                Kind::Call => {
                    let (id, name) = (message.id.as_deref(), message.name.as_deref());
                    draft.open_call(id.unwrap_or_default(), name.unwrap_or_default());
                }
                kind => drop(draft.open(kind)),
            },
            "start" => return Ok(Step::Failed(bad_index(&message))),
            // An end for a block that is no call is ignored, and so is what this version does not know.
            "end" if kind == Kind::Call && draft.kind_of(index) != Some(Kind::Call) => {}
            "delta" | "end" if draft.kind_of(index) != Some(kind) => {
                let name = if kind == Kind::Call { "toolCall" } else { what };
                let text = ["Received ", &message.kind, " for non-", name, " content"].concat();
                return Ok(Step::Failed(Failure::new("protocol", text)));
            }
            "delta" => {
                if let Some(span) = message.delta {
                    let source = Source { span };
                    match kind {
                        Kind::Call => draft.argue(index, source),
                        _ => draft.say(index, source),
                    }
                    self.template.learn(data, span, None, index);
                }
            }
            "end" => end_block(draft, index, kind, &message),
            _ => {}
        }
        Ok(Step::Continue)
    }

    /// The server's word that the response begins; one that forgets it is forgiven.
    fn start(&mut self, draft: &mut Draft) {
        if !std::mem::replace(&mut self.started, true) {
            draft.start();
        }
    }

    fn last(&mut self, message: &Message<'_>, draft: &mut Draft) -> Step {
        self.start(draft);
        draft.fields(|out| {
            if let Some(usage) = message.usage {
                out.key("usage").raw(usage);
            }
            if let Some(level) = message.level {
                out.key("providerThinkingLevel").raw(level);
            }
        });
        if let Some(id) = &message.response_id {
            draft.response_id(id);
        }
        if let Some(model) = &message.response_model {
            draft.response_model(model);
        }
        let reason = message.reason.as_deref();
        if message.kind == "done" {
            self.reason = ["length", "toolUse"].into_iter().find(|known| reason == Some(known)).or(Some("stop"));
            return Step::Finished;
        }
        let text = message.error.as_deref();
        if reason == Some("aborted") {
            return Step::Failed(Failure::new("aborted", text.unwrap_or("Request was aborted")));
        }
        let text = text.unwrap_or("The proxy server reported an error");
        Step::Failed(Failure::in_band(&Value::from(text)))
    }
}

/// The block is complete: what the server says of it in the end replaces what was gathered.
fn end_block(draft: &mut Draft, index: u32, kind: Kind, message: &Message<'_>) {
    match (kind, message.call, message.content) {
        (Kind::Call, Some(call), _) => draft.replace_call(index, call),
        (Kind::Text | Kind::Thinking, _, Some(span)) => draft.replace_text(index, Source { span }),
        _ => {}
    }
    let name = match kind {
        Kind::Text => "textSignature",
        _ => "thinkingSignature",
    };
    draft.set(index, |out| {
        if let Some(signature) = message.signature.filter(|_| kind != Kind::Call) {
            out.key(name).raw(signature);
        }
        if message.redacted && kind == Kind::Thinking {
            out.key("redacted").bool(true);
        }
    });
    draft.close(index);
}

fn bad_index(message: &Message<'_>) -> Failure {
    let index = message.index.map_or_else(
        || "none".to_owned(),
        |index| json::Number::from_f64(index).map_or_else(String::new, |number| number.as_str().to_owned()),
    );
    Failure::new(
        "protocol",
        ["Received ", &message.kind, " with contentIndex ", &index, ", which is not open and not the next one"]
            .concat(),
    )
}

impl Decode for Decoder {
    fn starts_by_event(&self) -> bool {
        true
    }

    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        if self.template.apply(event.data, draft) {
            return Ok(Step::Continue);
        }
        self.template.forget();
        self.message(event.data, draft)
    }

    fn end(&mut self, _draft: &mut Draft) -> Outcome {
        match self.reason {
            Some(reason) => Outcome::Done(reason),
            None => Outcome::Failed(self.cut()),
        }
    }

    fn cut(&self) -> Failure {
        Failure::truncated(CLOSED)
    }

    fn refused(&self, status: u16, status_text: &str, body: &str) -> Failure {
        let said = json::parse(body.trim()).ok();
        let said = said.as_ref().and_then(|body| body.get("error")).and_then(Value::as_str);
        let number = decimal(status.into());
        let text = match said {
            // Whatever the server says: the status is what retries and people look for.
            Some(text) if has(text, &number) => ["Proxy error: ", text].concat(),
            Some(text) => ["Proxy error: ", text, " (", &number, ")"].concat(),
            None => ["Proxy error: ", &number, " ", status_text].concat(),
        };
        Failure { message: text.trim_end().to_owned(), ..Failure::of_status(status, body) }
    }
}
