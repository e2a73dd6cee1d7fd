//! Messages from the JSON of the JavaScript API.
//!
//! A role that is none of the model's gives a custom message whose payload is the JSON object. Members of a message that
//! have no field of their own are kept in `extra`; those of a content block and of `usage` are not kept.

use std::rc::Rc;

use steersman_wire::json::{Object, Value};

use super::message::{
    AgentMessage, AssistantMessage, Content, Cost, CustomMessage, StopReason, SystemMessage, ToolCall, ToolDeclaration,
    ToolResultMessage, Usage, UserMessage,
};
use super::tool::ToolOutput;
use crate::error::{Error, ErrorKind};

type Decoded<T> = Result<T, Error>;

impl AgentMessage {
    /// A message from its JSON.
    ///
    /// # Errors
    /// A member that is missing or of another type than the role asks for; the text names it.
    pub fn from_json(value: &Value) -> Decoded<Self> {
        let mut members = Members::of(value, "message")?;
        Ok(match members.text("role")?.as_str() {
            "system" => AgentMessage::System(system(members)?),
            "user" => AgentMessage::User(UserMessage {
                content: members.content()?,
                timestamp: members.number("timestamp")?,
                extra: members.rest,
            }),
            "assistant" => AgentMessage::Assistant(AssistantMessage::from_members(members)?),
            "toolResult" => AgentMessage::ToolResult(tool_result(members)?),
            role => AgentMessage::Custom(CustomMessage { role: role.to_owned(), payload: Rc::new(value.clone()) }),
        })
    }
}

impl AssistantMessage {
    fn from_members(mut members: Members) -> Decoded<Self> {
        let reason = members.text_or("stopReason", "pending")?;
        Ok(AssistantMessage {
            content: members.content()?,
            api: members.text_or("api", "")?,
            provider: members.text_or("provider", "")?,
            model: members.text_or("model", "")?,
            usage: members.usage()?.unwrap_or_default(),
            stop_reason: StopReason::of(&reason).ok_or_else(|| members.wrong("stopReason", "a known word"))?,
            error_message: members.text_option("errorMessage")?,
            thinking_level: members.text_option("thinkingLevel")?,
            timestamp: members.number("timestamp")?,
            extra: members.rest,
        })
    }

    /// Set members from a JSON object, as `Object.assign` does; `null` and members of a wrong type go to `extra`.
    pub(crate) fn assign(&mut self, fields: Object) {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("api", Value::String(text)) => self.api = text,
                ("provider", Value::String(text)) => self.provider = text,
                ("model", Value::String(text)) => self.model = text,
                ("errorMessage", Value::String(text)) => self.error_message = Some(text),
                ("thinkingLevel", Value::String(text)) => self.thinking_level = Some(text),
                ("stopReason", Value::String(text)) => {
                    self.stop_reason = StopReason::of(&text).unwrap_or(self.stop_reason);
                }
                ("usage", Value::Object(usage)) => self.usage = Usage::from_object(&usage),
                ("timestamp", Value::Number(number)) => self.timestamp = number.as_f64(),
                (_, value) => drop(self.extra.insert(name, value)),
            }
        }
    }
}

impl ToolOutput {
    /// A tool's result from its JSON; missing content counts as empty.
    ///
    /// # Errors
    /// As [`AgentMessage::from_json`].
    pub fn from_json(value: &Value) -> Decoded<Self> {
        let mut members = Members::of(value, "result")?;
        Ok(ToolOutput {
            content: members.content()?,
            details: members.rest.remove("details"),
            structured_content: members.rest.remove("structuredContent"),
            is_error: members.flag("isError")?,
            terminate: members.flag("terminate")?,
            usage: members.usage()?,
            extra: members.rest,
        })
    }
}

