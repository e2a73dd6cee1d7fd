//! The transcript of a request, read once and borrowed: texts stay spans of the input.
//!
//! Shapes are pi's `Context` and `Message`. Members of a wrong type count as absent, content that is missing or null is
//! empty, and messages with a role no provider knows are left out, as pi's converters do.

use crate::json::{Kind, Reader};
use crate::literal::Literal;
use crate::read::{self, Read};
use std::borrow::Cow;

/// What a request sees: prompt, tools and messages.
#[derive(Default)]
pub(crate) struct Context<'a> {
    pub system_prompt: Option<Literal<'a>>,
    pub tools: Tools<'a>,
    pub messages: Vec<Message<'a>>,
}

/// Tools declared at one place.
#[derive(Default)]
pub(crate) struct Tools<'a> {
    pub list: Vec<Tool<'a>>,
    /// Length of their JSON text in UTF-16 units, for the estimate.
    pub units: u32,
}

/// A tool as the model is told about it.
#[derive(Clone)]
pub(crate) struct Tool<'a> {
    pub name: Literal<'a>,
    pub description: Option<Literal<'a>>,
    /// Source of the JSON Schema.
    pub parameters: Option<&'a str>,
    /// Source of `constrainedSampling`.
    pub sampling: Option<&'a str>,
}

pub(crate) struct Message<'a> {
    pub timestamp: f64,
    pub body: Body<'a>,
}

pub(crate) enum Body<'a> {
    System(System<'a>),
    User(Content<'a>),
    Assistant(Assistant<'a>),
    Result(ToolResult<'a>),
}

#[derive(Default)]
pub(crate) struct System<'a> {
    pub content: Content<'a>,
    /// Named sections; `None` removes one.
    pub sections: Vec<(Cow<'a, str>, Option<Literal<'a>>)>,
    pub added: Tools<'a>,
    /// Names.
    pub removed: Vec<Cow<'a, str>>,
    pub removed_units: u32,
}

/// Content that may be written as one string.
pub(crate) enum Content<'a> {
    Text(Literal<'a>),
    Parts(Vec<Part<'a>>),
}

impl Default for Content<'_> {
    fn default() -> Self {
        Content::Parts(Vec::new())
    }
}

pub(crate) struct Assistant<'a> {
    pub parts: Vec<Part<'a>>,
    pub provider: Literal<'a>,
    pub api: Literal<'a>,
    pub model: Literal<'a>,
    /// `error` or `aborted`.
    pub failed: bool,
    /// `totalTokens`, or the sum of the counts where that is missing.
    pub tokens: f64,
}

pub(crate) struct ToolResult<'a> {
    pub call_id: Cow<'a, str>,
    pub tool_name: Literal<'a>,
    pub parts: Vec<Part<'a>>,
    /// Whether the tool failed. Chat Completions has no place for it.
    pub is_error: bool,
}

/// A content block.
pub(crate) enum Part<'a> {
    Text { text: Literal<'a>, signature: Option<Literal<'a>> },
    Thinking { text: Literal<'a>, signature: Option<Literal<'a>>, redacted: bool },
    Image { data: Literal<'a>, mime: Literal<'a> },
    Call(Call<'a>),
}

/// A tool call.
pub(crate) struct Call<'a> {
    pub id: Cow<'a, str>,
    /// The id it came with, once `id` is the one for the target.
    pub came: Cow<'a, str>,
    pub name: Literal<'a>,
    /// Source of the arguments object.
    pub arguments: &'a str,
    /// The text the provider sent, where `arguments` cannot hold its digits exactly.
    pub exact: Option<Literal<'a>>,
    pub signature: Option<Literal<'a>>,
}

