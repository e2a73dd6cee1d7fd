//! The protocol between a page and its own server (PROVIDERS 9.1): the events of a response without the message, so the
//! server does all the work and the page only follows. pi's protocol to a backend (PROVIDERS 9) is a dialect of it.

use crate::draft::{members, Draft, Kind};
use crate::failure::Failure;
use crate::json::Number;
use crate::response::{Decode, Step};
use crate::source::{names, Source};
use crate::sse::Event;
use crate::template::Template;
use crate::text::{around, decimal, has, trim_end};

/// Name of this protocol in what [`Response::new`](crate::Response::new) is given.
pub(crate) const API: &str = "pi-proxy";

const PROXY_ERROR: &str = "Proxy error: ";

/// Decoder of one response.
#[derive(Default)]
pub(crate) struct Decoder {
    /// It comes from a backend of pi's.
    is_backend: bool,
    started: bool,
    template: Template,
}

impl Decoder {
    pub fn new(is_backend: bool) -> Box<Self> {
        let mut decoder = Box::<Self>::default();
        decoder.is_backend = is_backend;
        decoder
    }

    fn message(&mut self, data: &str, draft: &mut Draft) -> Step {
        let names = names![
            "type",
            "contentIndex",
            "delta",
            "contentSignature",
            "content",
            "redacted",
            "toolCall",
            "id",
            "toolName"
        ];
        let Some([event, place, delta, signature, content, redacted, call, id, name, ..]) = &Source::event(data, names)
        else {
            return Step::Malformed;
        };
        let event = event.word();
        if event == "start" {
            self.start(draft);
        }
        let (what, step) = around(event, b'_', true).unwrap_or((event, ""));
        let kind = match what {
            "text" => Kind::Text,
            "thinking" => Kind::Thinking,
            "toolcall" => Kind::Call,
            "done" | "error" => return self.last(what == "done", &Source { span: data }, draft),
            _ => return Step::Continue,
        };
        self.start(draft);
        let next = draft.len();
        let index = place.number().unwrap_or(-1.0) as u32;
        let is_index = place.number() == Some(index.into()) && index <= next;
        if !is_index || (step == "start" && index != next) {
            let index = match place.number() {
                None => "none".to_owned(),
                Some(index) => Number::from_f64(index).map_or_else(String::new, |number| number.as_str().to_owned()),
            };
            let place = [" with contentIndex ", &index, ", which is not open and not the next one"].concat();
            return draft.fail("protocol", &["Received ", event, &place]);
        }
        match step {
            "start" if kind == Kind::Call => drop(draft.open_call(&id.string(), &name.string())),
            "start" => drop(draft.open(kind)),
            // An end for a block that is no call is ignored, and so is what this version does not know.
            "end" if kind == Kind::Call && draft.kind_of(index) != Some(Kind::Call) => {}
            "delta" | "end" if draft.kind_of(index) != Some(kind) => {
                let name = if kind == Kind::Call { "toolCall" } else { what };
                return draft.fail("protocol", &["Received ", event, " for non-", name, " content"]);
            }
            "delta" => {
                let piece = delta.only(b'"');
                if !piece.is_absent() {
                    match kind {
                        Kind::Call => draft.argue(index, piece),
                        _ => draft.say(index, piece),
                    }
                    self.template.learn(data, piece.span, "", index);
                }
            }
            "end" => {
                // What the server says of the block in the end replaces what was gathered.
                let mut out = members();
                if kind == Kind::Call {
                    if call.is(b'{') {
                        draft.replace_call(index, call.span);
                    }
                } else {
                    if content.is(b'"') {
                        draft.replace_text(index, content);
                    }
                    if signature.is(b'"') {
                        let name = if kind == Kind::Text { "textSignature" } else { "thinkingSignature" };
                        out.key(name).raw(signature.span);
                    }
                    if redacted.reads("true") && kind == Kind::Thinking {
                        out.put(r#""redacted":true"#);
                    }
                }
                draft.set(index, out);
                draft.close(index);
            }
            _ => {}
        }
        Step::Continue
    }

    /// The server's word that the response begins; one that forgets it is forgiven.
    fn start(&mut self, draft: &mut Draft) {
        if !std::mem::replace(&mut self.started, true) {
            draft.start();
        }
    }

    fn last(&mut self, done: bool, event: &Source<'_>, draft: &mut Draft) -> Step {
        let names = names!["usage", "providerThinkingLevel", "responseId", "responseModel", "reason", "errorMessage"];
        let [usage, level, id, model, reason, error, ..] = &event.pick(names);
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
            return draft.finish(match reason {
                "length" => "length",
                "toolUse" => "toolUse",
                _ => "stop",
            });
        }
        let error = error.string();
        let aborted = reason == "aborted";
        let text = match &*error {
            "" if aborted => "Request was aborted",
            "" => "The proxy server reported an error",
            error => error,
        };
        if aborted {
            return draft.fail("aborted", &[text]);
        }
        draft.fail_as(Failure::in_words(text.to_owned()))
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Step {
        if self.template.apply(event.data, draft) {
            return Step::Continue;
        }
        self.template.forget();
        self.message(event.data, draft)
    }

    fn end(&mut self, draft: &mut Draft) -> Step {
        if draft.stop.is_empty() {
            draft.fail_unfinished()
        } else {
            Step::Finished
        }
    }

    fn refused(&self, status: u16, status_text: &str, body: &str) -> Failure {
        let mut failure = Failure::of_status(status, body);
        let number = decimal(status.into());
        let space = if status_text.is_empty() { "" } else { " " };
        let error = Source::whole(body).member("error");
        let [text, code, ..] = &error.pick(names!["message", "code"]);
        let said = if self.is_backend { text.string() } else { error.string() };
        let code = code.string();
        let (head, note): ([&str; 4], &str) = if self.is_backend {
            if !text.is(b'"') {
                return failure;
            }
            ([&number, space, status_text, ": "], &code)
        } else if !error.is(b'"') {
            ([PROXY_ERROR, &number, space, status_text], "")
        } else {
            // Whatever the server says: the status is what retries and people look for.
            ([PROXY_ERROR, "", "", ""], if has(&said, &number) { "" } else { &number })
        };
        let brackets = if note.is_empty() { ["", ""] } else { [" (", ")"] };
        failure.message = [&head.concat(), trim_end(&said), brackets[0], note, brackets[1]].concat();
        failure
    }
}
