//! The host for Rust: messages are `Rc<AgentMessage>`, tools and hooks are traits, listeners are closures.
//!
//! | file | what it holds |
//! |---|---|
//! | `message` | messages, content blocks, usage |
//! | `event` | events as Rust listeners see them |
//! | `live`, `streaming` | the answer that is still streaming, and how its steps are delivered |
//! | `tool`, `hooks`, `stream_fn` | what an application implements |
//! | `listeners` | who is told |
//! | `system` | what the model was told about prompt and tools |
//! | `ask` | one request |
//! | `context`, `host` | what a run works on; how all of this plays the engine's `Host` |
//! | `arguments`, `execute`, `result` | a tool call's arguments, its run, its result |
//! | `limits` | how far a run may go |
//! | `low_level` | runs without an agent |
//! | `wires`, `transport` | the built-in protocols as a stream function |
//! | `encode`, `decode` | messages as the JSON of the JavaScript API |

mod arguments;
mod ask;
mod context;
mod decode;
mod encode;
mod event;
mod execute;
mod hooks;
mod host;
mod limits;
mod listeners;
mod live;
mod low_level;
mod message;
mod pretty;
mod result;
mod stream_fn;
mod streaming;
pub(crate) mod system;
mod tool;
mod transport;
mod wires;

pub use context::Shell;
pub use event::{AgentEvent, Events, ResponseEvent};
pub use hooks::{
    AfterToolCall, BeforeToolCall, Hook, Hooks, NextTurn, NoHooks, RequestState, ToolCallFacts, ToolResultFacts,
    TurnFacts,
};
pub use limits::Limits;
pub use listeners::{Listener, Subscription};
pub use live::Live;
pub use low_level::{Loop, ToolCallOutcome};
pub use message::{
    AgentMessage, AssistantMessage, Content, Cost, CustomMessage, StopReason, SystemMessage, ToolCall, ToolDeclaration,
    ToolResultMessage, Usage, UserMessage,
};
pub use stream_fn::{Request, ResponseSink, StreamFn};
pub use tool::{tool_fn, Tool, ToolContext, ToolFn, ToolOutput};
pub use transport::{HttpResponse, Transport};
pub use wires::Wires;

pub(crate) use context::{Config, Context, List, Registered};
pub(crate) use event::EventQueues;
pub(crate) use host::Native;
pub(crate) use limits::{Bounds, Limiter};
pub(crate) use listeners::Listeners;