impl<'a> Context<'a> {
    pub fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let mut context = Self::default();
        read::members(reader, |key, reader| {
            match key {
                "systemPrompt" => read::set(&mut context.system_prompt, reader)?,
                "tools" => context.tools = Tools::read(reader)?,
                "messages" => read::items(reader, |reader| {
                    context.messages.extend(Message::read(reader)?);
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(context)
    }
}

impl<'a> Tools<'a> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let span = reader.raw()?;
        let mut list = Vec::new();
        read::items(&mut Reader::new(span), |reader| {
            let mut tool = Tool { name: Literal::EMPTY, description: None, parameters: None, sampling: None };
            read::members(reader, |key, reader| {
                match key {
                    "name" => tool.name = read::literal(reader)?.unwrap_or(Literal::EMPTY),
                    "description" => read::set(&mut tool.description, reader)?,
                    "parameters" => read::set_span(&mut tool.parameters, Kind::Object, reader)?,
                    "constrainedSampling" => read::set_span(&mut tool.sampling, Kind::Object, reader)?,
                    _ => reader.skip()?,
                }
                Ok(())
            })?;
            list.push(tool);
            Ok(())
        })?;
        let units = if list.is_empty() { 0 } else { crate::batch::utf16_len(span) };
        Ok(Self { list, units })
    }
}

/// Members of any message, before its role is known.
#[derive(Default)]
struct Fields<'a> {
    role: Option<Cow<'a, str>>,
    content: Content<'a>,
    timestamp: f64,
    system: System<'a>,
    provider: Option<Literal<'a>>,
    api: Option<Literal<'a>>,
    model: Option<Literal<'a>>,
    failed: bool,
    tokens: f64,
    call_id: Option<Cow<'a, str>>,
    tool_name: Option<Literal<'a>>,
    is_error: bool,
}

impl<'a> Message<'a> {
    /// `None` for a role no provider knows.
    fn read(reader: &mut Reader<'a>) -> Read<Option<Self>> {
        let mut fields = Fields::default();
        read::members(reader, |key, reader| fields.member(key, reader))?;
        let body = match fields.role.as_deref() {
            Some("system") => Body::System(System { content: fields.content, ..fields.system }),
            Some("user") => Body::User(fields.content),
            Some("assistant") => Body::Assistant(Assistant {
                parts: fields.content.into_parts(),
                provider: fields.provider.unwrap_or(Literal::EMPTY),
                api: fields.api.unwrap_or(Literal::EMPTY),
                model: fields.model.unwrap_or(Literal::EMPTY),
                failed: fields.failed,
                tokens: fields.tokens,
            }),
            Some("toolResult") => Body::Result(ToolResult {
                call_id: fields.call_id.unwrap_or_default(),
                tool_name: fields.tool_name.unwrap_or(Literal::EMPTY),
                parts: fields.content.into_parts(),
                is_error: fields.is_error,
            }),
            _ => return Ok(None),
        };
        Ok(Some(Self { timestamp: fields.timestamp, body }))
    }
}

impl<'a> Fields<'a> {
    fn member(&mut self, key: &str, reader: &mut Reader<'a>) -> Read<()> {
        match key {
            "role" => read::set(&mut self.role, reader)?,
            "content" => self.content = Content::read(reader)?,
            "timestamp" => read::set(&mut self.timestamp, reader)?,
            "provider" => read::set(&mut self.provider, reader)?,
            "api" => read::set(&mut self.api, reader)?,
            "model" => read::set(&mut self.model, reader)?,
            "stopReason" => {
                let reason = read::literal(reader)?;
                self.failed = reason.is_some_and(|reason| reason.is("error") || reason.is("aborted"));
            }
            "usage" => self.tokens = context_tokens(reader)?,
            "toolCallId" => read::set(&mut self.call_id, reader)?,
            "toolName" => read::set(&mut self.tool_name, reader)?,
            "isError" => read::set(&mut self.is_error, reader)?,
            "sections" => read::members(reader, |name, reader| {
                let text = read::literal(reader)?;
                self.system.sections.push((Cow::Owned(name.to_owned()), text));
                Ok(())
            })?,
            "toolsAdded" => self.system.added = Tools::read(reader)?,
            "toolsRemoved" => {
                let removed = Tools::read(reader)?;
                self.system.removed_units = removed.units;
                self.system.removed = removed.list.iter().map(|tool| tool.name.text()).collect();
            }
            _ => reader.skip()?,
        }
        Ok(())
    }
}

/// How many tokens of the window a response left behind it.
fn context_tokens(reader: &mut Reader<'_>) -> Read<f64> {
    let (mut total, mut sum) = (0.0, 0.0);
    read::members(reader, |key, reader| {
        match key {
            "totalTokens" => read::set(&mut total, reader)?,
            "input" | "output" | "cacheRead" | "cacheWrite" => sum += read::number(reader)?.unwrap_or_default(),
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(if total == 0.0 { sum } else { total })
}

impl<'a> Content<'a> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        if reader.peek()? == Kind::String {
            return Ok(Content::Text(read::literal(reader)?.unwrap_or(Literal::EMPTY)));
        }
        let mut parts = Vec::new();
        read::items(reader, |reader| {
            parts.extend(Part::read(reader)?);
            Ok(())
        })?;
        Ok(Content::Parts(parts))
    }

    /// As a list; a string is one text block.
    fn into_parts(self) -> Vec<Part<'a>> {
        match self {
            Content::Text(text) => vec![Part::Text { text, signature: None }],
            Content::Parts(parts) => parts,
        }
    }

    /// The texts in it, in order.
    pub fn texts(&self) -> impl Iterator<Item = Literal<'a>> + '_ {
        let (whole, parts) = match self {
            Content::Text(text) => (Some(*text), &[][..]),
            Content::Parts(parts) => (None, parts.as_slice()),
        };
        whole.into_iter().chain(parts.iter().filter_map(Part::text))
    }
}

/// Members of any block, before its type is known.
#[derive(Default)]
struct Block<'a> {
    kind: Option<Cow<'a, str>>,
    text: Option<Literal<'a>>,
    thinking: Option<Literal<'a>>,
    text_signature: Option<Literal<'a>>,
    thinking_signature: Option<Literal<'a>>,
    thought_signature: Option<Literal<'a>>,
    redacted: bool,
    data: Option<Literal<'a>>,
    mime: Option<Literal<'a>>,
    id: Option<Cow<'a, str>>,
    name: Option<Literal<'a>>,
    arguments: Option<&'a str>,
    exact: Option<Literal<'a>>,
}

