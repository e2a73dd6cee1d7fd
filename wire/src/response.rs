//! From the bytes of a response to records: status, content that is no stream, the stream, and every way to end.

use crate::anthropic_messages;
use crate::batch::{kind, Batch};
use crate::doc::Doc;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::google_generative_ai;
use crate::http::WireError;
use crate::json::repair;
use crate::mistral_conversations;
use crate::model::Model;
use crate::openai_completions;
use crate::openai_responses;
use crate::pi_messages;
use crate::proxy;
use crate::secrets::redact;
use crate::sniff::{sniff, Body};
use crate::source::Source;
use crate::sse::{Event, Sink, Sse, Trailing};
use crate::text::{decimal, json_fault, lossy, trim};

/// Most bytes of an error body, or of a body that may turn out to be no stream, that are kept.
const BODY_LIMIT: usize = 64 * 1024;

/// Why a server may have nothing in a place.
const NOT_THERE: &str =
    ": the baseUrl is wrong (does it lack /v1, or have it twice?), or the server has no such model.";

/// What ends a stream by itself.
pub(crate) const DONE: &str = "[DONE]";

/// One response to a [`request`](fn@crate::request). The host tells what happens on the network, in order: [`head`],
/// [`push`] for every chunk, and [`end`], or [`fail`] or [`abort`] at any time. After each call it reads [`batch`] and
/// calls [`clear`].
///
/// Exactly one DONE or ERROR record is made, and nothing after it; from then on calls have no effect, and the host
/// should close the connection.
///
/// [`head`]: Self::head
/// [`push`]: Self::push
/// [`end`]: Self::end
/// [`fail`]: Self::fail
/// [`abort`]: Self::abort
/// [`batch`]: Self::batch
/// [`clear`]: Self::clear
pub struct Response {
    draft: Draft,
    decoder: Box<dyn Decode>,
    /// Whether the response begins with an event of the provider and not with its headers.
    by_event: bool,
    sse: Sse,
    stage: Stage,
    status: u16,
    content_type: String,
    status_text: String,
    /// The beginning of a body that is an error, or that may turn out to be no stream because no event came yet.
    body: Vec<u8>,
    seen_event: bool,
    secrets: Vec<String>,
    /// Where the request went.
    url: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Before the status.
    Waiting,
    /// Reading a body that is known to be an error.
    Refused,
    /// Reading a stream.
    Streaming,
    Finished,
}

/// How an event leaves the response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Continue,
    /// The provider said that this was all; at the end, the draft has the stop reason.
    Finished,
    /// The draft has the failure.
    Failed,
    /// It is not well-formed; nothing was done.
    Malformed,
}

/// A protocol: turns events into steps of the draft. `DONE` never reaches it.
pub(crate) trait Decode {
    /// A complete event.
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Step;

    /// The stream said `[DONE]`; `end` follows.
    fn marked_done(&mut self, _draft: &Draft) {}

    /// The stream ended by itself, or a [`Step::Finished`] came. Completes what may be completed, and finishes or fails
    /// the draft.
    fn end(&mut self, draft: &mut Draft) -> Step;

    /// The response is about to fail: what is worth keeping is put into the draft.
    fn failing(&mut self, _draft: &mut Draft) {}

    /// What a status that is no success means.
    fn refused(&self, status: u16, _status_text: &str, body: &str) -> Failure {
        Failure::of_status(status, body)
    }
}

