//! The conversation in Chat Completions form (PROVIDERS 5.1).

use super::reasoning::{replayable, replayable_entry};
use crate::body::{content, has_image, Forms};
use crate::cache_mark::{insert_marker, Mark};
use crate::compat::{Compat, Flag};
use crate::context::{joined, Block, Message, Part, Role};
use crate::doc::At;
use crate::ids::{cleaned, hash, shortened};
use crate::request::Request;
use crate::text::around;
use crate::transcript::update_text;
use crate::write::Writer;

/// Members of an assistant message that may carry its thinking.
pub(super) const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

const FORMS: Forms = Forms {
    text: [r#"{"type":"text","text":""#, r#""}"#],
    image: [r#"{"type":"image_url","image_url":{"url":"data:"#, ";base64,", r#""}}"#],
    takes_strings: true,
    marks_images: false,
};

/// Call ids for OpenAI itself, which takes 40 characters.
pub(super) fn short_id(id: &str, _own: bool, attempt: u32) -> String {
    call_id(id, 40, attempt)
}

/// Call ids for other hosts.
pub(super) fn long_id(id: &str, _own: bool, attempt: u32) -> String {
    call_id(id, 64, attempt)
}

/// Letters, digits and a few marks.
fn call_id(id: &str, max: usize, attempt: u32) -> String {
    let halves = around(id, b'|', false);
    let Some((call, item)) = halves else {
        return shortened(cleaned(if id.is_empty() { "call" } else { id }, b"_-.:"), max, String::new(), attempt);
    };
    // Responses ids have two halves; both count, for two calls may share the first.
    let call = cleaned(call, b"_-.:");
    let whole = if item.is_empty() { call.clone() } else { [&call, "_", &cleaned(item, b"_-.:")].concat() };
    if whole.len() > 40 {
        return shortened(call, 40, ["_", &hash(id)].concat(), attempt);
    }
    shortened(if whole.is_empty() { "call".to_owned() } else { whole }, 40, String::new(), attempt)
}

/// Writes the messages of one request.
pub(super) struct Conversation<'r, 'a> {
    pub out: &'r mut Writer,
    pub request: &'r Request<'a>,
    pub compat: &'r Compat<'a>,
}

impl Conversation<'_, '_> {
    /// Writes `messages`. `marker` is for cacheable parts.
    pub fn write(mut self, marker: At<'_>) {
        let request = self.request;
        self.out.put(r#""messages":["#);
        self.instruction(&request.prompt, marker);
        let mut after_result = false;
        for message in &request.messages {
            let before = self.out.len();
            match message.role {
                Role::System => self.instruction(&update_text(message), At::default()),
                Role::Assistant => self.assistant(message),
                // An empty list is left out; a string is sent whatever it says.
                _ if message.whole || message.parts.iter().any(Part::is_sent) => {
                    if after_result {
                        self.bridge();
                    }
                    FORMS.user(self.out, message, Part::is_sent);
                }
                _ => {}
            }
            // What says nothing was not written and stands between nothing.
            after_result &= self.out.len() == before;
            if !message.results.is_empty() {
                after_result = self.results(&message.results);
            }
        }
        self.out.put("]");
        insert_marker(self.out, self.out.mark, marker);
    }

    /// A system message, unless it says nothing.
    fn instruction(&mut self, text: &str, marker: At<'_>) {
        if text.is_empty() {
            return;
        }
        let developer = self.request.model.reasoning && self.compat.has(Flag::DeveloperRole);
        let out = &mut *self.out;
        out.put(if developer { r#"{"role":"developer","content":"# } else { r#"{"role":"system","content":"# });
        let start = out.len();
        out.quoted(text);
        insert_marker(out, Mark { start, end: out.len() }, marker);
        out.close();
    }

    fn assistant(&mut self, message: &Message<'_>) {
        let compat = self.compat;
        let parts = &message.parts;
        let (says_text, has_calls) = (!message.is_blank(), message.has(Block::Call));
        // The signature of the first thought that says something.
        let thought = parts.iter().find(|part| part.says_thought()).map(|part| part.signature);
        let as_text = compat.has(Flag::ThinkingAsText) && thought.is_some();
        if !says_text && !as_text && !has_calls {
            return;
        }
        self.out.put(r#"{"role":"assistant""#);
        if as_text {
            self.out.put(r#""content":["#);
            FORMS.text(self.out, &joined(parts, Part::says_thought, "\\n\\n"));
            FORMS.parts(self.out, parts, Part::says_text);
            self.out.put("]");
        } else if says_text {
            content(self.out.key("content"), &joined(parts, Part::says_text, ""));
        } else if compat.has(Flag::AssistantAfterToolResult) || compat.has(Flag::NonNullAssistantContent) {
            self.out.put(r#""content":"""#);
        } else {
            self.out.put(r#""content":null"#);
        }
        let details = details(parts);
        let mut needs_reasoning = compat.has(Flag::ReasoningContent) && self.request.model.reasoning;
        let field = thought.and_then(|signature| self.reasoning_field(signature));
        if let Some(field) = field.filter(|_| !as_text && details.is_empty()) {
            needs_reasoning &= field != REASONING_FIELDS[0];
            self.out.key(field).quoted(&joined(parts, Part::says_thought, "\\n"));
        }
        if has_calls {
            self.out.put(r#""tool_calls":["#);
            for part in parts.iter().filter(|part| part.is_call()) {
                self.call(part);
            }
            self.out.put("]");
        }
        if !details.is_empty() {
            self.out.key("reasoning_details").raw(&details);
        }
        if needs_reasoning {
            self.out.put(r#""reasoning_content":"""#);
        }
        self.out.close();
    }

    /// The member that the thinking came in, if it goes back there.
    fn reasoning_field(&self, signature: At<'_>) -> Option<&'static str> {
        let field = REASONING_FIELDS.into_iter().find(|field| signature.is(field))?;
        // This gateway sends one name and takes the other.
        Some(if self.request.model.provider == "opencode-go" && field == "reasoning" {
            REASONING_FIELDS[0]
        } else {
            field
        })
    }

    fn call(&mut self, call: &Part<'_>) {
        let Some(property) = self.request.grammar_property(&call.name) else {
            return function_call(self.out, call);
        };
        let out = &mut *self.out;
        out.put(r#"{"id":"#).string(&call.id);
        out.put(r#""type":"custom","custom":{"name":"#).string(&call.name);
        call.write_input(out.key("input"), property);
        out.put("}}");
    }

    /// Writes the results of one answer; whether a user message may not follow as it is.
    fn results(&mut self, results: &[Message<'_>]) -> bool {
        for result in results {
            self.out.put(r#"{"role":"tool","content":"#);
            if !result.is_blank() {
                content(self.out, &result.text());
            } else {
                content(self.out, if has_image(result) { "(see attached image)" } else { "(no tool output)" });
            }
            self.out.key("tool_call_id").string(&result.id);
            if self.compat.has(Flag::ToolResultName) {
                self.out.key("name").string(&result.name);
            }
            self.out.close();
        }
        if !results.iter().any(has_image) {
            return true;
        }
        // The images follow in one user message, for a tool message takes none.
        self.bridge();
        self.out.put(r#"{"role":"user","content":["#);
        FORMS.text(self.out, "Attached image(s) from tool result:");
        for result in results {
            FORMS.parts(self.out, &result.parts, Part::is_image);
        }
        self.out.put("]}");
        false
    }

    /// Some hosts refuse a user message right after tool results.
    fn bridge(&mut self) {
        if self.compat.has(Flag::AssistantAfterToolResult) {
            self.out.put(r#"{"role":"assistant","content":"I have processed the tool results."}"#);
        }
    }
}

/// The reasoning details that go back with an answer, as a list; empty when there are none.
fn details(parts: &[Part<'_>]) -> String {
    let mut older = Writer::default();
    for part in parts {
        match part.kind {
            Block::Thinking => {
                if let Some(list) = replayable(part.signature.literal()) {
                    return list;
                }
            }
            Block::Call => {
                if let Some(entry) = replayable_entry(part.signature.literal()) {
                    older.raw(&entry);
                }
            }
            _ => {}
        }
    }
    if older.len() == 0 {
        return String::new();
    }
    ["[", &older.into_text(), "]"].concat()
}

/// Writes a call of a function.
pub(crate) fn function_call(out: &mut Writer, call: &Part<'_>) {
    out.put(r#"{"id":"#).string(&call.id);
    out.put(r#""type":"function","function":{"name":"#).string(&call.name);
    call.write_arguments(out.key("arguments"));
    out.put("}}");
}
