//! The state of an agent, and how events change it.

use std::rc::Rc;

use crate::model::Model;
use crate::native::{AgentEvent, AgentMessage, List, Registered};
use crate::slot::Slot;

pub(super) struct State {
    pub messages: List,
    pub tools: Slot<Vec<Registered>>,
    /// Where the profile keeps the prompt outside the transcript.
    pub system_prompt: Slot<Rc<str>>,
    pub model: Slot<Rc<Model>>,
    pub thinking_level: Slot<Rc<str>>,
    /// The message that is coming in.
    pub streaming: Slot<Option<Rc<AgentMessage>>>,
    /// Each id once, as a set.
    pub pending_calls: Slot<Vec<String>>,
    pub error_message: Slot<Option<String>>,
}

impl State {
    pub fn new(
        messages: Vec<Rc<AgentMessage>>,
        tools: Vec<Registered>,
        system_prompt: Rc<str>,
        model: Rc<Model>,
        thinking_level: Rc<str>,
    ) -> Self {
        State {
            messages: Rc::new(Slot::new(messages)),
            tools: Slot::new(tools),
            system_prompt: Slot::new(system_prompt),
            model: Slot::new(model),
            thinking_level: Slot::new(thinking_level),
            streaming: Slot::new(None),
            pending_calls: Slot::new(Vec::new()),
            error_message: Slot::new(None),
        }
    }

    /// Bring it up to date with an event, before the listeners get it.
    pub fn reduce(&self, event: &AgentEvent) {
        match event {
            AgentEvent::MessageStart { message } => drop(self.streaming.replace(Some(message.clone()))),
            AgentEvent::MessageUpdate { message, .. } => {
                let message = Rc::new(AgentMessage::Partial(message.clone()));
                drop(self.streaming.replace(Some(message)));
            }
            AgentEvent::MessageEnd { message } => {
                drop(self.streaming.take());
                self.messages.push(message.clone());
            }
            AgentEvent::ToolExecutionStart { call } => self.pending_calls.change(|pending| {
                if !pending.contains(&call.id) {
                    pending.push(call.id.clone());
                }
            }),
            AgentEvent::ToolExecutionEnd { call, .. } => {
                self.pending_calls.change(|pending| pending.retain(|id| *id != call.id));
            }
            AgentEvent::TurnEnd { message, .. } => {
                let said = message.as_assistant().and_then(|answer| answer.error_message.clone());
                if let Some(error) = said.filter(|error| !error.is_empty()) {
                    drop(self.error_message.replace(Some(error)));
                }
            }
            AgentEvent::AgentEnd { .. } => drop(self.streaming.take()),
            AgentEvent::AgentStart | AgentEvent::TurnStart | AgentEvent::ToolExecutionUpdate { .. } => {}
        }
    }

    /// No run is in progress.
    pub fn rest(&self) {
        drop(self.streaming.take());
        drop(self.pending_calls.take());
    }
}
