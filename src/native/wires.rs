//! [`Wires`]: the built-in protocols as a [`StreamFn`].

mod apply;

use futures::future::LocalBoxFuture;
use futures::StreamExt;
use steersman_wire::json::{Object, Value};
use steersman_wire::{request, Response};

use super::encode::Json;
use super::message::{AssistantMessage, StopReason};
use super::stream_fn::{Request, ResponseSink, StreamFn};
use super::transport::{HttpResponse, Transport};
use crate::abort::Abort;
use crate::error::Error;
use apply::Applied;

/// Text of every abort.
const ABORTED: &str = "Request was aborted";

/// Headers that carry a key.
const AUTH_HEADERS: [&str; 5] = ["authorization", "cf-aig-authorization", "x-api-key", "api-key", "x-goog-api-key"];

/// Answers requests by the protocol that the model's `api` names, over a [`Transport`].
///
/// It never fails: a request that cannot be built, a connection that breaks and an abort are answers with
/// `stop_reason` `Error` or `Aborted`, whose `diagnostics` (in `extra`) carry the error code. Content that has arrived
/// is kept. Nothing is repeated.
pub struct Wires<T> {
    transport: T,
    options: Object,
}

impl<T: Transport> Wires<T> {
    /// All built-in wires over a transport.
    pub fn new(transport: T) -> Self {
        Wires { transport, options: Object::new() }
    }

    /// An option of every request, by its name in the JavaScript API: `temperature`, `maxTokens`, `headers`,
    /// `thinkingBudgets`, `toolChoice`, `cacheRetention`, `metadata`, `samplingParams`.
    #[must_use]
    pub fn option(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.options.insert(name, value);
        self
    }

    /// What the request is built from, `{ model, context, options }` as JSON.
    fn input(&self, request: &Request) -> String {
        let mut out = Json::default();
        out.object(|out| {
            out.key("model").object(|out| out.members(request.model.fields()));
            out.key("context").object(|out| {
                if let Some(prompt) = &request.system_prompt {
                    out.text("systemPrompt", prompt);
                }
                if let Some(tools) = &request.tools {
                    out.list("tools", tools, Json::declaration);
                }
                out.list("messages", &request.messages, |out, message| out.message(message));
            });
            out.key("options").object(|out| {
                out.members(&self.options);
                out.texts(&[("apiKey", &request.api_key), ("sessionId", &request.session_id)]);
                if &*request.thinking_level != "off" {
                    out.text("reasoning", &request.thinking_level);
                }
            });
        });
        out.0
    }

    /// A key, or a header in its place, must be there.
    fn has_key(&self, request: &Request) -> bool {
        let carries = |headers: Option<&Value>| {
            headers.and_then(Value::as_object).is_some_and(|headers| {
                headers.iter().any(|(name, value)| {
                    let said = value.as_str().is_some_and(|value| !value.trim().is_empty());
                    said && AUTH_HEADERS.iter().any(|auth| name.eq_ignore_ascii_case(auth))
                })
            })
        };
        request.api_key.is_some()
            || carries(self.options.get("headers"))
            || carries(request.model.fields().get("headers"))
    }

    async fn answer(&self, asked: &Request, sink: &ResponseSink) -> AssistantMessage {
        let started = asked.now();
        if !self.has_key(asked) {
            let text = ["No API key for provider: ", asked.model.text("provider")].concat();
            return failed(sink, started, "auth", &text);
        }
        let built = request(&self.input(asked));
        let built = built.and_then(|made| Response::new(&made.reply).map(|response| (made, response)));
        let (made, mut response) = match built {
            Ok(built) => built,
            Err(refused) => return failed(sink, asked.now(), refused.code, &refused.message),
        };
        if matches!(self.exchange(made, &mut response, &asked.abort, sink, asked).await, Applied::Aborted) {
            // What the wire knows and has not told yet: counts and ids.
            apply::late_fields(response.batch(), sink.live());
            response.clear();
            response.abort(ABORTED);
            apply::late_fields(response.batch(), sink.live());
            return failed(sink, asked.now(), "aborted", ABORTED);
        }
        let mut message = sink.partial();
        message.extra.insert("durationMs", (asked.now() - started).max(0.0).round());
        message
    }

    /// Send and read to the end.
    async fn exchange(
        &self,
        made: steersman_wire::HttpRequest,
        response: &mut Response,
        abort: &Abort,
        sink: &ResponseSink,
        asked: &Request,
    ) -> Applied {
        let mut body = match abort.race(self.transport.send(made)).await {
            None => return Applied::Aborted,
            Some(Ok(HttpResponse { status, status_text, content_type, body })) => {
                response.head(status, &content_type, &status_text);
                Some(body)
            }
            Some(Err(error)) => {
                give_up(response, &error);
                None
            }
        };
        loop {
            match apply::batch(response.batch(), sink, asked).await {
                Applied::More => response.clear(),
                ended => return ended,
            }
            if response.finished() {
                return Applied::Ended;
            }
            let Some(pieces) = &mut body else {
                response.end();
                continue;
            };
            match abort.race(pieces.next()).await {
                None => return Applied::Aborted,
                Some(Some(Ok(piece))) => response.push(&piece),
                Some(Some(Err(error))) => give_up(response, &error),
                Some(None) => response.end(),
            }
        }
    }
}

impl<T: Transport> StreamFn for Wires<T> {
    fn stream<'a>(&'a self, request: Request, response: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        Box::pin(async move { self.answer(&request, response).await })
    }
}

fn give_up(response: &mut Response, error: &Error) {
    response.give_up(error.kind.code(), &error.message);
}

/// The answer as far as it came, with the failure.
fn failed(sink: &ResponseSink, now: f64, code: &str, text: &str) -> AssistantMessage {
    let mut message = sink.partial();
    message.stop_reason = if code == "aborted" { StopReason::Aborted } else { StopReason::Error };
    message.error_message = Some(text.to_owned());
    let error: Object = [("message", text), ("code", code)].into_iter().collect();
    let mut diagnostic: Object = [("type", "error"), ("code", code)].into_iter().collect();
    diagnostic.insert("timestamp", now);
    diagnostic.insert("error", error);
    message.extra.insert("diagnostics", vec![Value::Object(diagnostic)]);
    message
}
