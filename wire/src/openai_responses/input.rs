//! The conversation as a list of items (PROVIDERS 6.1).

use crate::context::{Assistant, Body, Call, Content, Message, Part, ToolResult};
use crate::ids::{cleaned, Word};
use crate::json::Reader;
use crate::literal::{clean, Literal};
use crate::model::Model;
use crate::openai_completions::is_sent;
use crate::order::NameMap;
use crate::read;
use crate::request::data_url;
use crate::text::{around, decimal};
use crate::tools::string_member;
use crate::transcript::{is_own, joined, tool_name, update_text, CallIds};
use crate::write::Writer;

/// Characters of an id.
const ID_CHARS: usize = 64;

/// What the ids of messages that nobody named begin with.
const MADE_UP: &str = "msg_pi_";

/// Ids of calls travel as `call id|item id`. The first half is the provider's id of the call and names it alone.
pub(super) struct Ids;

impl CallIds for Ids {
    fn adapt(&self, id: &str, own: bool, attempt: u32) -> String {
        Word.adapt(around(id, b'|', false).map_or(id, |halves| halves.0), own, attempt)
    }
}

/// Writes the items of one request.
pub(super) struct Conversation<'a, 'r> {
    pub model: &'r Model<'a>,
    /// Whether instructions come from the developer and not from the system.
    pub developer: bool,
    /// Grammar tools: name and the argument that takes the text.
    pub grammar: &'r [(String, String)],
    /// Escaped, without quotes.
    pub prompt: &'r str,
}

