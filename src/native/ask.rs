//! One request: asking, and leaving an answer that falls silent.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use super::context::Config;
use super::host::Native;
use super::limits::{cut_off, Silence};
use super::live::Live;
use super::message::AssistantMessage;
use super::stream_fn::{Request, ResponseSink};
use super::streaming::Streaming;
use crate::error::{Error, ErrorKind};

impl Native {
    /// Ask the model and stream what it says.
    pub(super) async fn ask(&self, mut request: Request, streaming: &Rc<Streaming>) -> Result<AssistantMessage, Error> {
        let model = request.model.clone();
        let live = Live::new(AssistantMessage {
            api: model.text("api").into(),
            provider: model.text("provider").into(),
            model: model.text("id").into(),
            timestamp: (self.config.now)(),
            ..AssistantMessage::default()
        });
        let silence = streaming.silence.as_ref();
        if silence.is_some() {
            // Its own, so that it can be ended while the run goes on.
            request.abort = self.abort.child();
        }
        let abort = request.abort.clone();
        let counted = self.limiter.budget.counts().then(|| request.clone());
        let sink = ResponseSink::new(live, streaming.clone());
        let mut streamed = self.config.stream_fn.stream(request, &sink);
        // When a listener failed nobody waits for the rest: dropping the future ends the request.
        let answer = poll_fn(|cx| match (streamed.as_mut().poll(cx), streaming.failure.take()) {
            (_, Some(failure)) => Poll::Ready(Err(failure)),
            (Poll::Ready(answer), None) => Poll::Ready(Ok(Some(answer))),
            (Poll::Pending, None) if silence.is_some_and(|silence| silence.too_long(cx)) => Poll::Ready(Ok(None)),
            (Poll::Pending, None) => Poll::Pending,
        });
        let answer = match answer.await? {
            Some(answer) => answer,
            None => {
                let idle = self.idle();
                let came = streaming.started.get().then(|| sink.partial());
                streaming.over.replace(true);
                abort.abort(&idle.message);
                // How much was used, which a stream function may still know.
                let last = poll_fn(|cx| match streamed.as_mut().poll(cx) {
                    Poll::Ready(last) => Poll::Ready(Some(last)),
                    Poll::Pending => Poll::Ready(None),
                });
                cut_off(&model, came, last.await, &idle, (self.config.now)())
            }
        };
        drop(streamed);
        if let Some(request) = counted {
            self.limiter.budget.count(&answer, &request);
        }
        Ok(answer)
    }

    /// Why a response that fell silent ends.
    fn idle(&self) -> Error {
        if self.abort.aborted() {
            return Error::new(ErrorKind::Aborted, "Request was aborted");
        }
        let ms = self.config.bounds.limits.idle_ms.unwrap_or_default().to_string();
        let text = ["The response timed out: nothing came for ", &ms, " ms (limits.idleMs)"];
        Error::new(ErrorKind::StreamIdle, text.concat())
    }

    pub(super) fn silence(&self) -> Option<Silence> {
        let Config { bounds, now, .. } = &self.config;
        Some(Silence::new(bounds.limits.idle_ms?, bounds.timer.as_ref()?, now))
    }
}
