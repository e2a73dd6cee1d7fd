//! Events as Rust listeners see them.

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use futures::Stream;

use super::live::Live;
use super::message::{AgentMessage, ToolCall};
use super::tool::ToolOutput;
use crate::slot::Slot;

/// What happened in a run; cloning it copies handles.
#[derive(Clone)]
pub enum AgentEvent {
    /// The run began.
    AgentStart,
    /// A turn began.
    TurnStart,
    /// A message entered the transcript; a streaming answer comes as `AgentMessage::Partial`.
    MessageStart {
        /// The message.
        message: Rc<AgentMessage>,
    },
    /// The answer grew.
    MessageUpdate {
        /// The answer so far.
        message: Live,
        /// What is new.
        update: ResponseEvent,
    },
    /// A message is complete.
    MessageEnd {
        /// The message.
        message: Rc<AgentMessage>,
    },
    /// A call was taken up.
    ToolExecutionStart {
        /// The call, arguments as the model gave them.
        call: Rc<ToolCall>,
    },
    /// A tool reported progress.
    ToolExecutionUpdate {
        /// The call.
        call: Rc<ToolCall>,
        /// What it has so far.
        partial: Rc<ToolOutput>,
    },
    /// A call is finished.
    ToolExecutionEnd {
        /// The call.
        call: Rc<ToolCall>,
        /// Its result.
        output: Rc<ToolOutput>,
        /// Whether it failed.
        is_error: bool,
        /// Milliseconds the tool ran; `None` when it did not run.
        duration_ms: Option<f64>,
    },
    /// A turn is over.
    TurnEnd {
        /// The answer.
        message: Rc<AgentMessage>,
        /// Its tool results, in source order.
        tool_results: Vec<Rc<AgentMessage>>,
    },
    /// The run is over.
    AgentEnd {
        /// Everything the run added.
        messages: Vec<Rc<AgentMessage>>,
    },
}

impl AgentEvent {
    /// The name of the JavaScript API.
    pub fn name(&self) -> &'static str {
        match self {
            AgentEvent::AgentStart => "agent_start",
            AgentEvent::TurnStart => "turn_start",
            AgentEvent::MessageStart { .. } => "message_start",
            AgentEvent::MessageUpdate { .. } => "message_update",
            AgentEvent::MessageEnd { .. } => "message_end",
            AgentEvent::ToolExecutionStart { .. } => "tool_execution_start",
            AgentEvent::ToolExecutionUpdate { .. } => "tool_execution_update",
            AgentEvent::ToolExecutionEnd { .. } => "tool_execution_end",
            AgentEvent::TurnEnd { .. } => "turn_end",
            AgentEvent::AgentEnd { .. } => "agent_end",
        }
    }
}

/// One step of a streaming answer; `index` is the block's place in the content.
#[derive(Clone, PartialEq)]
pub enum ResponseEvent {
    /// The answer began. Once more: it begins anew, and what had come is discarded.
    Start,
    /// A text block began.
    TextStart {
        /// Block.
        index: usize,
    },
    /// Text.
    TextDelta {
        /// Block.
        index: usize,
        /// What is new.
        delta: Rc<str>,
    },
    /// A text block is complete.
    TextEnd {
        /// Block.
        index: usize,
    },
    /// A thinking block began.
    ThinkingStart {
        /// Block.
        index: usize,
    },
    /// Thinking.
    ThinkingDelta {
        /// Block.
        index: usize,
        /// What is new.
        delta: Rc<str>,
    },
    /// A thinking block is complete.
    ThinkingEnd {
        /// Block.
        index: usize,
    },
    /// A tool call began; its name is known, its arguments are empty.
    ToolCallStart {
        /// Block.
        index: usize,
        /// The call's id.
        id: Rc<str>,
        /// The tool's name.
        name: Rc<str>,
    },
    /// Text of the arguments.
    ToolCallDelta {
        /// Block.
        index: usize,
        /// What is new.
        delta: Rc<str>,
    },
    /// A tool call is complete.
    ToolCallEnd {
        /// Block.
        index: usize,
    },
}

impl ResponseEvent {
    /// Whether it is a delta that carries nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            ResponseEvent::TextDelta { delta, .. }
            | ResponseEvent::ThinkingDelta { delta, .. }
            | ResponseEvent::ToolCallDelta { delta, .. } => delta.is_empty(),
            _ => false,
        }
    }
}

/// The events of an agent as a `Stream`, from the moment it was asked for until it is dropped. It gets every event,
/// whatever the listeners do, and never holds a run up: what is not taken yet is kept.
pub struct Events {
    queue: Rc<EventQueue>,
}

/// Where events wait for their [`Events`].
#[derive(Default)]
struct EventQueue {
    waiting: Slot<std::collections::VecDeque<AgentEvent>>,
    waker: Slot<Option<Waker>>,
    closed: Slot<bool>,
}

impl EventQueue {
    fn push(&self, event: AgentEvent) {
        self.waiting.change(|waiting| waiting.push_back(event));
        self.wake();
    }

    fn close(&self) {
        self.closed.replace(true);
        self.wake();
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Events {
    /// The next event; `None` once the agent is gone and everything was taken.
    pub async fn next(&mut self) -> Option<AgentEvent> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl Stream for Events {
    type Item = AgentEvent;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        if let Some(event) = self.queue.waiting.change(std::collections::VecDeque::pop_front) {
            return Poll::Ready(Some(event));
        }
        if self.queue.closed.get() {
            return Poll::Ready(None);
        }
        drop(self.queue.waker.replace(Some(cx.waker().clone())));
        Poll::Pending
    }
}

/// The event streams of an agent; closed when the agent goes.
#[derive(Default)]
pub(crate) struct EventQueues(Slot<Vec<Weak<EventQueue>>>);

impl EventQueues {
    /// A new stream.
    pub(crate) fn open(&self) -> Events {
        let queue = Rc::new(EventQueue::default());
        self.0.change(|queues| {
            queues.retain(|queue| queue.strong_count() > 0);
            queues.push(Rc::downgrade(&queue));
        });
        Events { queue }
    }

    /// Give an event to every stream.
    pub(crate) fn push(&self, event: &AgentEvent) {
        for index in 0..self.0.len() {
            if let Some(queue) = self.0.at(index).and_then(|queue| queue.upgrade()) {
                queue.push(event.clone());
            }
        }
    }
}

impl Drop for EventQueues {
    fn drop(&mut self) {
        for queue in self.0.take() {
            if let Some(queue) = queue.upgrade() {
                queue.close();
            }
        }
    }
}