impl Conversation<'_, '_> {
    /// Writes the list.
    pub fn write(&self, out: &mut Writer, messages: &[Message<'_>]) {
        out.array(|out| {
            self.instruction(out, self.prompt);
            let mut used = NameMap::default();
            let mut number = 0;
            for message in messages {
                let before = out.len();
                match &message.body {
                    Body::System(system) => self.instruction(out, &update_text(system)),
                    Body::User(content) => user(out, content),
                    Body::Assistant(assistant) => self.assistant(out, assistant, number, &mut used),
                    Body::Result(result) => self.result(out, result),
                }
                number += u64::from(out.len() > before);
            }
        });
    }

    /// A system message, unless it says nothing.
    fn instruction(&self, out: &mut Writer, text: &str) {
        if !text.is_empty() {
            out.object(|out| {
                out.key("role").string(if self.developer { "developer" } else { "system" });
                out.key("content").joined(|out| out.push_str(text));
            });
        }
    }

    /// The items of an answer. `number` counts messages, `used` holds ids of items that went before.
    fn assistant(&self, out: &mut Writer, assistant: &Assistant<'_>, number: u64, used: &mut NameMap) {
        // What came after a thought refers to it by its id: they go back together, or the ids stay here.
        let mut named = is_own(assistant, self.model);
        for part in &assistant.parts {
            if let Part::Thinking { signature: Some(signature), .. } = part {
                named &= is_replayable(&signature.text(), used);
            }
        }
        let mut texts = 0;
        // Where thoughts stand that nothing came of so far.
        let mut idle = None;
        for part in &assistant.parts {
            match part {
                Part::Thinking { signature: Some(signature), .. } if named => {
                    idle.get_or_insert(out.len());
                    out.raw(&signature.text());
                }
                Part::Text { text, signature } if !clean(text.inner()).is_empty() => {
                    idle = None;
                    let signature = signature.map(Literal::text).unwrap_or_default();
                    let mut found = [""; 2];
                    pick_all(&signature, &["id", "phase"], &mut found);
                    let [id, phase] = found;
                    // Older ones are the id alone.
                    let id = if id.is_empty() { signature.as_ref() } else { Literal::of_span(id).inner() };
                    let made;
                    let known = named && fits(id, "msg_") && !id.starts_with(MADE_UP) && used.set(id, 0).is_none();
                    let id = if known {
                        id
                    } else {
                        let place = if texts > 0 { ["_", &decimal(texts)].concat() } else { String::new() };
                        made = [MADE_UP, &decimal(number), &place].concat();
                        &made
                    };
                    message(out, *text, id, phase);
                    texts += 1;
                }
                Part::Call(call) => {
                    idle = None;
                    self.call(out, call, named, used);
                }
                _ => {}
            }
        }
        if let Some(end) = idle {
            out.truncate(end);
        }
    }

    /// The argument of a grammar tool that takes the text.
    fn property(&self, name: &str) -> Option<&str> {
        self.grammar.iter().find(|tool| tool.0 == name).map(|tool| tool.1.as_str())
    }

    fn call(&self, out: &mut Writer, call: &Call<'_>, named: bool, used: &mut NameMap) {
        let name = tool_name(call.name);
        let property = self.property(&name);
        let (kind, prefix) = if property.is_some() { ("custom_tool_call", "ctc_") } else { ("function_call", "fc_") };
        let item = around(&call.came, b'|', false).map(|halves| halves.1);
        let item = item.filter(|item| named && fits(item, prefix) && used.set(item, 0).is_none());
        out.object(|out| {
            out.key("type").string(kind);
            if let Some(item) = item {
                out.key("id").string(item);
            }
            out.key("call_id").string(&call.id);
            out.key("name").string(&name);
            out.key(if property.is_some() { "input" } else { "arguments" });
            let text = property.map_or(call.exact, |property| string_member(call.arguments, property));
            match text {
                Some(text) => out.literal(text),
                // Another model may have called a grammar tool in another way: what it wrote is what there is.
                None => out.embedded(call.arguments),
            }
        });
    }

    fn result(&self, out: &mut Writer, result: &ToolResult<'_>) {
        let texts = || result.parts.iter().filter_map(Part::text);
        let blank = texts().all(Literal::is_blank);
        let custom = self.property(&tool_name(result.tool_name)).is_some();
        let has_images = result.parts.iter().any(|part| matches!(part, Part::Image { .. }));
        out.object(|out| {
            out.key("type").string(if custom { "custom_tool_call_output" } else { "function_call_output" });
            out.key("call_id").string(&result.call_id);
            out.key("output");
            let text = if blank { "(no tool output)".into() } else { joined(texts(), "\\n") };
            if !has_images {
                return out.joined(|out| out.push_str(&text));
            }
            out.array(|out| {
                if !blank {
                    input_text(out, &text);
                }
                result.parts.iter().for_each(|part| image(out, part));
            });
        });
    }
}

/// A user message, unless it says nothing.
fn user(out: &mut Writer, content: &Content<'_>) {
    let (whole, parts) = match content {
        Content::Text(text) => (clean(text.inner()), &[][..]),
        Content::Parts(parts) => ("".into(), parts.as_slice()),
    };
    if whole.is_empty() && !parts.iter().any(|part| is_sent(&part)) {
        return;
    }
    out.object(|out| {
        out.key("role").string("user");
        out.key("content").array(|out| {
            if !whole.is_empty() {
                input_text(out, &whole);
            }
            for part in parts.iter().filter(is_sent) {
                match part.text() {
                    Some(text) => input_text(out, &clean(text.inner())),
                    None => image(out, part),
                }
            }
        });
    });
}

/// `text` is escaped.
fn input_text(out: &mut Writer, text: &str) {
    out.object(|out| {
        out.key("type").string("input_text");
        out.key("text").joined(|out| out.push_str(text));
    });
}

fn image(out: &mut Writer, part: &Part<'_>) {
    if let Part::Image { data, mime } = part {
        out.object(|out| {
            out.raw(r#""type":"input_image","detail":"auto""#);
            out.key("image_url").joined(data_url(*mime, *data));
        });
    }
}

/// `phase` is a source.
fn message(out: &mut Writer, text: Literal<'_>, id: &str, phase: &str) {
    out.object(|out| {
        out.raw(r#""type":"message","role":"assistant","status":"completed""#);
        out.key("id").string(id);
        if phase.starts_with('"') {
            out.key("phase").raw(phase);
        }
        out.key("content").array(|out| {
            out.object(|out| {
                out.raw(r#""type":"output_text","annotations":[]"#);
                out.key("text").literal(text);
            });
        });
    });
}

/// Whether an id is of the provider's form.
fn fits(id: &str, prefix: &str) -> bool {
    id.starts_with(prefix) && id.len() <= ID_CHARS && cleaned(id, b"_-") == id
}

/// Sources of members of what should be an object, see [`read::spans`].
fn pick_all<'a>(text: &'a str, names: &[&str], found: &mut [&'a str]) {
    let mut reader = Reader::new(text);
    if read::spans(&mut reader, names, found).is_err() || reader.finish().is_err() {
        found.fill("");
    }
}

/// Whether a signature is a reasoning item that is new here and says something. The server keeps nothing: it would look
/// in vain for what an item without its content says.
fn is_replayable(item: &str, used: &mut NameMap) -> bool {
    let mut found = [""; 5];
    pick_all(item, &["type", "id", "summary", "encrypted_content", "content"], &mut found);
    let [kind, id, summary, encrypted, content] = found;
    let id = Literal::of_span(id).inner();
    kind == "\"reasoning\""
        && summary.starts_with('[')
        && (encrypted.starts_with('"') && encrypted.len() > 2 || content.starts_with('[') && content.len() > 2)
        && !id.is_empty()
        && fits(id, "")
        && used.set(id, 0).is_none()
}
