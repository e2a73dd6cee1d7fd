//! The protocol between a page and its own server (PROVIDERS 9.1): the events of a response without the message, so the
//! server does all the work and the page only follows.

use crate::draft::{members, Draft, Kind};
use crate::failure::Failure;
use crate::json::Number;
use crate::response::{Decode, Step};
use crate::source::Read;
use crate::source::Source;
use crate::sse::Event;
use crate::template::Template;
use crate::text::{around, decimal, has};

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

impl Decoder {
    fn message(&mut self, data: &str, draft: &mut Draft) -> Read<Step> {
        let [event, place, delta, signature, content, redacted, call, id, name] = Source::event(
            data,
            &["type", "contentIndex", "delta", "contentSignature", "content", "redacted", "toolCall", "id", "toolName"],
        )?;
        let event = event.word();
        if event == "start" {
            self.start(draft);
        }
        let (what, step) = around(event, b'_', true).unwrap_or((event, ""));
        let kind = match what {
            "text" => Kind::Text,
            "thinking" => Kind::Thinking,
            "toolcall" => Kind::Call,
            "done" | "error" => return Ok(self.last(what == "done", Source { span: data }, draft)),
            _ => return Ok(Step::Continue),
        };
        self.start(draft);
        let next = draft.len();
        let count = place.number().filter(|index| index.fract() == 0.0 && *index >= 0.0 && *index <= f64::from(next));
        let (index, opens) = match count {
            Some(count) => (count as u32, count == f64::from(next)),
            None => return Ok(draft.fail(bad_index(event, place))),
        };
        match step {
            "start" if !opens => return Ok(draft.fail(bad_index(event, place))),
            "start" if kind == Kind::Call => drop(draft.open_call(&id.string(), &name.string())),
            "start" => drop(draft.open(kind)),
            // An end for a block that is no call is ignored, and so is what this version does not know.
            "end" if kind == Kind::Call && draft.kind_of(index) != Some(Kind::Call) => {}
            "delta" | "end" if draft.kind_of(index) != Some(kind) => {
                let name = if kind == Kind::Call { "toolCall" } else { what };
                let text = ["Received ", event, " for non-", name, " content"].concat();
                return Ok(draft.fail(Failure::new("protocol", text)));
            }
            "delta" => {
                let piece = delta.only(b'"');
                if !piece.is_absent() {
                    match kind {
                        Kind::Call => draft.argue(index, piece),
                        _ => draft.say(index, piece),
                    }
                    self.template.learn(data, piece.span, None, index);
                }
            }
            "end" => {
                // What the server says of the block in the end replaces what was gathered.
                let mut out = members();
                if kind == Kind::Call {
                    if !call.only(b'{').is_absent() {
                        draft.replace_call(index, call.span);
                    }
                } else {
                    if !content.only(b'"').is_absent() {
                        draft.replace_text(index, content);
                    }
                    if !signature.only(b'"').is_absent() {
                        let name = if kind == Kind::Text { "textSignature" } else { "thinkingSignature" };
                        out.key(name).raw(signature.span);
                    }
                    if redacted.span == "true" && kind == Kind::Thinking {
                        out.key("redacted").bool(true);
                    }
                }
                draft.set(index, out);
                draft.close(index);
            }
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

    fn last(&mut self, done: bool, event: Source<'_>, draft: &mut Draft) -> Step {
        let [usage, level, id, model, reason, error] =
            event.pick(&["usage", "providerThinkingLevel", "responseId", "responseModel", "reason", "errorMessage"]);
        self.start(draft);
        let mut out = members();
        for (name, value) in [
            ("usage", usage.only(b'{')),
            ("providerThinkingLevel", level.only(b'"')),
            ("responseId", id.said()),
            ("responseModel", model.said()),
        ] {
            if !value.is_absent() {
                out.key(name).raw(value.span);
            }
        }
        draft.fields(out);
        let reason = reason.word();
        if done {
            self.reason = Some(match reason {
                "length" => "length",
                "toolUse" => "toolUse",
                _ => "stop",
            });
            return Step::Finished;
        }
        let failure = match (reason, error.text()) {
            ("aborted", error) => Failure::new("aborted", error.unwrap_or("Request was aborted".into())),
            (_, error) => Failure::in_words(error.unwrap_or("The proxy server reported an error".into()).into_owned()),
        };
        draft.fail(failure)
    }
}

fn bad_index(event: &str, place: Source<'_>) -> Failure {
    let index = match place.number() {
        None => "none".to_owned(),
        Some(index) => Number::from_f64(index).map_or_else(String::new, |number| number.as_str().to_owned()),
    };
    Failure::new(
        "protocol",
        ["Received ", event, " with contentIndex ", &index, ", which is not open and not the next one"].concat(),
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

    fn end(&mut self, draft: &mut Draft) -> Option<&'static str> {
        if self.reason.is_none() {
            draft.fail(self.cut());
        }
        self.reason
    }

    fn cut(&self) -> Failure {
        Failure::truncated(CLOSED)
    }

    fn refused(&self, status: u16, status_text: &str, body: &str) -> Failure {
        let [error] = Source::whole(body).pick(&["error"]);
        let said = error.string();
        let number = decimal(status.into());
        let text = if error.only(b'"').is_absent() {
            ["Proxy error: ", &number, " ", status_text].concat()
        } else if has(&said, &number) {
            // Whatever the server says: the status is what retries and people look for.
            ["Proxy error: ", &said].concat()
        } else {
            ["Proxy error: ", &said, " (", &number, ")"].concat()
        };
        Failure { message: text.trim_end().to_owned(), ..Failure::of_status(status, body) }
    }
}