impl Usage {
    fn from_object(usage: &Object) -> Self {
        let number = |object: &Object, name: &str| object.get(name).and_then(Value::as_f64);
        let tokens = |name: &str| number(usage, name);
        let none = Object::new();
        let cost = usage.get("cost").and_then(Value::as_object).unwrap_or(&none);
        let price = |name: &str| number(cost, name).unwrap_or_default();
        Usage {
            input: tokens("input").unwrap_or_default(),
            output: tokens("output").unwrap_or_default(),
            cache_read: tokens("cacheRead").unwrap_or_default(),
            cache_write: tokens("cacheWrite").unwrap_or_default(),
            cache_write_1h: tokens("cacheWrite1h"),
            reasoning: tokens("reasoning"),
            total_tokens: tokens("totalTokens").unwrap_or_default(),
            cost: Cost {
                input: price("input"),
                output: price("output"),
                cache_read: price("cacheRead"),
                cache_write: price("cacheWrite"),
                total: price("total"),
                total_from_provider: cost.get("totalFromProvider").and_then(Value::as_bool),
            },
        }
    }
}

fn system(mut members: Members) -> Decoded<SystemMessage> {
    let sections = match members.rest.remove("sections") {
        None => Vec::new(),
        Some(Value::Object(sections)) => sections
            .into_iter()
            .map(|(name, text)| match text {
                Value::String(text) => Ok((name, Some(text))),
                Value::Null => Ok((name, None)),
                _ => Err(members.wrong("sections", "texts or null")),
            })
            .collect::<Decoded<_>>()?,
        Some(_) => return Err(members.wrong("sections", "an object")),
    };
    let content: Vec<String> = members.content()?.into_iter().filter_map(text_of).collect();
    let mut tools_removed = Vec::new();
    for tool in members.items("toolsRemoved")? {
        tools_removed.push(Members::of(&tool, "toolsRemoved")?.text("name")?);
    }
    let mut tools_added = Vec::new();
    for tool in members.items("toolsAdded")? {
        let mut tool = Members::of(&tool, "toolsAdded")?;
        tools_added.push(ToolDeclaration {
            name: tool.text("name")?,
            description: tool.text_or("description", "")?,
            parameters: tool.rest.remove("parameters").unwrap_or_default(),
            constrained_sampling: tool.rest.remove("constrainedSampling"),
        });
    }
    let timestamp = members.number("timestamp")?;
    let content = content.join("\n");
    Ok(SystemMessage { content, sections, tools_added, tools_removed, timestamp, extra: members.rest })
}

fn text_of(block: Content) -> Option<String> {
    match block {
        Content::Text { text, .. } => Some(text),
        _ => None,
    }
}

fn tool_result(mut members: Members) -> Decoded<ToolResultMessage> {
    Ok(ToolResultMessage {
        tool_call_id: members.text("toolCallId")?,
        tool_name: members.text_or("toolName", "")?,
        content: members.content()?,
        details: members.rest.remove("details"),
        usage: members.usage()?,
        is_error: members.flag("isError")?,
        duration_ms: members.rest.remove("durationMs").and_then(|value| value.as_f64()),
        timestamp: members.number("timestamp")?,
        extra: members.rest,
    })
}

fn block(value: &Value) -> Decoded<Content> {
    let mut members = Members::of(value, "content")?;
    Ok(match members.text("type")?.as_str() {
        "text" => Content::Text { text: members.text("text")?, signature: members.text_option("textSignature")? },
        "thinking" => Content::Thinking {
            thinking: members.text("thinking")?,
            signature: members.text_option("thinkingSignature")?,
            redacted: members.flag("redacted")?,
        },
        "image" => Content::Image { data: members.text("data")?, mime_type: members.text("mimeType")? },
        "toolCall" => Content::ToolCall(Rc::new(ToolCall {
            id: members.text("id")?,
            name: members.text("name")?,
            arguments: members.rest.remove("arguments").unwrap_or_else(|| Object::new().into()),
            arguments_text: members.text_option("argumentsText")?,
            arguments_error: members.text_option("argumentsError")?,
            thought_signature: members.text_option("thoughtSignature")?,
            namespace: members.text_option("namespace")?,
        })),
        _ => return Err(members.wrong("type", "text, thinking, image or toolCall")),
    })
}

/// Members of an object that are taken out one by one.
struct Members {
    rest: Object,
    place: &'static str,
}

