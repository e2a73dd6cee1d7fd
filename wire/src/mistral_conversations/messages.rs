//! The conversation in Mistral's form.

use crate::body::{has_image, Forms};
use crate::context::{Block, Message, Part, Role};
use crate::doc::Node;
use crate::ids::{hash, is_made_of};
use crate::openai_completions::function_call;
use crate::request::Request;
use crate::text::{decimal, trim};
use crate::write::Writer;

const FORMS: Forms = Forms {
    text: [r#"{"type":"text","text":""#, r#""}"#],
    image: [r#"{"type":"image_url","image_url":"data:"#, ";base64,", r#""}"#],
    takes_strings: true,
    marks_images: false,
};

/// Call ids: nine letters or digits.
pub(super) fn call_id(id: &str, _own: bool, attempt: u32) -> String {
    if attempt == 0 && id.len() == 9 && is_made_of(id, b"") {
        return id.to_owned();
    }
    let number = decimal(attempt.into());
    ["c", &hash(&[id, "/", &number].concat())].concat()
}

/// Writes `messages`.
pub(super) fn write(out: &mut Writer, request: &Request<'_>) {
    out.put(r#""messages":["#);
    if !request.prompt.is_empty() {
        out.put(r#"{"role":"system","content":"#).quoted(&request.prompt);
        out.close();
    }
    for message in &request.messages {
        match message.role {
            // One that says nothing is refused.
            Role::User if message.parts.iter().any(Part::is_sent) => FORMS.user(out, message, Part::is_sent),
            Role::Assistant => assistant(out, message),
            // All that the system said is in the prompt.
            _ => {}
        }
        for answer in &message.results {
            result(out, answer);
        }
    }
    out.put("]");
}

/// An answer in the order it was given, thinking among it.
fn assistant(out: &mut Writer, message: &Message<'_>) {
    let says = |part: &&Part<'_>| part.says_text() || part.says_thought();
    let has_calls = message.has(Block::Call);
    let has_said = message.parts.iter().any(|part| says(&part));
    if !has_said && !has_calls {
        return;
    }
    out.put(r#"{"role":"assistant""#);
    if has_said {
        out.put(r#""content":["#);
        for part in message.parts.iter().filter(says) {
            if part.is_text() {
                FORMS.part(out, part);
            } else {
                out.put(r#"{"type":"thinking","thinking":["#);
                FORMS.part(out, part);
                out.put("]}");
            }
        }
        out.put("]");
    }
    if has_calls {
        out.put(r#""tool_calls":["#);
        for part in message.parts.iter().filter(|part| part.is_call()) {
            function_call(out, part);
        }
        out.put("]");
    }
    out.close();
}

fn result(out: &mut Writer, result: &Message<'_>) {
    let escaped = ["\"", &result.text(), "\""].concat();
    let text = Node::of(&escaped).as_text();
    let shown = match trim(&text) {
        "" if has_image(result) => "(see attached image)",
        "" => "(no tool output)",
        text => text,
    };
    out.put(r#"{"role":"tool","tool_call_id":"#).string(&result.id);
    out.key("name").string(&result.name);
    out.put(r#""content":[{"type":"text","text":"#);
    out.string(&[if result.is_error { "[tool error] " } else { "" }, shown].concat());
    out.close();
    FORMS.parts(out, &result.parts, Part::is_image);
    out.put("]}");
}