impl<'a> Part<'a> {
    /// The text of a text block.
    pub fn text(&self) -> Option<Literal<'a>> {
        match self {
            Part::Text { text, .. } => Some(*text),
            _ => None,
        }
    }

    fn read(reader: &mut Reader<'a>) -> Read<Option<Self>> {
        let mut block = Block::default();
        read::members(reader, |key, reader| {
            match key {
                "type" => read::set(&mut block.kind, reader)?,
                "text" => read::set(&mut block.text, reader)?,
                "thinking" => read::set(&mut block.thinking, reader)?,
                "textSignature" => read::set(&mut block.text_signature, reader)?,
                "thinkingSignature" => read::set(&mut block.thinking_signature, reader)?,
                "thoughtSignature" => read::set(&mut block.thought_signature, reader)?,
                "redacted" => read::set(&mut block.redacted, reader)?,
                "data" => read::set(&mut block.data, reader)?,
                "mimeType" => read::set(&mut block.mime, reader)?,
                "id" => read::set(&mut block.id, reader)?,
                "name" => read::set(&mut block.name, reader)?,
                "arguments" => read::set_span(&mut block.arguments, Kind::Object, reader)?,
                "argumentsText" => read::set(&mut block.exact, reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let said = |signature: Option<Literal<'a>>| signature.filter(|signature| !signature.is_empty());
        Ok(match block.kind.as_deref() {
            Some("text") => {
                Some(Part::Text { text: block.text.unwrap_or(Literal::EMPTY), signature: said(block.text_signature) })
            }
            Some("thinking") => Some(Part::Thinking {
                text: block.thinking.unwrap_or(Literal::EMPTY),
                signature: said(block.thinking_signature),
                redacted: block.redacted,
            }),
            Some("image") => block.data.zip(block.mime).map(|(data, mime)| Part::Image { data, mime }),
            Some("toolCall") => Some(Part::Call(Call {
                id: block.id.unwrap_or_default(),
                came: Cow::Borrowed(""),
                name: block.name.unwrap_or(Literal::EMPTY),
                arguments: block.arguments.unwrap_or("{}"),
                exact: said(block.exact),
                signature: said(block.thought_signature),
            })),
            _ => None,
        })
    }
}
