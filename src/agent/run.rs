//! One run of an agent.

use std::rc::Rc;

use futures::future::{ready, LocalBoxFuture};

use super::{Agent, Inner};
use crate::abort::Abort;
use crate::agent_loop;
use crate::error::Error;
use crate::event::Event;
use crate::host::Host;
use crate::native::{
    AgentEvent, AgentMessage, AssistantMessage, Content, Context, Hook, Limiter, Native, Shell, StopReason, Usage,
};
use crate::slot::Slot;

/// What a run starts with.
pub(super) enum Start {
    /// These messages.
    Prompts(Vec<Rc<AgentMessage>>),
    /// Steering messages: the first poll of the run must not take more of them.
    Steering(Vec<Rc<AgentMessage>>),
    /// The transcript as it is.
    Transcript,
}

impl Inner {
    /// What is queued: steering first, then follow-ups.
    pub(super) fn take_queued(&self) -> Option<Start> {
        let steering = self.steering.drain();
        if !steering.is_empty() {
            return Some(Start::Steering(steering));
        }
        let follow_ups = self.follow_ups.drain();
        (!follow_ups.is_empty()).then_some(Start::Prompts(follow_ups))
    }
}

impl Agent {
    /// One run, from start to idle.
    pub(super) async fn run(&self, start: Start) -> Result<(), Error> {
        let abort = Abort::default();
        self.0.active.replace(Some(abort.clone()));
        let over = Over { agent: self.0.clone(), abort: abort.clone(), ended: Slot::new(false) };
        drop(self.0.state.streaming.take());
        drop(self.0.state.error_message.take());
        // One for all its loops: what listeners of `agent_end` queue belongs to the run.
        let limiter = Limiter::new(&self.0.config.get());
        let ended = match self.loops(start, &abort, &limiter).await {
            Ok(()) => Ok(()),
            Err(error) => self.fail(&abort, &error, limiter).await,
        };
        over.ended.replace(true);
        ended
    }

    /// Usually one loop. Messages that listeners of `agent_end` queue come after its last poll and need another.
    async fn loops(&self, start: Start, abort: &Abort, limiter: &Rc<Limiter>) -> Result<(), Error> {
        let state = &self.0.state;
        let mut next = Some(start);
        while let Some(start) = next {
            let skip = matches!(start, Start::Steering(_));
            let shell = Rc::new(RunShell::new(&self.0, abort, skip));
            let host = self.host(shell.clone(), abort, limiter.clone());
            let messages = Rc::new(Slot::new(state.messages.get()));
            let context = Rc::new(Context::new(messages, state.tools.get(), state.system_prompt.get()));
            match start {
                Start::Prompts(prompts) | Start::Steering(prompts) => {
                    agent_loop::run(&host, &Rc::new(Slot::new(prompts)), &context).await?;
                }
                Start::Transcript => drop(agent_loop::run_continue(&host, &context).await?),
            }
            next = if shell.ran_dry.get() && !abort.aborted() { self.0.take_queued() } else { None };
        }
        Ok(())
    }

    fn host(&self, shell: Rc<RunShell>, abort: &Abort, limiter: Rc<Limiter>) -> Native {
        let state = &self.0.state;
        Native::new(self.0.config.get(), limiter, shell, abort.clone(), state.model.get(), state.thinking_level.get())
    }

    /// Something failed that should not have: the run still ends with every closing event, and the failure is a
    /// message. Fails only when a listener fails again.
    async fn fail(&self, abort: &Abort, error: &Error, limiter: Rc<Limiter>) -> Result<(), Error> {
        let model = self.model();
        let message = Rc::new(AgentMessage::Assistant(AssistantMessage {
            content: vec![Content::text("")],
            api: model.text("api").into(),
            provider: model.text("provider").into(),
            model: model.text("id").into(),
            usage: Usage::default(),
            stop_reason: if abort.aborted() { StopReason::Aborted } else { StopReason::Error },
            error_message: Some(error.message.clone()),
            timestamp: (self.0.config.get().now)(),
            ..AssistantMessage::default()
        }));
        let host = self.host(Rc::new(RunShell::new(&self.0, abort, false)), abort, limiter);
        let (results, added) = (host.list(), host.list());
        added.push(message.clone());
        host.emit(Event::MessageStart(&message)).await?;
        host.emit(Event::MessageEnd(&message)).await?;
        host.emit(Event::TurnEnd { message: &message, results: &results }).await?;
        host.emit(Event::AgentEnd { messages: &added }).await
    }
}

/// The end of a run, also when its future is dropped.
struct Over {
    agent: Rc<Inner>,
    abort: Abort,
    ended: Slot<bool>,
}

impl Drop for Over {
    fn drop(&mut self) {
        if !self.ended.get() {
            // Whatever a tool or hook has started elsewhere is told.
            self.abort.abort("the run was dropped");
        }
        self.agent.state.rest();
        drop(self.agent.active.take());
        self.agent.listeners.tidy();
        for waker in self.agent.idle.take() {
            waker.wake();
        }
    }
}

/// The agent around a run.
struct RunShell {
    agent: Rc<Inner>,
    abort: Abort,
    /// The steering that became the prompt counts as the first poll.
    skip: Slot<bool>,
    /// The run ended by itself with empty queues: it would miss what listeners of `agent_end` queue.
    ran_dry: Slot<bool>,
}

impl RunShell {
    fn new(agent: &Rc<Inner>, abort: &Abort, skip: bool) -> Self {
        RunShell { agent: agent.clone(), abort: abort.clone(), skip: Slot::new(skip), ran_dry: Slot::new(false) }
    }

    fn note(&self, event: &AgentEvent) {
        let dry = match event {
            AgentEvent::TurnEnd { message, .. } => message
                .as_assistant()
                .is_some_and(|answer| !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)),
            AgentEvent::AgentEnd { .. } => {
                self.ran_dry.get() && !self.agent.steering.has_items() && !self.agent.follow_ups.has_items()
            }
            _ => return,
        };
        self.ran_dry.replace(dry);
    }
}

impl Shell for RunShell {
    fn deliver(&self, event: AgentEvent) -> LocalBoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            self.agent.state.reduce(&event);
            self.note(&event);
            self.agent.streams.push(&event);
            self.agent.listeners.deliver(&event, &self.abort).await
        })
    }

    fn steering(&self) -> Hook<'_, Vec<Rc<AgentMessage>>> {
        let taken = if self.skip.replace(false) { Vec::new() } else { self.agent.steering.drain() };
        Box::pin(ready(Ok(taken)))
    }

    fn steering_waits(&self) -> bool {
        self.agent.steering.has_items()
    }

    fn follow_ups(&self) -> Hook<'_, Vec<Rc<AgentMessage>>> {
        Box::pin(ready(Ok(self.agent.follow_ups.drain())))
    }
}
