//! One event of a Messages stream, read but not yet acted on: an event that turns out malformed half way through must
//! not have done half of its work.

use crate::json::{Kind, Reader};
use crate::read::{self, Read};
use crate::usage::Usage;
use std::borrow::Cow;

/// What an event holds. Its message, block or delta is one [`Part`]: an event has only one of them.
#[derive(Default)]
pub(super) struct Chunk<'a> {
    pub kind: Option<Cow<'a, str>>,
    /// Source of the block's index.
    pub index: &'a str,
    pub part: Part<'a>,
    /// Source of an object.
    pub usage: Option<&'a str>,
    pub has_error: bool,
}

/// Members of a message, of a block that begins, or of a delta.
#[derive(Default)]
pub(super) struct Part<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
    pub model: Option<Cow<'a, str>>,
    pub name: Option<Cow<'a, str>>,
    /// Source of a string: text, thinking, or a piece of arguments.
    pub said: Option<&'a str>,
    /// Signature of thinking, or the data that stands for it.
    pub signature: Option<Cow<'a, str>>,
    /// Source of an object: the arguments, where they do not come in deltas.
    pub input: Option<&'a str>,
    pub stop_reason: Option<Cow<'a, str>>,
    /// Why the model refused.
    pub explanation: Option<Cow<'a, str>>,
}

impl<'a> Chunk<'a> {
    /// Reads an event.
    pub fn read(data: &'a str) -> Read<Self> {
        let mut reader = Reader::new(data);
        let mut chunk = Self::default();
        read::members(&mut reader, |key, reader| {
            match key {
                "type" => read::set(&mut chunk.kind, reader)?,
                "index" => chunk.index = reader.raw()?,
                "message" | "content_block" | "delta" => chunk.part.read(reader, &mut chunk.usage)?,
                "usage" => read::set_span(&mut chunk.usage, Kind::Object, reader)?,
                "error" => {
                    chunk.has_error = reader.peek()? != Kind::Null;
                    reader.skip()?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.finish()?;
        Ok(chunk)
    }
}

impl<'a> Part<'a> {
    fn read(&mut self, reader: &mut Reader<'a>, usage: &mut Option<&'a str>) -> Read<()> {
        read::members(reader, |key, reader| {
            let slot = match key {
                "text" | "thinking" | "partial_json" => {
                    read::set_span(&mut self.said, Kind::String, reader)?;
                    return Ok(());
                }
                "type" => &mut self.kind,
                "id" => &mut self.id,
                "model" => &mut self.model,
                "name" => &mut self.name,
                "signature" | "data" => &mut self.signature,
                "stop_reason" => &mut self.stop_reason,
                "input" => {
                    read::set_span(&mut self.input, Kind::Object, reader)?;
                    return Ok(());
                }
                "usage" => {
                    read::set_span(usage, Kind::Object, reader)?;
                    return Ok(());
                }
                "stop_details" => {
                    return read::members(reader, |key, reader| {
                        if key != "explanation" {
                            return reader.skip();
                        }
                        read::set(&mut self.explanation, reader)?;
                        Ok(())
                    });
                }
                _ => return reader.skip(),
            };
            read::set(slot, reader)?;
            Ok(())
        })
    }
}

/// Takes over the counts that a `usage` object (its source) has.
pub(super) fn count(usage: &mut Usage, mut reader: Reader<'_>) -> Read<()> {
    read::members(&mut reader, |key, reader| {
        let slot = match key {
            "input_tokens" => &mut usage.input,
            "output_tokens" => &mut usage.output,
            "cache_read_input_tokens" => &mut usage.cache_read,
            "cache_creation_input_tokens" => &mut usage.cache_write,
            "cache_creation" | "output_tokens_details" => {
                return read::members(reader, |key, reader| {
                    let slot = match key {
                        "ephemeral_1h_input_tokens" => &mut usage.cache_write_1h,
                        "thinking_tokens" => &mut usage.reasoning,
                        _ => return reader.skip(),
                    };
                    *slot = read::number(reader)?.or(*slot);
                    Ok(())
                });
            }
            _ => return reader.skip(),
        };
        *slot = read::number(reader)?.unwrap_or(*slot);
        Ok(())
    })?;
    usage.total = usage.sum();
    Ok(())
}