impl Response {
    /// A response that is about to be asked for. `reply` is [`HttpRequest::reply`](crate::HttpRequest), or a model
    /// object as JSON.
    ///
    /// # Errors
    /// `invalid_request` when it is not JSON, `unsupported` when no built-in wire speaks the model's API.
    pub fn new(reply: &str) -> Result<Self, WireError> {
        let doc = match Doc::read(reply) {
            Ok(doc) => doc,
            Err(error) => return Err(WireError::invalid(json_fault("The model is not valid JSON: ", &error))),
        };
        let model = Model::read(doc.root());
        let (decoder, unfinished): (Box<dyn Decode>, &str) = match model.api.as_ref() {
            google_generative_ai::API => {
                (Box::<google_generative_ai::Decoder>::default(), "Stream ended without a finish reason")
            }
            api @ (openai_completions::API | mistral_conversations::API) => (
                openai_completions::Decoder::new(&model, api == mistral_conversations::API),
                "Stream ended without finish_reason",
            ),
            anthropic_messages::API => {
                (Box::<anthropic_messages::Decoder>::default(), "Anthropic stream ended before message_stop")
            }
            openai_responses::API => {
                (openai_responses::Decoder::new(&model), "Stream ended before a terminal response event")
            }
            pi_messages::API => (proxy::Decoder::new(true), " stream ended without a terminal event"),
            proxy::API => {
                (proxy::Decoder::new(false), "Connection closed by proxy server before the response completed")
            }
            api => return Err(WireError::no_wire(api)),
        };
        let mut response = Self {
            draft: Draft::default(),
            decoder,
            by_event: matches!(model.api.as_ref(), pi_messages::API | proxy::API),
            sse: Sse::default(),
            stage: Stage::Waiting,
            status: 0,
            content_type: String::new(),
            status_text: String::new(),
            body: Vec::new(),
            seen_event: false,
            url: model.at.text("url").into_owned(),
            secrets: Vec::new(),
        };
        response.draft.set_up(&model);
        if model.api == pi_messages::API {
            response.draft.unfinished.push_str(&model.provider);
        }
        response.draft.unfinished.push_str(unfinished);
        for secret in model.at.at("secrets").items() {
            response.secrets.push(secret.as_text().into_owned());
        }
        Ok(response)
    }

    /// The status line and headers are there. `content_type` is the header's value, empty when it is missing.
    pub fn head(&mut self, status: u16, content_type: &str, status_text: &str) {
        if self.stage != Stage::Waiting {
            return;
        }
        self.status = status;
        self.content_type.push_str(content_type);
        self.status_text.push_str(status_text);
        if !(200..300).contains(&status) {
            self.stage = Stage::Refused;
            return;
        }
        self.stage = Stage::Streaming;
        if !self.by_event {
            self.draft.start();
        }
    }

    /// A piece of the body.
    pub fn push(&mut self, chunk: &[u8]) {
        match self.stage {
            Stage::Waiting | Stage::Finished => {}
            Stage::Refused => {
                self.keep(chunk);
                if self.body.len() >= BODY_LIMIT {
                    self.refuse();
                }
            }
            Stage::Streaming => {
                if !self.seen_event {
                    self.keep(chunk);
                }
                let mut feed = Feed::new(&mut self.draft, &mut *self.decoder);
                let pushed = self.sse.push(chunk, &mut feed);
                let (step, seen_event) = (feed.step, feed.seen_event);
                if seen_event && !self.seen_event {
                    // It is a stream; how it began is of no more interest.
                    self.body = Vec::new();
                    self.seen_event = true;
                }
                match (step, pushed) {
                    (Step::Continue, Err(error)) => {
                        let parts = ["An event of the stream is longer than ", &decimal(error.limit as u64), " bytes"];
                        self.finish_failed("protocol", parts.concat(), 0);
                    }
                    _ => self.take(step),
                }
            }
        }
    }

    /// The body is complete.
    pub fn end(&mut self) {
        match self.stage {
            Stage::Finished => {}
            Stage::Waiting => self.fail("The connection ended without a response."),
            Stage::Refused => self.refuse(),
            Stage::Streaming => self.end_stream(),
        }
    }

    /// The network failed; `message` is its own word for it.
    pub fn fail(&mut self, message: &str) {
        self.give_up("network", message);
    }

    /// The caller wants no more. `message` becomes the error message.
    pub fn abort(&mut self, message: &str) {
        self.give_up("aborted", message);
    }

    /// A failure that the host found, such as an idle stream, with its `AgentError.code`. The codes `aborted` and
    /// `network` do what [`abort`](Self::abort) and [`fail`](Self::fail) do.
    pub fn give_up(&mut self, code: &str, message: &str) {
        self.finish_failed(code, message.to_owned(), 0);
    }

    /// Records since [`clear`](Self::clear).
    pub fn batch(&self) -> &Batch {
        &self.draft.batch
    }

    /// Forgets the records read.
    pub fn clear(&mut self) {
        self.draft.batch.clear();
    }

    /// Whether a DONE or ERROR record was made.
    pub fn finished(&self) -> bool {
        self.stage == Stage::Finished
    }

    fn keep(&mut self, chunk: &[u8]) {
        let room = BODY_LIMIT.saturating_sub(self.body.len());
        self.body.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
    }

    /// The error body is complete, or long enough.
    fn refuse(&mut self) {
        let body = lossy(&self.body);
        let mut failure = self.decoder.refused(self.status, &self.status_text, &body);
        if self.status == 404 && !self.url.is_empty() {
            let parts = ["\nNothing answers at ", &self.url, NOT_THERE];
            failure.message.push_str(&parts.concat());
        }
        self.finish_failed(failure.code, failure.message, self.status);
    }

