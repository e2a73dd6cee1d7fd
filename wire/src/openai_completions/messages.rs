//! The conversation in Chat Completions form (PROVIDERS 5.1).

use super::compat::Compat;
use super::reasoning::{replayable, replayable_entry};
use crate::cache_mark::{insert_marker, Mark};
use crate::context::{Assistant, Body, Call, Content, Message, Part, ToolResult};
use crate::http::WireError;
use crate::ids::{cleaned, hash};
use crate::literal::{clean, Literal};
use crate::model::Model;
use crate::request::data_url;
use crate::text::{around, decimal};
use crate::tools::string_member;
use crate::transcript::{joined, tool_name, update_text, CallIds};
use crate::write::Writer;

/// Members of an assistant message that may carry its thinking.
pub(super) const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

const BRIDGE: &str = "I have processed the tool results.";

/// Call ids: letters, digits and a few marks; OpenAI itself takes 40 characters, others 64.
pub(super) struct Ids {
    pub openai: bool,
}

impl CallIds for Ids {
    fn adapt(&self, id: &str, _own: bool, attempt: u32) -> String {
        let max = if self.openai { 40 } else { 64 };
        let halves = around(id, b'|', false);
        let (call, item) = halves.unwrap_or((id, ""));
        // Responses ids have two halves; both count, for two calls may share the first.
        let max = if halves.is_some() { 40 } else { max };
        let mut adapted = cleaned(call, b"_-.:");
        if !item.is_empty() {
            adapted.push('_');
            adapted.push_str(&cleaned(item, b"_-.:"));
        }
        if adapted.is_empty() {
            adapted.push_str("call");
        }
        let mut suffix = String::new();
        if adapted.len() > max && halves.is_some() {
            adapted = cleaned(call, b"_-.:");
            suffix = ["_", &hash(id)].concat();
        }
        if attempt > 0 {
            suffix.push('_');
            suffix.push_str(&decimal(attempt.into()));
        }
        adapted.truncate(max.saturating_sub(suffix.len()));
        adapted + &suffix
    }
}

/// Writes the messages of one request.
pub(super) struct Conversation<'a, 'r> {
    pub model: &'r Model<'a>,
    pub compat: &'r Compat<'a>,
    /// Grammar tools: name and the argument that takes the text.
    pub grammar: &'r [(String, String)],
    /// Escaped, without quotes.
    pub prompt: &'r str,
    /// Source of a marker for cacheable parts.
    pub cache_control: Option<&'r str>,
}

