//! [`StreamFn`]: whoever answers requests.

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::event::ResponseEvent;
use super::live::Live;
use super::message::{AgentMessage, AssistantMessage, ToolDeclaration};
use super::streaming::Delivery;
use crate::abort::Abort;
use crate::error::Error;

/// Answers one request. There is no error in the return type: a failure is an answer with
/// [`StopReason::Error`](super::StopReason::Error) or [`StopReason::Aborted`](super::StopReason::Aborted) and an
/// `error_message`.
pub trait StreamFn {
    /// Ask the model and push what arrives into `response`; give back the final message, which takes the place of
    /// what was pushed. Look at `request.abort` whenever waiting.
    fn stream<'a>(&'a self, request: Request, response: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage>;
}

/// One request.
#[derive(Clone)]
pub struct Request {
    /// Model to ask, as given to the agent.
    pub model: Rc<crate::model::Model>,
    /// The conversation; prompt and tools are in its system messages, unless they are given below.
    pub messages: Vec<Rc<AgentMessage>>,
    /// The system prompt, in profiles without system messages.
    pub system_prompt: Option<Rc<str>>,
    /// The tools, in profiles without system messages.
    pub tools: Option<Vec<ToolDeclaration>>,
    /// `off`, `minimal`, `low`, ...
    pub thinking_level: Rc<str>,
    /// Key from the `api_key` hook, or the one given to the agent.
    pub api_key: Option<String>,
    /// Session id for caches.
    pub session_id: Option<String>,
    /// The run's abort.
    pub abort: Abort,
    pub(crate) now: Rc<dyn Fn() -> f64>,
}

impl Request {
    /// The time by the agent's clock, in milliseconds since 1970.
    pub fn now(&self) -> f64 {
        (self.now)()
    }
}

/// Where a [`StreamFn`] pushes its answer.
pub struct ResponseSink {
    live: Live,
    delivery: Rc<dyn Delivery>,
}

impl ResponseSink {
    pub(crate) fn new(live: Live, delivery: Rc<dyn Delivery>) -> Self {
        ResponseSink { live, delivery }
    }

    /// Apply a step to the partial answer and deliver it; waits for the listeners (back-pressure).
    ///
    /// # Errors
    /// A listener failed: the run is over, stop streaming.
    pub async fn push(&self, event: ResponseEvent) -> Result<(), Error> {
        self.live.apply(&event);
        self.delivery.deliver(&self.live, event).await
    }

    /// Deliver a step that was applied already. Errors as [`ResponseSink::push`].
    pub(crate) async fn tell(&self, event: ResponseEvent) -> Result<(), Error> {
        self.delivery.deliver(&self.live, event).await
    }

    /// [`ResponseEvent::Start`] with what is known of the answer by then.
    ///
    /// # Errors
    /// As [`ResponseSink::push`].
    pub async fn begin(&self, message: AssistantMessage) -> Result<(), Error> {
        self.delivery.begin(&self.live, Some(message)).await
    }

    /// Put another message in place of what was pushed so far, without an event.
    pub fn set(&self, message: AssistantMessage) {
        self.live.set(message);
    }

    /// The answer as pushed so far.
    pub fn partial(&self) -> AssistantMessage {
        self.live.snapshot()
    }

    /// The answer itself.
    pub fn live(&self) -> &Live {
        &self.live
    }
}