    fn end_stream(&mut self) {
        let mut feed = Feed::new(&mut self.draft, &mut *self.decoder);
        let trailing = self.sse.end(&mut feed);
        let mut cut = false;
        if let (Step::Continue, Some(trailing)) = (feed.step, &trailing) {
            cut = !feed.trailing(trailing);
        }
        self.seen_event |= feed.seen_event;
        let step = match feed.step {
            Step::Continue if cut => {
                if !self.by_event {
                    self.draft.unfinished.push_str(": it was cut inside an event");
                }
                self.draft.fail_unfinished()
            }
            Step::Continue if !self.seen_event => self.no_stream(),
            Step::Continue => Step::Finished,
            step => step,
        };
        self.take(step);
    }

    /// A body without events: empty, or something else than a stream.
    fn no_stream(&mut self) -> Step {
        let body = lossy(&self.body);
        match sniff(&self.body) {
            Some(Body::EventStream) => Step::Finished,
            None if trim(&body).is_empty() => {
                self.draft.fail("stream_truncated", &["Stream ended without an answer: the response body is empty"])
            }
            _ => self.draft.fail_as(Failure::not_a_stream(self.status, &self.content_type, &body)),
        }
    }

    fn take(&mut self, step: Step) {
        let mut step = step;
        if step == Step::Finished {
            step = self.decoder.end(&mut self.draft);
            if step == Step::Finished && self.draft.stop == "toolUse" && !self.draft.has_call() {
                step = if self.draft.has_answer() {
                    self.draft.finish("stop")
                } else {
                    // A run that took this for an answer would end without a word.
                    self.draft.fail("protocol", &["The answer ended without the tool call it was to bring"])
                };
            }
        }
        match step {
            Step::Finished => {
                self.draft.done();
                self.stage = Stage::Finished;
            }
            Step::Failed => {
                let failure = std::mem::take(&mut self.draft.failure);
                self.finish_failed(failure.code, failure.message, 0);
            }
            _ => {}
        }
    }

    fn finish_failed(&mut self, code: &str, message: String, status: u16) {
        if self.stage == Stage::Finished {
            return;
        }
        self.stage = Stage::Finished;
        self.decoder.failing(&mut self.draft);
        let mut message = message;
        redact(&mut message, &self.secrets);
        self.draft.failed(code, &message, status);
    }
}

/// Hands events to the decoder until one of them ends the response.
struct Feed<'r> {
    draft: &'r mut Draft,
    decoder: &'r mut dyn Decode,
    step: Step,
    seen_event: bool,
}

impl<'r> Feed<'r> {
    fn new(draft: &'r mut Draft, decoder: &'r mut dyn Decode) -> Self {
        Self { draft, decoder, step: Step::Continue, seen_event: false }
    }

    /// Some proxies break the strings inside: then once more with what can be mended.
    fn decode(&mut self, event: Event<'_>) -> Step {
        let mut step = self.decoder.event(event, self.draft);
        if step == Step::Malformed {
            step = self.decoder.event(Event { data: &repair(event.data), ..event }, self.draft);
        }
        if step == Step::Malformed {
            let what = "The provider sent an event that is not valid JSON: ";
            step = self.draft.fail_as(Failure::protocol(what, event.data));
        }
        step
    }

    /// Takes an event without its blank line if it is whole; says whether it is.
    fn trailing(&mut self, trailing: &Trailing) -> bool {
        let whole = trim(&trailing.data) == DONE || !Source::whole(&trailing.data).is_absent();
        if whole {
            self.event(Event { name: &trailing.name, data: &trailing.data, id: None });
        }
        whole
    }
}

impl Sink for Feed<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.seen_event = true;
        if self.step == Step::Continue {
            if self.draft.echo {
                self.draft.batch.push(kind::PROVIDER_EVENT, 0, event.data);
            }
            let done = event.data.len() < 16 && trim(event.data) == DONE;
            self.step = match done {
                true => {
                    self.decoder.marked_done(self.draft);
                    Step::Finished
                }
                false => self.decode(event),
            };
        }
    }

    fn unknown(&mut self, name: &str, value: &str) {
        // llama.cpp reports a failure like this in the middle of a stream.
        if name == "error" && self.step == Step::Continue {
            self.step = self.draft.fail_in_band(value);
        }
    }
}