impl Members {
    fn of(value: &Value, place: &'static str) -> Decoded<Self> {
        match value {
            Value::Object(members) => Ok(Members { rest: members.clone(), place }),
            _ => Err(Error::new(ErrorKind::InvalidRequest, [place, " must be an object"].concat())),
        }
    }

    fn wrong(&self, name: &str, wanted: &str) -> Error {
        Error::new(ErrorKind::InvalidRequest, [self.place, ": ", name, " must be ", wanted].concat())
    }

    fn text_option(&mut self, name: &str) -> Decoded<Option<String>> {
        match self.rest.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "a text")),
        }
    }

    fn text(&mut self, name: &str) -> Decoded<String> {
        self.text_option(name)?.ok_or_else(|| self.wrong(name, "a text"))
    }

    fn text_or(&mut self, name: &str, default: &str) -> Decoded<String> {
        Ok(self.text_option(name)?.unwrap_or_else(|| default.to_owned()))
    }

    /// 0 when it is missing.
    fn number(&mut self, name: &str) -> Decoded<f64> {
        match self.rest.remove(name) {
            None => Ok(0.0),
            Some(Value::Number(number)) => Ok(number.as_f64()),
            Some(_) => Err(self.wrong(name, "a number")),
        }
    }

    /// False when it is missing.
    fn flag(&mut self, name: &str) -> Decoded<bool> {
        match self.rest.remove(name) {
            None => Ok(false),
            Some(Value::Bool(set)) => Ok(set),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    fn items(&mut self, name: &str) -> Decoded<Vec<Value>> {
        match self.rest.remove(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.wrong(name, "a list")),
        }
    }

    /// A text, or blocks; empty when it is missing.
    fn content(&mut self) -> Decoded<Vec<Content>> {
        if let Some(Value::String(text)) = self.rest.get("content") {
            let text = text.clone();
            self.rest.remove("content");
            return Ok(vec![Content::text(text)]);
        }
        self.items("content")?.iter().map(block).collect()
    }

    fn usage(&mut self) -> Decoded<Option<Usage>> {
        match self.rest.remove("usage") {
            None => Ok(None),
            Some(Value::Object(usage)) => Ok(Some(Usage::from_object(&usage))),
            Some(_) => Err(self.wrong("usage", "an object")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steersman_wire::json::parse;

    #[test]
    fn messages_come_back_as_they_were() {
        for text in [
            r#"{"role":"system","content":"Be brief.","sections":{"a":"x","b":null},"toolsAdded":[{"name":"t","description":"d","parameters":{"type":"object"}}],"toolsRemoved":[{"name":"u"}],"timestamp":1}"#,
            r#"{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"timestamp":2,"source":"keyboard"}"#,
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s","redacted":true},{"type":"text","text":"ok","textSignature":"t"},{"type":"toolCall","id":"c","name":"t","arguments":{"n":12345678901234567890},"argumentsText":"{}","thoughtSignature":"q"}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":1,"reasoning":1,"totalTokens":10,"cost":{"input":0.5,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5,"totalFromProvider":false}},"stopReason":"toolUse","errorMessage":"e","thinkingLevel":"low","timestamp":3,"responseId":"r"}"#,
            r#"{"role":"toolResult","toolCallId":"c","toolName":"t","content":[],"details":null,"isError":true,"durationMs":5,"timestamp":4,"nestedCalls":{"calls":[]}}"#,
            r#"{"role":"notice","text":"x","timestamp":5}"#,
        ] {
            let message = AgentMessage::from_json(&parse(text).unwrap()).map_err(|error| error.message).unwrap();
            assert_eq!(message.to_json(), text);
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let refused = |text| AgentMessage::from_json(&parse(text).unwrap()).err().map(|error| error.message);
        assert_eq!(refused("[]").as_deref(), Some("message must be an object"));
        assert_eq!(refused(r#"{"role":"user","content":1}"#).as_deref(), Some("message: content must be a list"));
        let call = r#"{"role":"assistant","content":[{"type":"toolCall","id":"x"}]}"#;
        assert_eq!(refused(call).as_deref(), Some("content: name must be a text"));
    }
}
