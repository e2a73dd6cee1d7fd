//! One event of a Chat Completions stream, read but not yet acted on: an event that turns out malformed half way through
//! must not have done half of its work.

use crate::draft::{Kind as Piece, Source};
use crate::json::{Kind, Reader};
use crate::read::{self, Read};
use std::borrow::Cow;

/// What an event holds. Strings and nested values are sources.
#[derive(Default)]
pub(super) struct Chunk<'a> {
    pub id: Option<Cow<'a, str>>,
    pub model: Option<Cow<'a, str>>,
    pub usage: Option<&'a str>,
    /// Usage where Groq also puts it.
    pub groq_usage: Option<&'a str>,
    /// Not null.
    pub error: Option<&'a str>,
    /// All of it is an error.
    pub is_error: bool,
    /// A string that only varies the length of the event.
    pub padding: Option<&'a str>,
    /// Most events have one choice.
    pub first: Option<Choice<'a>>,
    pub others: Vec<Choice<'a>>,
}

/// One answer, where several were asked for.
#[derive(Default)]
pub(super) struct Choice<'a> {
    pub index: i64,
    pub finish_reason: Option<Cow<'a, str>>,
    pub usage: Option<&'a str>,
    pub delta: Delta<'a>,
}

/// What is new.
#[derive(Default)]
pub(super) struct Delta<'a> {
    pub content: Option<&'a str>,
    /// The same as a list of texts and thoughts, as Mistral has it.
    pub content_list: Option<&'a str>,
    pub refusal: Option<&'a str>,
    /// `reasoning_content`, `reasoning`, `reasoning_text`, in order of preference.
    pub reasoning: [Option<&'a str>; 3],
    pub reasoning_details: Option<&'a str>,
    pub tool_calls: Option<&'a str>,
    pub function_call: Option<&'a str>,
}

impl<'a> Chunk<'a> {
    /// Reads an event.
    pub fn read(data: &'a str) -> Read<Self> {
        let mut reader = Reader::new(data);
        let mut chunk = Self::default();
        read::members(&mut reader, |key, reader| {
            match key {
                "id" => read::set(&mut chunk.id, reader)?,
                "model" => read::set(&mut chunk.model, reader)?,
                "usage" => read::set_span(&mut chunk.usage, Kind::Object, reader)?,
                "obfuscation" | "p" => read::set_span(&mut chunk.padding, Kind::String, reader)?,
                "choices" => read::items(reader, |reader| {
                    let choice = Choice::read(reader)?;
                    match &chunk.first {
                        None => chunk.first = Some(choice),
                        Some(_) => chunk.others.push(choice),
                    }
                    Ok(())
                })?,
                "error" => {
                    let null = reader.peek()? == Kind::Null;
                    chunk.error = Some(reader.raw()?).filter(|_| !null);
                }
                "object" => chunk.is_error = read::text(reader)?.as_deref() == Some("error"),
                "x_groq" => read::members(reader, |key, reader| {
                    match key {
                        "usage" => read::set_span(&mut chunk.groq_usage, Kind::Object, reader)?,
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.finish()?;
        Ok(chunk)
    }
}

impl<'a> Choice<'a> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let mut choice = Self::default();
        read::members(reader, |key, reader| {
            match key {
                "index" => choice.index = read::number(reader)?.map_or(0, |index| index as i64),
                "finish_reason" => read::set(&mut choice.finish_reason, reader)?,
                "usage" => read::set_span(&mut choice.usage, Kind::Object, reader)?,
                "delta" => choice.delta = Delta::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(choice)
    }
}

impl<'a> Delta<'a> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let mut delta = Self::default();
        read::members(reader, |key, reader| {
            let slot = match key {
                "content" if reader.peek()? == Kind::Array => {
                    delta.content_list = Some(reader.raw()?).filter(|list| list.len() > 2);
                    return Ok(());
                }
                "content" => &mut delta.content,
                "refusal" => &mut delta.refusal,
                "reasoning_content" => &mut delta.reasoning[0],
                "reasoning" => &mut delta.reasoning[1],
                "reasoning_text" => &mut delta.reasoning[2],
                "reasoning_details" => {
                    read::set_span(&mut delta.reasoning_details, Kind::Array, reader)?;
                    return Ok(());
                }
                "tool_calls" => {
                    read::set_span(&mut delta.tool_calls, Kind::Array, reader)?;
                    return Ok(());
                }
                "function_call" => {
                    read::set_span(&mut delta.function_call, Kind::Object, reader)?;
                    return Ok(());
                }
                _ => return reader.skip(),
            };
            // An empty string says nothing.
            *slot = read::span(reader, Kind::String)?.filter(|span| span.len() > 2);
            Ok(())
        })?;
        Ok(delta)
    }

    /// Whether anything of the answer is in it.
    pub fn has_content(&self) -> bool {
        self.content.is_some()
            || self.content_list.is_some()
            || self.refusal.is_some()
            || self.reasoning.iter().any(Option::is_some)
            || self.reasoning_details.is_some()
            || self.tool_calls.is_some()
            || self.function_call.is_some()
    }
}

/// Gives the pieces of a content list (its source) in order: a text, or a thought, which is a list of texts itself.
pub(super) fn content_items<'a>(list: Source<'a>, each: &mut dyn FnMut(Piece, &'a str)) -> Read<()> {
    read::items(&mut list.reader(), |reader| {
        read::members(reader, |key, reader| match (key, reader.peek()?) {
            ("text", Kind::String) => reader.raw().map(|span| each(Piece::Text, span)),
            ("thinking", Kind::String) => reader.raw().map(|span| each(Piece::Thinking, span)),
            ("thinking", _) => read::items(reader, |reader| {
                read::members(reader, |key, reader| match (key, reader.peek()?) {
                    ("text", Kind::String) => reader.raw().map(|span| each(Piece::Thinking, span)),
                    _ => reader.skip(),
                })
            }),
            _ => reader.skip(),
        })
    })
}

/// One entry of `tool_calls`.
#[derive(Default)]
pub(super) struct CallDelta<'a> {
    pub index: Option<i64>,
    pub id: Option<Cow<'a, str>>,
    pub name: Option<Cow<'a, str>>,
    /// Source of a string, or of an object that stands for its own text.
    pub arguments: Option<&'a str>,
    /// Source of a string: text for a grammar tool.
    pub input: Option<&'a str>,
}

impl<'a> CallDelta<'a> {
    pub fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let mut call = Self::default();
        read::members(reader, |key, reader| {
            match key {
                "index" => {
                    let whole = |index: &f64| index.fract() == 0.0 && index.abs() < 1e15;
                    call.index = read::number(reader)?.filter(whole).map(|index| index as i64);
                }
                // A client library of Mistral's writes an absent one like this.
                "id" => call.id = read::text(reader)?.filter(|id| id != "null"),
                "function" => call.function(reader)?,
                "custom" => read::members(reader, |key, reader| {
                    match key {
                        "name" => call.name = read::text(reader)?.or(call.name.take()),
                        "input" => read::set_span(&mut call.input, Kind::String, reader)?,
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(call)
    }

    /// The members of a `function`, or of the older `function_call`.
    pub fn function(&mut self, reader: &mut Reader<'a>) -> Read<()> {
        read::members(reader, |key, reader| {
            match key {
                "name" => self.name = read::text(reader)?.or(self.name.take()),
                "arguments" => {
                    let takes = matches!(reader.peek()?, Kind::String | Kind::Object);
                    self.arguments = Some(reader.raw()?).filter(|_| takes);
                }
                _ => reader.skip()?,
            }
            Ok(())
        })
    }
}