impl Conversation<'_, '_> {
    /// Writes the list.
    ///
    /// # Errors
    /// `invalid_request` when a call of a grammar tool lacks its text.
    pub fn write(&self, out: &mut Writer, messages: &[Message<'_>]) -> Result<(), WireError> {
        let mut mark = None;
        let mut outcome = Ok(());
        out.array(|out| {
            self.instruction(out, self.prompt, self.cache_control);
            let mut after_result = false;
            let mut images = Vec::new();
            for (index, message) in messages.iter().enumerate() {
                let before = out.len();
                match &message.body {
                    Body::System(system) => self.instruction(out, &update_text(system), None),
                    Body::User(content) if !says_something(content) => {}
                    Body::User(content) => {
                        if after_result && self.compat.requires_assistant_after_tool_result {
                            bridge(out);
                        }
                        user(out, content, &mut mark);
                    }
                    Body::Assistant(assistant) => {
                        if let Err(error) = self.assistant(out, assistant, &mut mark) {
                            outcome = Err(error);
                        }
                    }
                    Body::Result(result) => {
                        self.result(out, result, &mut mark);
                        images.extend(result.parts.iter().filter(|part| matches!(part, Part::Image { .. })));
                        let more = messages.get(index + 1).is_some_and(|next| matches!(next.body, Body::Result(_)));
                        after_result = true;
                        if !more && !images.is_empty() {
                            self.result_images(out, &std::mem::take(&mut images), &mut mark);
                            after_result = false;
                        }
                        continue;
                    }
                }
                // What says nothing was not written and stands between nothing.
                after_result &= out.len() == before;
            }
        });
        if let (Some(marker), Some(mark)) = (self.cache_control, mark) {
            insert_marker(out, mark, marker);
        }
        outcome
    }

    /// A system message, unless it says nothing.
    fn instruction(&self, out: &mut Writer, text: &str, marker: Option<&str>) {
        if text.is_empty() {
            return;
        }
        let developer = self.model.reasoning && self.compat.supports_developer_role;
        out.object(|out| {
            out.key("role").string(if developer { "developer" } else { "system" });
            out.key("content");
            let Some(marker) = marker else {
                return out.joined(|out| out.push_str(text));
            };
            out.array(|out| {
                out.object(|out| {
                    out.key("type").string("text");
                    out.key("text").joined(|out| out.push_str(text));
                    out.key("cache_control").raw(marker);
                });
            });
        });
    }

    fn assistant(&self, out: &mut Writer, assistant: &Assistant<'_>, mark: &mut Option<Mark>) -> Result<(), WireError> {
        let texts = || assistant.parts.iter().filter_map(Part::text).filter(|text| !text.is_blank());
        let calls = || assistant.parts.iter().filter_map(call_of);
        let thoughts = || assistant.parts.iter().filter_map(thought_of);
        let spoken = || thoughts().filter(|thought| !thought.0.is_blank());
        let as_text = self.compat.requires_thinking_as_text && spoken().next().is_some();
        let has_calls = calls().next().is_some();
        if texts().next().is_none() && !as_text && !has_calls {
            return Ok(());
        }
        let details = thoughts().find_map(|thought| replayable(thought.1?));
        let older = || calls().filter_map(|call| replayable_entry(call.signature?));
        let has_details = details.is_some() || older().next().is_some();
        let mut has_reasoning_content = false;
        let mut outcome = Ok(());
        out.object(|out| {
            out.key("role").string("assistant");
            if as_text {
                out.key("content").array(|out| {
                    text_part(out, mark, |out| out.push_str(&joined(spoken().map(|thought| thought.0), "\\n\\n")));
                    for text in texts() {
                        text_part(out, mark, |out| out.push_str(&clean(text.inner())));
                    }
                });
            } else if texts().next().is_some() {
                string_content(out, mark, |out| texts().for_each(|text| out.push_str(&clean(text.inner()))));
            } else if self.compat.requires_assistant_after_tool_result
                || self.compat.requires_non_null_assistant_content
            {
                out.key("content").string("");
            } else {
                out.key("content").null();
            }
            let field = spoken().next().and_then(|thought| self.reasoning_field(thought.1?));
            if let Some(field) = field.filter(|_| !as_text && !has_details) {
                has_reasoning_content = field == REASONING_FIELDS[0];
                out.key(field).joined(|out| out.push_str(&joined(spoken().map(|thought| thought.0), "\\n")));
            }
            if has_calls {
                out.key("tool_calls").array(|out| {
                    for call in calls() {
                        if let Err(error) = self.call(out, call) {
                            outcome = Err(error);
                        }
                    }
                });
            }
            if let Some(list) = &details {
                out.key("reasoning_details").raw(list);
            } else if has_details {
                out.key("reasoning_details").array(|out| older().for_each(|entry| out.raw(&entry)));
            }
            if self.compat.requires_reasoning_content && self.model.reasoning && !has_reasoning_content {
                out.key("reasoning_content").string("");
            }
        });
        outcome
    }

    /// The member that the thinking came in, if it goes back there.
    fn reasoning_field(&self, signature: Literal<'_>) -> Option<&'static str> {
        let field = REASONING_FIELDS.into_iter().find(|field| signature.is(field))?;
        // This gateway sends one name and takes the other.
        Some(if self.model.provider == "opencode-go" && field == "reasoning" { REASONING_FIELDS[0] } else { field })
    }

    fn call(&self, out: &mut Writer, call: &Call<'_>) -> Result<(), WireError> {
        let name = tool_name(call.name);
        let property = self.grammar.iter().find(|tool| tool.0 == name).map(|tool| tool.1.as_str());
        let input = property.map(|property| {
            string_member(call.arguments, property).ok_or_else(|| {
                let parts = ["Grammar tool call \"", &name, "\" requires argument \"", property, "\" to be a string."];
                WireError::invalid(parts.concat())
            })
        });
        let input = input.transpose()?;
        out.object(|out| {
            let Some(input) = input else {
                return function_call(out, call);
            };
            out.key("id").string(&call.id);
            out.key("type").string("custom");
            out.key("custom").object(|out| {
                out.key("name").string(&name);
                out.key("input").literal(input);
            });
        });
        Ok(())
    }

    fn result(&self, out: &mut Writer, result: &ToolResult<'_>, mark: &mut Option<Mark>) {
        let texts = || result.parts.iter().filter_map(Part::text);
        let has_images = result.parts.iter().any(|part| matches!(part, Part::Image { .. }));
        out.object(|out| {
            out.key("role").string("tool");
            string_content(out, mark, |out| {
                if texts().all(Literal::is_blank) {
                    out.push_str(if has_images { "(see attached image)" } else { "(no tool output)" });
                } else {
                    out.push_str(&joined(texts(), "\\n"));
                }
            });
            out.key("tool_call_id").string(&result.call_id);
            if self.compat.requires_tool_result_name && !result.tool_name.is_empty() {
                out.key("name").string(&tool_name(result.tool_name));
            }
        });
    }

    /// Images of consecutive results follow in one user message, for a tool message takes none.
    fn result_images(&self, out: &mut Writer, images: &[&Part<'_>], mark: &mut Option<Mark>) {
        if self.compat.requires_assistant_after_tool_result {
            bridge(out);
        }
        out.object(|out| {
            out.key("role").string("user");
            out.key("content").array(|out| {
                text_part(out, mark, |out| out.push_str("Attached image(s) from tool result:"));
                images.iter().for_each(|image| content_part(out, image, mark));
            });
        });
    }
}

/// Part of a user message that is worth sending.
pub(crate) fn is_sent(part: &&Part<'_>) -> bool {
    match part {
        Part::Text { text, .. } => !clean(text.inner()).is_empty(),
        Part::Image { .. } => true,
        _ => false,
    }
}

/// An empty list is left out; a string is sent whatever it says.
fn says_something(content: &Content<'_>) -> bool {
    match content {
        Content::Text(_) => true,
        Content::Parts(parts) => parts.iter().any(|part| is_sent(&part)),
    }
}

fn user(out: &mut Writer, content: &Content<'_>, mark: &mut Option<Mark>) {
    out.object(|out| {
        out.key("role").string("user");
        match content {
            Content::Text(text) => string_content(out, mark, |out| out.push_str(&clean(text.inner()))),
            Content::Parts(parts) => out.key("content").array(|out| {
                parts.iter().filter(is_sent).for_each(|part| content_part(out, part, mark));
            }),
        }
    });
}

pub(crate) fn call_of<'p, 'a>(part: &'p Part<'a>) -> Option<&'p Call<'a>> {
    match part {
        Part::Call(call) => Some(call),
        _ => None,
    }
}

fn thought_of<'a>(part: &Part<'a>) -> Option<(Literal<'a>, Option<Literal<'a>>)> {
    match part {
        Part::Thinking { text, signature, .. } => Some((*text, *signature)),
        _ => None,
    }
}

/// Writes the members of a call of a function.
pub(crate) fn function_call(out: &mut Writer, call: &Call<'_>) {
    out.key("id").string(&call.id);
    out.key("type").string("function");
    out.key("function").object(|out| {
        out.key("name").string(&tool_name(call.name));
        out.key("arguments");
        match call.exact {
            Some(exact) => out.literal(exact),
            None => out.embedded(call.arguments),
        }
    });
}

/// Some hosts refuse a user message right after tool results.
fn bridge(out: &mut Writer) {
    out.object(|out| {
        out.key("role").string("assistant");
        out.key("content").string(BRIDGE);
    });
}

fn string_content(out: &mut Writer, mark: &mut Option<Mark>, text: impl FnOnce(&mut String)) {
    out.key("content");
    let start = out.len();
    out.joined(text);
    if out.len() > start + 2 {
        *mark = Some(Mark::String(start, out.len()));
    }
}

fn text_part(out: &mut Writer, mark: &mut Option<Mark>, text: impl FnOnce(&mut String)) {
    out.object(|out| {
        out.key("type").string("text");
        out.key("text").joined(text);
        *mark = Some(Mark::Part(out.len()));
    });
}

fn content_part(out: &mut Writer, part: &Part<'_>, mark: &mut Option<Mark>) {
    match part {
        Part::Text { text, .. } => text_part(out, mark, |out| out.push_str(&clean(text.inner()))),
        Part::Image { data, mime } => out.object(|out| {
            out.key("type").string("image_url");
            out.key("image_url").object(|out| out.key("url").joined(data_url(*mime, *data)));
        }),
        _ => {}
    }
}
