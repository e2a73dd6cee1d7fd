//! The conversation in Gemini's form: contents of parts, in turn from user and model (PROVIDERS 7.1).

use super::family::Family;
use crate::body::{has_image, Forms};
use crate::context::{Block, Message, Part, Role};
use crate::ids::is_made_of;
use crate::write::Writer;

const FORMS: Forms = Forms {
    text: [r#"{"text":""#, r#""}"#],
    image: [r#"{"inlineData":{"mimeType":""#, r#"","data":""#, r#""}}"#],
    takes_strings: false,
    marks_images: false,
};

const USER: &str = r#"{"role":"user","parts":["#;

/// Google's own word for a call that its model did not sign, because another model made it.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// A conversation begins with the user, even where the history does not.
const BEGINNING: &str = r#"{"role":"user","parts":[{"text":"(earlier messages are not shown)"}]}"#;

/// Writes `contents`. What says nothing is left out, and what then follows each other from the model is one content, for
/// calls have to stand right behind something from the user.
pub(super) fn write(out: &mut Writer, messages: &[Message<'_>], family: &Family<'_>) {
    out.put(r#""contents":["#);
    let first = out.len();
    // Whether a content of the model is not closed yet.
    let mut open = false;
    // Only the first of parallel calls carries a signature.
    let mut sign = false;
    for message in messages {
        let model = message.role == Role::Assistant;
        if !message.parts.iter().any(|part| if model { is_sent(part) } else { part.is_shown() }) {
            continue;
        }
        if open && !model {
            out.put("]}");
            open = false;
        }
        if !model {
            out.put(USER);
            FORMS.parts(out, &message.parts, Part::is_shown);
            out.put("]}");
            continue;
        }
        if !open {
            if out.len() == first {
                out.put(BEGINNING);
            }
            out.put(r#"{"role":"model","parts":["#);
            (open, sign) = (true, family.is_third());
        }
        for part in message.parts.iter().filter(|part| is_sent(part)) {
            answer_part(out, part, family, &mut sign);
        }
        if !message.results.is_empty() {
            out.put("]}");
            open = false;
            results(out, &message.results, family);
        }
    }
    out.put(if open { "]}]" } else { "]" });
}

fn answer_part(out: &mut Writer, part: &Part<'_>, family: &Family<'_>, sign: &mut bool) {
    let mut signature = part.signature.as_text();
    if !is_base64(&signature) {
        signature = "".into();
    }
    if part.kind == Block::Call {
        out.put(r#"{"functionCall":{"name":"#).string(&part.name);
        out.key("args").raw(&part.exact_arguments());
        if family.takes_ids() {
            out.key("id").string(&part.id);
        }
        out.close();
        if std::mem::take(sign) && signature.is_empty() {
            signature = UNSIGNED.into();
        }
    } else {
        out.put(r#"{"text":"#).value(part.text);
        if part.kind == Block::Thinking {
            out.put(r#""thought":true"#);
        }
    }
    if !signature.is_empty() {
        out.key("thoughtSignature").string(&signature);
    }
    out.close();
}

/// All results of a turn stand in one content; images that have no place there follow.
fn results(out: &mut Writer, results: &[Message<'_>], family: &Family<'_>) {
    out.put(USER);
    for result in results {
        out.put(r#"{"functionResponse":{"name":"#).string(&result.name);
        let text = result.text();
        let shown = if text.is_empty() && has_image(result) { "(see attached image)" } else { &text };
        out.put(if result.is_error { r#""response":{"error":"# } else { r#""response":{"output":"# }).quoted(shown);
        out.close();
        if has_image(result) && family.takes_result_images() {
            out.put(r#""parts":["#);
            FORMS.parts(out, &result.parts, Part::is_image);
            out.put("]");
        }
        if family.takes_ids() {
            out.key("id").string(&result.id);
        }
        out.put("}}");
    }
    out.put("]}");
    if !family.takes_result_images() && results.iter().any(has_image) {
        out.put(USER);
        FORMS.text(out, "Tool result image:");
        for result in results {
            FORMS.parts(out, &result.parts, Part::is_image);
        }
        out.put("]}");
    }
}

/// Part of an assistant message that goes back. A signature goes back with an empty text too.
fn is_sent(part: &Part<'_>) -> bool {
    match part.kind {
        Block::Text | Block::Thinking => !part.text.is_blank() || is_base64(&part.signature.as_text()),
        Block::Call => true,
        Block::Image => false,
    }
}

/// Whether a text can be bytes in base64, of either alphabet.
fn is_base64(text: &str) -> bool {
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    text.len() % 4 == 0 && !digits.is_empty() && is_made_of(digits, b"+/-_")
}
