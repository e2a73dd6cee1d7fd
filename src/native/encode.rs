//! Messages as the JSON of the JavaScript API: what requests are built from and transcripts are kept as.

use steersman_wire::json::{number, write_string, write_value, Object, Value};

use super::message::{
    AgentMessage, AssistantMessage, Content, SystemMessage, ToolCall, ToolDeclaration, ToolResultMessage, Usage,
    UserMessage,
};
use super::tool::ToolOutput;

impl AgentMessage {
    /// The message as JSON. Of a custom message whose payload is a [`Value`], that object; of another one its role.
    pub fn to_json(&self) -> String {
        let mut out = Json::default();
        out.message(self);
        out.0
    }
}

impl ToolOutput {
    /// The result as JSON, `terminate` and `isError` only when they are set.
    pub fn to_json(&self) -> String {
        let mut out = Json::default();
        out.output(self);
        out.0
    }
}

impl ToolCall {
    /// The call as the JSON of its content block.
    pub fn to_json(&self) -> String {
        let mut out = Json::default();
        out.call(self);
        out.0
    }
}

/// JSON text being written. Commas come by themselves: one is due unless the text ends with an opener or a colon.
#[derive(Default)]
pub(super) struct Json(pub String);

impl Json {
    fn comma(&mut self) {
        if !matches!(self.0.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(',');
        }
    }

