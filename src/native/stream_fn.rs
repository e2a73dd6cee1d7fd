//! [`StreamFn`]: whoever answers requests.

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::event::ResponseEvent;
use super::live::Live;
use super::message::{AgentMessage, AssistantMessage};
use super::run::Delivery;
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
    /// The conversation; prompt and tools are in its system messages.
    pub messages: Vec<Rc<AgentMessage>>,
    /// `off`, `minimal`, `low`, ...
    pub thinking_level: Rc<str>,
    /// Key from the `api_key` hook.
    pub api_key: Option<String>,
    /// Session id for caches.
    pub session_id: Option<String>,
    /// The run's abort.
    pub abort: Abort,
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

    /// The answer as pushed so far.
    pub fn partial(&self) -> AssistantMessage {
        self.live.snapshot()
    }
}
