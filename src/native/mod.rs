//! The host for Rust: messages are `Rc<AgentMessage>`, tools and hooks are traits, listeners are closures.
//!
//! | file | what it holds |
//! |---|---|
//! | `message` | messages, content blocks, usage |
//! | `event` | events as Rust listeners see them |
//! | `live` | the answer that is still streaming |
//! | `tool`, `hooks`, `stream_fn` | what an application implements |
//! | `listeners` | who is told |
//! | `system` | what the model was told about prompt and tools |
//! | `run` | how all of this plays the engine's `Host` |

mod event;
mod hooks;
mod listeners;
mod live;
mod message;
mod pretty;
mod run;
mod stream_fn;
pub(crate) mod system;
mod tool;

pub use event::{AgentEvent, Events, ResponseEvent};
pub use hooks::{
    AfterToolCall, BeforeToolCall, Hook, Hooks, NextTurn, NoHooks, RequestState, ToolCallFacts, ToolResultFacts,
    TurnFacts,
};
pub use listeners::{Listener, Subscription};
pub use live::Live;
pub use message::{
    AgentMessage, AssistantMessage, Content, Cost, CustomMessage, StopReason, SystemMessage, ToolCall, ToolDeclaration,
    ToolResultMessage, Usage, UserMessage,
};
pub use stream_fn::{Request, ResponseSink, StreamFn};
pub use tool::{tool_fn, Tool, ToolContext, ToolFn, ToolOutput};

pub(crate) use event::{EventQueue, EventQueues};
pub(crate) use listeners::Listeners;
pub(crate) use run::{Config, Context, List, Native, Registered, Shell};
