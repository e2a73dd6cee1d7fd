//! The conversation in Messages form (PROVIDERS 4.1).

use crate::body::{has_image, Forms};
use crate::cache_mark::insert_marker;
use crate::context::{joined, Block, Message, Part, Role};
use crate::doc::{At, Node};
use crate::text::replace;
use crate::write::Writer;

const FORMS: Forms = Forms {
    text: [r#"{"type":"text","text":""#, r#""}"#],
    image: [r#"{"type":"image","source":{"type":"base64","media_type":""#, r#"","data":""#, r#""}}"#],
    takes_strings: true,
    marks_images: true,
};

/// Stands in an error result for its images, which the API refuses there.
static MOVED: Node<'static> = Node::of("\"(image attached after the tool results)\"");

/// Writes `messages`. `marker` is for the end of the last user message; `empty_signature`
/// lets thinking go back that has no signature.
pub(super) fn write(out: &mut Writer, messages: &[Message<'_>], empty_signature: bool, marker: At<'_>) {
    out.put(r#""messages":["#);
    for message in messages {
        match message.role {
            Role::User if message.parts.iter().any(Part::is_shown) => FORMS.user(out, message, Part::is_shown),
            Role::Assistant => {
                let mark = out.mark;
                assistant(out, message, empty_signature);
                out.mark = mark;
            }
            // System messages were folded into the prompt.
            _ => {}
        }
        // All results of one turn go into one message.
        if !message.results.is_empty() {
            out.put(r#"{"role":"user","content":["#);
            answers(out, &message.results);
            out.set_mark(0);
            out.put("]}");
        }
    }
    out.put("]");
    insert_marker(out, out.mark, marker);
}

/// Writes an answer, unless it says nothing. The API refuses blank texts.
fn assistant(out: &mut Writer, message: &Message<'_>, empty_signature: bool) {
    let before = out.len();
    out.put(r#"{"role":"assistant","content":["#);
    let empty = out.len();
    for part in &message.parts {
        let (signed, redacted) = (!part.signature.is_empty(), part.is_redacted());
        match part.kind {
            Block::Call => call(out, part),
            Block::Thinking if signed && redacted => {
                out.put(r#"{"type":"redacted_thinking","data":"#).value(part.signature);
                out.close();
            }
            Block::Thinking if signed || empty_signature && part.says_thought() && !redacted => {
                out.put(r#"{"type":"thinking","thinking":"#).value(part.text);
                out.key("signature").value(part.signature);
                out.close();
            }
            Block::Text | Block::Thinking if !redacted && !part.text.is_blank() => FORMS.part(out, part),
            _ => {}
        }
    }
    if out.len() == empty {
        return out.truncate(before);
    }
    out.put("]}");
}

fn call(out: &mut Writer, call: &Part<'_>) {
    out.put(r#"{"type":"tool_use","id":"#).string(&call.id);
    // Names from elsewhere may hold marks that are refused here.
    out.key("name").string(&replace(&replace(&call.name, ".", "_"), ":", "_"));
    out.key("input").raw(&call.exact_arguments());
    out.close();
}

fn answers(out: &mut Writer, results: &[Message<'_>]) {
    for result in results {
        out.put(r#"{"type":"tool_result","tool_use_id":"#).string(&result.id);
        out.key("content");
        if !has_image(result) {
            out.quoted(&result.text());
        } else if result.is_error {
            out.quoted(&joined(&without_images(&result.parts), Part::is_text, "\\n"));
        } else {
            out.put("[");
            if result.is_blank() {
                FORMS.text(out, "(see attached image)");
            }
            FORMS.parts(out, &result.parts, Part::is_shown);
            out.put("]");
        }
        out.key("is_error").bool(result.is_error);
        out.close();
    }
    for result in results.iter().filter(|result| result.is_error && has_image(result)) {
        out.put(r#"{"type":"text","text":"#);
        out.string(&["Images from the error result of tool call ", &result.id, " (", &result.name, "):"].concat());
        out.close();
        FORMS.parts(out, &result.parts, Part::is_image);
    }
}

/// The texts of a result, with one in the place of every run of images.
fn without_images<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    let mut texts = Vec::with_capacity(parts.len());
    let mut after_image = false;
    for part in parts {
        if !(part.is_image() && after_image) {
            texts.push(Part::of_text(if part.is_image() { &MOVED } else { part.text }));
        }
        after_image = part.is_image();
    }
    texts
}
