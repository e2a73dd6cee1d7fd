//! The order in which the events of a run may come.

use std::rc::Rc;

use steersman::native::{AgentEvent, AgentMessage, Content, StopReason, ToolCall};

/// Beginning of every failure that a schedule injects.
pub const INJECTED: &str = "injected";

/// Follows the events of one run.
pub struct Grammar {
    phase: Phase,
    /// The rules of 1.6.0: every call of a batch is recorded, whatever happens.
    every_call: bool,
    /// Something was made to fail: the run may break off and end with its closing events.
    pub failing: bool,
    /// Complete loops.
    pub loops: usize,
    pub agent_ends: usize,
    closing: bool,
}

enum Phase {
    Outside,
    Begun,
    /// In a turn, before its answer.
    Turn,
    /// A message that is not the answer.
    Entering(Rc<AgentMessage>),
    Answering {
        streamed: bool,
    },
    Batch(Batch),
    /// After a turn; a failed answer ends the run.
    AfterTurn {
        failed: bool,
    },
    /// Closing events of a failed run, and how many have come.
    Closing(usize),
}

#[derive(Default)]
struct Batch {
    calls: Vec<Rc<ToolCall>>,
    started: usize,
    ended: Vec<bool>,
    results: usize,
    /// A result whose end is due.
    result: Option<Rc<AgentMessage>>,
    failed: bool,
}

impl Grammar {
    pub fn new(every_call: bool) -> Self {
        Grammar { phase: Phase::Outside, every_call, failing: false, loops: 0, agent_ends: 0, closing: false }
    }

    /// Whether the run may be over now.
    pub fn complete(&self) -> bool {
        matches!(self.phase, Phase::Outside) && self.agent_ends > 0
    }

    /// Take an event.
    pub fn step(&mut self, event: &AgentEvent) -> Result<(), String> {
        if let AgentEvent::AgentEnd { .. } = event {
            self.agent_ends += 1;
        }
        if self.failing && !self.closing && begins_closing(event) {
            self.closing = true;
            self.phase = Phase::Closing(1);
            return Ok(());
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Outside);
        let name = phase.name();
        match self.next(phase, event) {
            Some(phase) => {
                self.phase = phase;
                Ok(())
            }
            None => Err(format!("{} in {name}", event.name())),
        }
    }

    fn next(&mut self, phase: Phase, event: &AgentEvent) -> Option<Phase> {
        Some(match (phase, event) {
            (Phase::Outside, AgentEvent::AgentStart) if !self.closing => Phase::Begun,
            (Phase::Begun | Phase::AfterTurn { failed: false }, AgentEvent::TurnStart) => Phase::Turn,
            (Phase::Turn, AgentEvent::MessageStart { message }) => match &**message {
                AgentMessage::Partial(_) => Phase::Answering { streamed: true },
                AgentMessage::Assistant(_) => Phase::Answering { streamed: false },
                AgentMessage::ToolResult(_) => return None,
                _ => Phase::Entering(message.clone()),
            },
            (Phase::Entering(entering), AgentEvent::MessageEnd { message }) if Rc::ptr_eq(&entering, message) => {
                Phase::Turn
            }
            (Phase::Answering { streamed: true }, AgentEvent::MessageUpdate { .. }) => {
                Phase::Answering { streamed: true }
            }
            // The answer begins anew.
            (Phase::Answering { streamed: true }, AgentEvent::MessageStart { message })
                if matches!(**message, AgentMessage::Partial(_)) =>
            {
                Phase::Answering { streamed: true }
            }
            (Phase::Answering { .. }, AgentEvent::MessageEnd { message }) => Phase::Batch(Batch::of(message)?),
            (Phase::Batch(mut batch), event) => {
                if let AgentEvent::TurnEnd { .. } = event {
                    return batch.complete(self.every_call).then_some(Phase::AfterTurn { failed: batch.failed });
                }
                batch.step(event)?;
                Phase::Batch(batch)
            }
            (Phase::AfterTurn { .. }, AgentEvent::AgentEnd { .. }) => {
                self.loops += 1;
                Phase::Outside
            }
            (Phase::Closing(1), AgentEvent::MessageEnd { .. }) => Phase::Closing(2),
            (Phase::Closing(2), AgentEvent::TurnEnd { tool_results, .. }) if tool_results.is_empty() => {
                Phase::Closing(3)
            }
            (Phase::Closing(3), AgentEvent::AgentEnd { messages }) if messages.len() == 1 => Phase::Outside,
            _ => return None,
        })
    }
}

/// The message that tells of a failure.
fn begins_closing(event: &AgentEvent) -> bool {
    let AgentEvent::MessageStart { message } = event else { return false };
    let error = message.as_assistant().and_then(|answer| answer.error_message.as_deref());
    error.is_some_and(|error| error.starts_with(INJECTED))
}

impl Batch {
    fn of(message: &Rc<AgentMessage>) -> Option<Self> {
        let answer = message.as_assistant()?;
        let failed = matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
        let calls = answer.content.iter().filter_map(|block| match block {
            Content::ToolCall(call) => Some(call.clone()),
            _ => None,
        });
        let calls: Vec<_> = if failed { Vec::new() } else { calls.collect() };
        Some(Batch { ended: vec![false; calls.len()], calls, failed, ..Batch::default() })
    }

    fn step(&mut self, event: &AgentEvent) -> Option<()> {
        match event {
            AgentEvent::ToolExecutionStart { call } => {
                let due = self.calls.get(self.started).filter(|due| Rc::ptr_eq(due, call));
                due.filter(|_| self.result.is_none())?;
                self.started += 1;
            }
            AgentEvent::ToolExecutionUpdate { call, .. } => drop(self.running(call)?),
            AgentEvent::ToolExecutionEnd { call, .. } => {
                let place = self.running(call)?;
                self.ended[place] = true;
            }
            AgentEvent::MessageStart { message } => {
                let AgentMessage::ToolResult(result) = &**message else { return None };
                let due = self.calls.get(self.results).filter(|due| due.id == result.tool_call_id);
                due.filter(|_| self.ended[self.results] && self.result.is_none())?;
                self.result = Some(message.clone());
            }
            AgentEvent::MessageEnd { message } => {
                self.result.take().filter(|due| Rc::ptr_eq(due, message))?;
                self.results += 1;
            }
            _ => return None,
        }
        Some(())
    }

    /// The place of a call that runs.
    fn running(&self, call: &Rc<ToolCall>) -> Option<usize> {
        let place = self.calls.iter().position(|known| Rc::ptr_eq(known, call))?;
        (place < self.started && !self.ended[place]).then_some(place)
    }

    fn complete(&self, every_call: bool) -> bool {
        let all = if every_call { self.results == self.calls.len() } else { self.results == self.started };
        all && self.result.is_none() && self.ended.iter().take(self.started).all(|ended| *ended)
    }
}

impl Phase {
    fn name(&self) -> &'static str {
        match self {
            Phase::Outside => "no run",
            Phase::Begun => "a run that just began",
            Phase::Turn => "a turn before its answer",
            Phase::Entering(_) => "a message that enters",
            Phase::Answering { .. } => "an answer",
            Phase::Batch(_) => "a batch of calls",
            Phase::AfterTurn { .. } => "the time after a turn",
            Phase::Closing(_) => "the closing events",
        }
    }
}
