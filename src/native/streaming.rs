//! How the steps of a streaming answer reach context and listeners.

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::context::{Context, Shell};
use super::event::{AgentEvent, ResponseEvent};
use super::limits::Silence;
use super::live::Live;
use super::message::{AgentMessage, AssistantMessage};
use crate::error::Error;
use crate::slot::Slot;

/// How a [`ResponseSink`](super::ResponseSink) reaches the listeners.
pub(crate) trait Delivery {
    /// The answer begins, for the first time or anew.
    fn begin<'a>(&'a self, live: &'a Live, message: Option<AssistantMessage>) -> LocalBoxFuture<'a, Result<(), Error>>;

    /// A step that was applied to the answer already.
    fn deliver<'a>(&'a self, live: &'a Live, event: ResponseEvent) -> LocalBoxFuture<'a, Result<(), Error>>;
}

/// Delivers the steps of one answer; remembers a listener's failure, which fails the run whatever the stream does.
pub(super) struct Streaming {
    pub shell: Rc<dyn Shell>,
    pub context: Rc<Context>,
    pub started: Slot<bool>,
    pub failure: Slot<Option<Error>>,
    /// How long nothing comes.
    pub silence: Option<Silence>,
    /// Nobody hears of the answer any more.
    pub over: Slot<bool>,
}

impl Streaming {
    pub fn new(shell: &Rc<dyn Shell>, context: &Rc<Context>, silence: Option<Silence>) -> Rc<Self> {
        Rc::new(Streaming {
            shell: shell.clone(),
            context: context.clone(),
            started: Slot::new(false),
            failure: Slot::new(None),
            silence,
            over: Slot::new(false),
        })
    }

    async fn tell(&self, event: AgentEvent, carries: bool) -> Result<(), Error> {
        // A stream function that goes on after a failure is heard no more.
        if let Some(failure) = self.failure.get() {
            return Err(failure);
        }
        self.silence.as_ref().inspect(|silence| silence.heard());
        let delivered = self.shell.deliver(event).await;
        self.silence.as_ref().inspect(|silence| silence.waiting(carries));
        if let Err(error) = &delivered {
            drop(self.failure.replace(Some(error.clone())));
        }
        delivered
    }
}

impl Delivery for Streaming {
    fn begin<'a>(&'a self, live: &'a Live, message: Option<AssistantMessage>) -> LocalBoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            if self.over.get() {
                return Ok(());
            }
            if self.started.replace(true) {
                // As recorded: what had come stays in the context of the run as a message of its own.
                self.context.put_last(Rc::new(AgentMessage::Assistant(live.snapshot())));
            }
            match message {
                Some(message) => live.set(message),
                None => live.restart(),
            }
            let message = Rc::new(AgentMessage::Partial(live.clone()));
            self.context.messages.push(message.clone());
            self.tell(AgentEvent::MessageStart { message }, true).await
        })
    }

    fn deliver<'a>(&'a self, live: &'a Live, event: ResponseEvent) -> LocalBoxFuture<'a, Result<(), Error>> {
        if matches!(event, ResponseEvent::Start) {
            return self.begin(live, None);
        }
        Box::pin(async move {
            if !self.started.get() || self.over.get() {
                // A step before the start belongs to nothing.
                return Ok(());
            }
            let carries = !event.is_empty();
            self.tell(AgentEvent::MessageUpdate { message: live.clone(), update: event }, carries).await
        })
    }
}
