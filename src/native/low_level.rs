//! [`Loop`]: runs without an agent around them.

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::context::{Config, Context, Shell};
use super::event::AgentEvent;
use super::host::Native;
use super::limits::Limiter;
use super::message::{AgentMessage, ToolCall};
use super::tool::ToolOutput;
use crate::abort::Abort;
use crate::agent_loop;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::profile::Profile;
use crate::tool_call::run_tool_call;

/// The loop without an [`Agent`](crate::agent::Agent): no state, no queues, one run per call. What surrounds a run is
/// your own [`Shell`]. Made by [`AgentBuilder::build_loop`](crate::agent::AgentBuilder::build_loop).
pub struct Loop {
    pub(crate) config: Config,
    pub(crate) model: Rc<Model>,
    pub(crate) thinking_level: Rc<str>,
    pub(crate) context: Rc<Context>,
}

/// What a single tool call came to.
pub struct ToolCallOutcome {
    /// Its result.
    pub output: Rc<ToolOutput>,
    /// Whether it failed.
    pub is_error: bool,
    /// Milliseconds the tool ran; `None` when it did not run.
    pub duration_ms: Option<f64>,
}

impl Loop {
    /// Messages of the context; [`Loop::run_continue`] adds to them, [`Loop::run`] works on a copy.
    pub fn messages(&self) -> Vec<Rc<AgentMessage>> {
        self.context.messages.get()
    }

    /// Run with new messages. Gives what the run added, prompts included.
    ///
    /// # Errors
    /// Whatever failed in a place where it must not: a hook, the shell. Events that were delivered stay delivered, and
    /// there is no `agent_end`.
    pub async fn run(
        &self,
        prompts: Vec<Rc<AgentMessage>>,
        shell: Rc<dyn Shell>,
        abort: Abort,
    ) -> Result<Vec<Rc<AgentMessage>>, Error> {
        let prompts = Rc::new(crate::slot::Slot::new(prompts));
        let added = agent_loop::run(&self.host(shell, abort), &prompts, &self.context).await?;
        Ok(added.get())
    }

    /// Run from the context as it is.
    ///
    /// # Errors
    /// As [`Loop::run`]; and misuse, before any event: the context is empty or ends with an answer.
    pub async fn run_continue(&self, shell: Rc<dyn Shell>, abort: Abort) -> Result<Vec<Rc<AgentMessage>>, Error> {
        let refused = |text| Err(Error::new(ErrorKind::NothingToContinue, text));
        match self.messages().last().map(|message| message.role() == "assistant") {
            None => return refused("Cannot continue: no messages in context"),
            Some(true) => return refused("Cannot continue from message role: assistant"),
            Some(false) => {}
        }
        let added = agent_loop::run_continue(&self.host(shell, abort), &self.context).await?;
        Ok(added.get())
    }

    /// One tool call with all that belongs to it: arguments, hooks, the tool. For tools that call other tools. No
    /// events and no messages; `updates` hears the tool's reports.
    ///
    /// # Errors
    /// Failures of the call are outcomes; this fails only when the host does.
    pub async fn tool_call(
        &self,
        call: ToolCall,
        message: Rc<AgentMessage>,
        updates: impl Fn(Rc<ToolOutput>) + 'static,
        abort: Abort,
    ) -> Result<ToolCallOutcome, Error> {
        let host = self.host(Rc::new(Updates(updates)), abort);
        let done = run_tool_call(&host, &self.context, &message, &Rc::new(call)).await?;
        Ok(ToolCallOutcome { output: done.result, is_error: done.is_error, duration_ms: done.duration })
    }

    fn host(&self, shell: Rc<dyn Shell>, abort: Abort) -> Native {
        let (limiter, level) = (Limiter::new(&self.config), self.thinking_level.clone());
        let mut host = Native::new(self.config.clone(), limiter, shell, abort, self.model.clone(), level);
        if self.config.profile.has(Profile::SYSTEM_MESSAGES) {
            host.system_prompt = self.context.system_prompt.get();
        }
        host
    }
}

/// Hears nothing but the reports of a tool.
struct Updates<F>(F);

impl<F: Fn(Rc<ToolOutput>)> Shell for Updates<F> {
    fn deliver(&self, event: AgentEvent) -> LocalBoxFuture<'_, Result<(), Error>> {
        if let AgentEvent::ToolExecutionUpdate { partial, .. } = event {
            (self.0)(partial);
        }
        Box::pin(std::future::ready(Ok(())))
    }
}
