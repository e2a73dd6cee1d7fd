//! Lifecycle events of a run, borrowed: emitting one copies nothing.
//!
//! `message_update` and `tool_execution_update` are not here: they belong to the host, which delivers them where the
//! stream or the tool lives, so that no delta passes through the engine.

use crate::host::Host;

/// What happened; the order of a run is drawn in `docs/events.md`.
pub enum Event<'a, H: Host> {
    /// The run began.
    AgentStart,
    /// A turn (one request and its tool results) began.
    TurnStart,
    /// A message entered the transcript.
    MessageStart(&'a H::Message),
    /// A message is complete.
    MessageEnd(&'a H::Message),
    /// A call was taken up; it may still be refused.
    ToolStart(&'a H::Call),
    /// A call is finished, refused ones included.
    ToolEnd {
        /// The call.
        call: &'a H::Call,
        /// Its result.
        result: &'a H::Output,
        /// Whether it failed.
        is_error: bool,
        /// How long the tool ran.
        duration: &'a H::Duration,
    },
    /// A turn is over.
    TurnEnd {
        /// The assistant message of the turn.
        message: &'a H::Message,
        /// Its tool results, in source order.
        results: &'a H::List,
    },
    /// The run is over; always the last event, exactly once.
    AgentEnd {
        /// Everything the run added.
        messages: &'a H::List,
    },
}
