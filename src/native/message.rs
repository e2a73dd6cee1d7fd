//! Messages of a conversation, as the JavaScript API names them.

use std::any::Any;
use std::rc::Rc;

use steersman_wire::json::{Object, Value};

use super::live::Live;

/// A message of the transcript.
#[derive(Clone)]
pub enum AgentMessage {
    /// Prompt and tool declarations, or a change of them.
    System(SystemMessage),
    /// What the user said.
    User(UserMessage),
    /// What the model answered.
    Assistant(AssistantMessage),
    /// What a tool call came to.
    ToolResult(ToolResultMessage),
    /// A message of the application; the model does not see it unless `convert_to_llm` makes something of it.
    Custom(CustomMessage),
    /// The answer that is still streaming; only in the context of a run, replaced when the answer is complete.
    Partial(Live),
}

impl AgentMessage {
    /// A user message with one text, timestamp 0 (the shell fills it in).
    pub fn user(text: impl Into<String>) -> Self {
        AgentMessage::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() })
    }

    /// `system`, `user`, `assistant`, `toolResult`, or the role of a custom message.
    pub fn role(&self) -> &str {
        match self {
            AgentMessage::System(_) => "system",
            AgentMessage::User(_) => "user",
            AgentMessage::Assistant(_) | AgentMessage::Partial(_) => "assistant",
            AgentMessage::ToolResult(_) => "toolResult",
            AgentMessage::Custom(custom) => &custom.role,
        }
    }

    /// The assistant message, when it is one and complete.
    pub fn as_assistant(&self) -> Option<&AssistantMessage> {
        match self {
            AgentMessage::Assistant(message) => Some(message),
            _ => None,
        }
    }

    /// All text of the message, blocks joined without separator; thinking and calls left out.
    pub fn text(&self) -> String {
        match self {
            AgentMessage::System(message) => message.content.clone(),
            AgentMessage::User(message) => text_of(&message.content),
            AgentMessage::Assistant(message) => text_of(&message.content),
            AgentMessage::ToolResult(message) => text_of(&message.content),
            AgentMessage::Custom(_) => String::new(),
            AgentMessage::Partial(live) => text_of(&live.snapshot().content),
        }
    }
}

fn text_of(content: &[Content]) -> String {
    content
        .iter()
        .filter_map(|block| match block {
            Content::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// A block of content.
#[derive(Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// The provider's signature, to be sent back as it is.
        signature: Option<String>,
    },
    /// What the model thought aloud.
    Thinking {
        /// The thinking.
        thinking: String,
        /// The provider's signature, to be sent back as it is.
        signature: Option<String>,
        /// The provider withheld the text.
        redacted: bool,
    },
    /// A picture.
    Image {
        /// Base64.
        data: String,
        /// Like `image/png`.
        mime_type: String,
    },
    /// The model wants a tool to run.
    ToolCall(Rc<ToolCall>),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text { text: text.into(), signature: None }
    }
}

/// A tool call of the model.
#[derive(Clone, PartialEq, Default)]
pub struct ToolCall {
    /// Unique in the conversation; results refer to it.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Arguments as the model gave them, before coercion; an object.
    pub arguments: Value,
    /// The exact text, where numbers have more digits than a double keeps.
    pub arguments_text: Option<String>,
    /// Why the arguments could not be read; such a call is refused.
    pub arguments_error: Option<String>,
    /// The provider's signature, to be sent back as it is.
    pub thought_signature: Option<String>,
    /// Namespace of the tool, where the provider has them.
    pub namespace: Option<String>,
}

/// Prompt and tools, or a change of them.
#[derive(Clone, Default)]
pub struct SystemMessage {
    /// Prompt text; later messages add to it.
    pub content: String,
    /// Named parts of the prompt; `None` removes one.
    pub sections: Vec<(String, Option<String>)>,
    /// Tools declared from here on.
    pub tools_added: Vec<ToolDeclaration>,
    /// Names of tools taken away.
    pub tools_removed: Vec<String>,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// Everything else, under its JavaScript name.
    pub extra: Object,
}

/// What the model is told about a tool.
#[derive(Clone, PartialEq, Default)]
pub struct ToolDeclaration {
    /// Name in calls.
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// How the provider should constrain what the model writes, as the JSON of the JavaScript API.
    pub constrained_sampling: Option<Value>,
}