    /// `{`, what `members` writes, and `}`.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.comma();
        self.0.push('{');
        members(self);
        self.0.push('}');
    }

    /// The name of the next member.
    pub fn key(&mut self, name: &str) -> &mut Self {
        self.comma();
        write_string(&mut self.0, name);
        self.0.push(':');
        self
    }

    pub fn text(&mut self, name: &str, value: &str) {
        write_string(&mut self.key(name).0, value);
    }

    pub fn texts(&mut self, members: &[(&str, &Option<String>)]) {
        for (name, value) in members {
            if let Some(value) = value {
                self.text(name, value);
            }
        }
    }

    pub fn value(&mut self, name: &str, value: &Value) {
        write_value(&mut self.key(name).0, value);
    }

    pub fn members(&mut self, members: &Object) {
        members.iter().for_each(|(name, value)| self.value(name, value));
    }

    fn number(&mut self, name: &str, value: f64) {
        number::write_f64(&mut self.key(name).0, if value.is_finite() { value } else { 0.0 });
    }

    fn flag(&mut self, name: &str, value: bool) {
        self.key(name).0.push_str(if value { "true" } else { "false" });
    }

    pub fn list<T>(&mut self, name: &str, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        self.key(name).0.push('[');
        items.into_iter().for_each(|value| item(self, value));
        self.0.push(']');
    }

    pub fn message(&mut self, message: &AgentMessage) {
        match message {
            AgentMessage::System(message) => self.object(|out| out.system(message)),
            AgentMessage::User(message) => self.object(|out| out.user(message)),
            AgentMessage::Assistant(message) => self.object(|out| out.assistant(message)),
            AgentMessage::ToolResult(message) => self.object(|out| out.tool_result(message)),
            AgentMessage::Partial(live) => self.object(|out| out.assistant(&live.snapshot())),
            AgentMessage::Custom(message) => self.object(|out| {
                out.text("role", &message.role);
                if let Some(Value::Object(members)) = message.payload.downcast_ref::<Value>() {
                    let others = members.iter().filter(|(name, _)| *name != "role");
                    others.for_each(|(name, value)| out.value(name, value));
                }
            }),
        }
    }

    fn system(&mut self, message: &SystemMessage) {
        self.text("role", "system");
        self.text("content", &message.content);
        if !message.sections.is_empty() {
            self.key("sections").object(|out| {
                for (name, text) in &message.sections {
                    match text {
                        Some(text) => out.text(name, text),
                        None => out.value(name, &Value::Null),
                    }
                }
            });
        }
        if !message.tools_added.is_empty() {
            self.list("toolsAdded", &message.tools_added, Json::declaration);
        }
        if !message.tools_removed.is_empty() {
            self.list("toolsRemoved", &message.tools_removed, |out, name| out.object(|out| out.text("name", name)));
        }
        self.number("timestamp", message.timestamp);
        self.members(&message.extra);
    }

    /// A tool as the model is told about it.
    pub fn declaration(&mut self, tool: &ToolDeclaration) {
        self.object(|out| {
            out.text("name", &tool.name);
            out.text("description", &tool.description);
            out.value("parameters", &tool.parameters);
            if let Some(sampling) = &tool.constrained_sampling {
                out.value("constrainedSampling", sampling);
            }
        });
    }

    fn user(&mut self, message: &UserMessage) {
        self.text("role", "user");
        self.list("content", &message.content, Json::block);
        self.number("timestamp", message.timestamp);
        self.members(&message.extra);
    }

    fn assistant(&mut self, message: &AssistantMessage) {
        self.text("role", "assistant");
        self.list("content", &message.content, Json::block);
        self.text("api", &message.api);
        self.text("provider", &message.provider);
        self.text("model", &message.model);
        self.usage(&message.usage);
        self.text("stopReason", message.stop_reason.name());
        self.texts(&[("errorMessage", &message.error_message), ("thinkingLevel", &message.thinking_level)]);
        self.number("timestamp", message.timestamp);
        self.members(&message.extra);
    }

    fn tool_result(&mut self, message: &ToolResultMessage) {
        self.text("role", "toolResult");
        self.text("toolCallId", &message.tool_call_id);
        self.text("toolName", &message.tool_name);
        self.list("content", &message.content, Json::block);
        if let Some(details) = &message.details {
            self.value("details", details);
        }
        if let Some(usage) = &message.usage {
            self.usage(usage);
        }
        self.flag("isError", message.is_error);
        if let Some(duration) = message.duration_ms {
            self.number("durationMs", duration);
        }
        self.number("timestamp", message.timestamp);
        self.members(&message.extra);
    }

    fn output(&mut self, output: &ToolOutput) {
        self.object(|out| {
            out.list("content", &output.content, Json::block);
            if let Some(details) = &output.details {
                out.value("details", details);
            }
            if let Some(structured) = &output.structured_content {
                out.value("structuredContent", structured);
            }
            if let Some(usage) = &output.usage {
                out.usage(usage);
            }
            for (name, set) in [("isError", output.is_error), ("terminate", output.terminate)] {
                if set {
                    out.flag(name, true);
                }
            }
            out.members(&output.extra);
        });
    }

    /// A block of content.
    pub fn block(&mut self, block: &Content) {
        match block {
            Content::Text { text, signature } => self.object(|out| {
                out.text("type", "text");
                out.text("text", text);
                out.texts(&[("textSignature", signature)]);
            }),
            Content::Thinking { thinking, signature, redacted } => self.object(|out| {
                out.text("type", "thinking");
                out.text("thinking", thinking);
                out.texts(&[("thinkingSignature", signature)]);
                if *redacted {
                    out.flag("redacted", true);
                }
            }),
            Content::Image { data, mime_type } => self.object(|out| {
                out.text("type", "image");
                out.text("data", data);
                out.text("mimeType", mime_type);
            }),
            Content::ToolCall(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &ToolCall) {
        self.object(|out| {
            out.text("type", "toolCall");
            out.text("id", &call.id);
            out.text("name", &call.name);
            out.value("arguments", &call.arguments);
            out.texts(&[
                ("argumentsText", &call.arguments_text),
                ("argumentsError", &call.arguments_error),
                ("thoughtSignature", &call.thought_signature),
                ("namespace", &call.namespace),
            ]);
        });
    }

    fn usage(&mut self, usage: &Usage) {
        self.key("usage").object(|out| {
            out.number("input", usage.input);
            out.number("output", usage.output);
            out.number("cacheRead", usage.cache_read);
            out.number("cacheWrite", usage.cache_write);
            for (name, tokens) in [("cacheWrite1h", usage.cache_write_1h), ("reasoning", usage.reasoning)] {
                if let Some(tokens) = tokens {
                    out.number(name, tokens);
                }
            }
            out.number("totalTokens", usage.total_tokens);
            out.key("cost").object(|out| {
                out.number("input", usage.cost.input);
                out.number("output", usage.cost.output);
                out.number("cacheRead", usage.cost.cache_read);
                out.number("cacheWrite", usage.cost.cache_write);
                out.number("total", usage.cost.total);
                if let Some(said) = usage.cost.total_from_provider {
                    out.flag("totalFromProvider", said);
                }
            });
        });
    }
}
