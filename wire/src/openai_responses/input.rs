//! The conversation as a list of items (PROVIDERS 6.1).

use crate::body::{has_image, Forms};
use crate::context::{Block, Message, Part, Role};
use crate::doc::{At, Doc};
use crate::ids::{is_made_of, word};
use crate::order::NameMap;
use crate::request::Request;
use crate::text::{around, decimal};
use crate::transcript::update_text;
use crate::write::Writer;

/// Characters of an id.
const ID_CHARS: usize = 64;

/// What the ids of messages that nobody named begin with.
const MADE_UP: &str = "msg_pi_";

const FORMS: Forms = Forms {
    text: [r#"{"type":"input_text","text":""#, r#""}"#],
    image: [r#"{"type":"input_image","detail":"auto","image_url":"data:"#, ";base64,", r#""}"#],
    takes_strings: false,
    marks_images: false,
};

/// Ids of calls travel as `call id|item id`. The first half is the provider's id of the call and names it alone.
pub(super) fn call_id(id: &str, own: bool, attempt: u32) -> String {
    word(around(id, b'|', false).map_or(id, |halves| halves.0), own, attempt)
}

/// Writes the items of one request.
pub(super) struct Conversation<'r, 'a> {
    pub request: &'r Request<'a>,
    /// Whether instructions come from the developer and not from the system.
    pub developer: bool,
}

impl Conversation<'_, '_> {
    /// Writes `input`.
    pub fn write(&self, out: &mut Writer) {
        out.put(r#""input":["#);
        self.instruction(out, &self.request.prompt);
        let mut used = NameMap::default();
        let mut number = 0;
        for message in &self.request.messages {
            let before = out.len();
            match message.role {
                Role::System => self.instruction(out, &update_text(message)),
                Role::Assistant => self.assistant(out, message, number, &mut used),
                // One that says nothing is left out.
                _ if message.parts.iter().any(Part::is_sent) => FORMS.user(out, message, Part::is_sent),
                _ => {}
            }
            number += u64::from(out.len() > before);
            for result in &message.results {
                self.result(out, result);
                number += 1;
            }
        }
        out.put("]");
    }

    /// A system message, unless it says nothing.
    fn instruction(&self, out: &mut Writer, text: &str) {
        if !text.is_empty() {
            out.put(if self.developer { r#"{"role":"developer""# } else { r#"{"role":"system""# });
            out.key("content").quoted(text);
            out.close();
        }
    }

    /// The items of an answer. `number` counts messages, `used` holds ids of items that went before.
    fn assistant(&self, out: &mut Writer, message: &Message<'_>, number: u64, used: &mut NameMap) {
        // What came after a thought refers to it by its id: they go back together, or the ids stay here.
        let mut named = message.own;
        for part in &message.parts {
            if part.kind == Block::Thinking && !part.signature.is_empty() {
                let signature = part.signature.as_text();
                named &= is_replayable(Doc::of(&signature).root(), used);
            }
        }
        let mut texts = 0;
        // Where thoughts stand that nothing came of so far.
        let mut idle = None;
        for part in &message.parts {
            match part.kind {
                Block::Thinking if named && !part.signature.is_empty() => {
                    idle.get_or_insert(out.len());
                    out.raw(&part.signature.as_text());
                }
                Block::Text if !part.text.is_empty() => {
                    idle = None;
                    let place = if texts > 0 { ["_", &decimal(texts)].concat() } else { String::new() };
                    let made = [MADE_UP, &decimal(number), &place].concat();
                    said(out, part, named.then_some(&mut *used), &made);
                    texts += 1;
                }
                Block::Call => {
                    idle = None;
                    self.call(out, part, named, used);
                }
                _ => {}
            }
        }
        if let Some(end) = idle {
            out.truncate(end);
        }
    }

    fn call(&self, out: &mut Writer, call: &Part<'_>, named: bool, used: &mut NameMap) {
        let property = self.request.grammar_property(&call.name);
        let prefix = if property.is_some() { "ctc_" } else { "fc_" };
        out.put(if property.is_some() { r#"{"type":"custom_tool_call""# } else { r#"{"type":"function_call""# });
        let came = call.came().as_text();
        let item = around(&came, b'|', false).map_or("", |halves| halves.1);
        if named && fits(item, prefix) && used.set(item, 0).is_none() {
            out.key("id").string(item);
        }
        out.key("call_id").string(&call.id);
        out.key("name").string(&call.name);
        if let Some(property) = property {
            call.write_input(out.key("input"), property);
        } else {
            call.write_arguments(out.key("arguments"));
        }
        out.close();
    }

    fn result(&self, out: &mut Writer, result: &Message<'_>) {
        let custom = self.request.grammar_property(&result.name).is_some();
        let kind = if custom { r#"{"type":"custom_tool_call_output""# } else { r#"{"type":"function_call_output""# };
        out.put(kind).key("call_id").string(&result.id);
        out.key("output");
        let blank = result.is_blank();
        let text = if blank { "(no tool output)".to_owned() } else { result.text() };
        if has_image(result) {
            out.put("[");
            if !blank {
                FORMS.text(out, &text);
            }
            FORMS.parts(out, &result.parts, Part::is_image);
            out.put("]");
        } else {
            out.quoted(&text);
        }
        out.close();
    }
}

/// Writes a text of an answer as a message. It keeps the id it came with where ids go back, that is where `used` are
/// given, else it gets the one that was `made` for it.
fn said(out: &mut Writer, part: &Part<'_>, used: Option<&mut NameMap>, made: &str) {
    let signature = part.signature.as_text();
    let doc = Doc::of(&signature);
    let id = doc.root().at("id").inner();
    // Older ones are the id alone.
    let id = if id.is_empty() { signature.as_ref() } else { id };
    let known = fits(id, "msg_") && !id.starts_with(MADE_UP) && used.is_some_and(|used| used.set(id, 0).is_none());
    out.put(r#"{"type":"message","role":"assistant","status":"completed""#);
    out.key("id").string(if known { id } else { made });
    out.member("phase", doc.root().string("phase"));
    out.put(r#""content":[{"type":"output_text","annotations":[],"text":"#).value(part.text);
    out.put("}]}");
}

/// Whether an id is of the provider's form.
fn fits(id: &str, prefix: &str) -> bool {
    id.starts_with(prefix) && id.len() <= ID_CHARS && is_made_of(id, b"_-")
}

/// Whether a signature is a reasoning item that is new here and says something. The server keeps nothing: it would look
/// in vain for what an item without its content says.
fn is_replayable(item: At<'_>, used: &mut NameMap) -> bool {
    let id = item.at("id").inner();
    item.at("type").inner() == "reasoning"
        && item.at("summary").first() == b'['
        && (!item.at("encrypted_content").is_empty() || !item.at("content").items().is_empty())
        && !id.is_empty()
        && fits(id, "")
        && used.set(id, 0).is_none()
}