/// What the user said.
#[derive(Clone, Default)]
pub struct UserMessage {
    /// Text and images.
    pub content: Vec<Content>,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// Everything else, under its JavaScript name.
    pub extra: Object,
}

/// An answer of the model.
#[derive(Clone, Default)]
pub struct AssistantMessage {
    /// Blocks in order.
    pub content: Vec<Content>,
    /// Wire protocol it came by.
    pub api: String,
    /// Provider it came from.
    pub provider: String,
    /// Model that was asked.
    pub model: String,
    /// Tokens and cost.
    pub usage: Usage,
    /// How it ended.
    pub stop_reason: StopReason,
    /// What went wrong, with `Error` and `Aborted`.
    pub error_message: Option<String>,
    /// Thinking level that was asked for.
    pub thinking_level: Option<String>,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// Everything else the wire reported (`responseId`, `rawStopReason`, ...), under its JavaScript name.
    pub extra: Object,
}

/// How an answer ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum StopReason {
    /// Still streaming.
    #[default]
    Pending,
    /// The model was done.
    Stop,
    /// The output limit cut it.
    Length,
    /// It wants tools to run.
    ToolUse,
    /// It failed; `error_message` says why.
    Error,
    /// The application stopped it.
    Aborted,
    /// The provider finishes it later.
    Deferred,
}

impl StopReason {
    const NAMES: [(StopReason, &'static str); 7] = [
        (StopReason::Pending, "pending"),
        (StopReason::Stop, "stop"),
        (StopReason::Length, "length"),
        (StopReason::ToolUse, "toolUse"),
        (StopReason::Error, "error"),
        (StopReason::Aborted, "aborted"),
        (StopReason::Deferred, "deferred"),
    ];

    /// The word of the JavaScript API.
    pub fn name(self) -> &'static str {
        StopReason::NAMES.iter().find(|(reason, _)| *reason == self).map_or("pending", |(_, name)| name)
    }

    /// From the word; `None` for another one.
    pub fn of(name: &str) -> Option<Self> {
        StopReason::NAMES.iter().find(|(_, known)| *known == name).map(|(reason, _)| *reason)
    }
}

/// Tokens of an answer; the four counts do not overlap.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Usage {
    /// Input that came from no cache.
    pub input: f64,
    /// Output, reasoning included.
    pub output: f64,
    /// Input read from a cache.
    pub cache_read: f64,
    /// Input written to a cache.
    pub cache_write: f64,
    /// Part of `cache_write` that is kept for an hour, where the provider says it.
    pub cache_write_1h: Option<f64>,
    /// Part of `output`, where the provider says it.
    pub reasoning: Option<f64>,
    /// Sum of the four.
    pub total_tokens: f64,
    /// What it cost.
    pub cost: Cost,
}

/// Money, in the unit of the model's prices.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Cost {
    /// For `input`.
    pub input: f64,
    /// For `output`.
    pub output: f64,
    /// For `cache_read`.
    pub cache_read: f64,
    /// For `cache_write`.
    pub cache_write: f64,
    /// The sum, or what the provider billed.
    pub total: f64,
    /// Whether the provider itself said what `total` is; `None` where nobody knows.
    pub total_from_provider: Option<bool>,
}

/// What a tool call came to.
#[derive(Clone, Default)]
pub struct ToolResultMessage {
    /// The call's id.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// Text and images for the model.
    pub content: Vec<Content>,
    /// For the application; the model does not see it.
    pub details: Option<Value>,
    /// Tokens the tool itself used.
    pub usage: Option<Usage>,
    /// Whether it failed.
    pub is_error: bool,
    /// Milliseconds the tool ran; `None` when it did not run or nothing measures it.
    pub duration_ms: Option<f64>,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// Everything else (`nestedCalls`, ...), under its JavaScript name.
    pub extra: Object,
}

/// A message of the application; kept by identity, never looked into.
#[derive(Clone)]
pub struct CustomMessage {
    /// Any role but those of the other messages.
    pub role: String,
    /// Anything.
    pub payload: Rc<dyn Any>,
}
