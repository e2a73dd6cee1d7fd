//! What an event does to the message, and how a stream ends (PROVIDERS 7.2).

use super::calls::Calls;
use super::usage;
use crate::draft::{Draft, Kind};
use crate::failure::Failure;
use crate::response::{Decode, Step};
use crate::source::Read;
use crate::source::Source;
use crate::sse::Event;
use crate::text::has;

const ENDED: &str = "Stream ended without a finish reason";

/// Parts of the reasons that mean: the provider does not want to.
const REFUSALS: [&str; 6] = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED", "SPII", "MODEL_ARMOR"];

/// Decoder of one response.
#[derive(Default)]
pub(crate) struct Decoder {
    /// The block that text goes on in.
    open: Option<u32>,
    calls: Calls,
    finish_message: String,
}

impl Decoder {
    fn candidate(&mut self, candidate: Source<'_>, draft: &mut Draft) -> Step {
        let [content, reason, message] = candidate.pick(&["content", "finishReason", "finishMessage"]);
        let [parts] = content.pick(&["parts"]);
        let mut misplaced = Source::default();
        for part in parts.items() {
            let [text, thought, signature, call] = part.pick(&["text", "thought", "thoughtSignature", "functionCall"]);
            let signature = signature.string();
            if !text.only(b'"').is_absent() {
                self.text(text, thought.span == "true", &signature, draft);
            }
            if !call.is_absent() {
                self.close(draft);
                if !self.calls.take(call, &signature, draft) {
                    misplaced = call;
                }
            }
        }
        if let Some(reason) = reason.text() {
            draft.raw_stop_reason = Some(reason.into_owned());
            self.finish_message = message.string().into_owned();
        }
        if misplaced.is_absent() {
            return Step::Continue;
        }
        draft.fail(Failure::protocol("The provider sent arguments that have no place: ", misplaced.span))
    }

    fn text(&mut self, text: Source<'_>, thought: bool, signature: &str, draft: &mut Draft) {
        let kind = if thought { Kind::Thinking } else { Kind::Text };
        let goes_on = self.open.filter(|index| draft.kind_of(*index) == Some(kind));
        let index = goes_on.unwrap_or_else(|| {
            self.close(draft);
            let index = draft.open(kind);
            if text.span.len() == 2 {
                draft.say_nothing(index);
            }
            index
        });
        self.open = Some(index);
        draft.say(index, text);
        if !signature.is_empty() {
            draft.set_text(index, if thought { "thinkingSignature" } else { "textSignature" }, signature);
        }
    }

    fn close(&mut self, draft: &mut Draft) {
        if let Some(index) = self.open.take() {
            draft.close(index);
        }
    }
}

/// A failure in the provider's words.
fn stopped(code: &'static str, what: &str, reason: &str, message: &str) -> Failure {
    Failure::new(code, [what, reason, if message.is_empty() { "" } else { ": " }, message].concat())
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        if event.name == "error" {
            return Ok(draft.fail(Failure::in_band_text(event.data)));
        }
        let [id, model, candidates, feedback, counts, error] = Source::event(
            event.data,
            &["responseId", "modelVersion", "candidates", "promptFeedback", "usageMetadata", "error"],
        )?;
        draft.response_id(id);
        draft.response_model(model);
        if !counts.is_absent() {
            draft.usage = Some(usage::read(counts));
        }
        if !error.is_absent() {
            return Ok(draft.fail(Failure::in_band_text(error.span)));
        }
        if let Some(candidate) = candidates.items().next() {
            return Ok(self.candidate(candidate, draft));
        }
        let [reason, message] = feedback.pick(&["blockReason", "blockReasonMessage"]);
        if reason.said().is_absent() {
            return Ok(Step::Continue);
        }
        Ok(draft.fail(stopped("refused", "The prompt was blocked: ", &reason.string(), &message.string())))
    }

    fn end(&mut self, draft: &mut Draft) -> Option<&'static str> {
        self.calls.finish(draft);
        draft.close_all();
        let failure = match draft.raw_stop_reason.as_deref() {
            None => Failure::truncated(ENDED),
            // The second is the word of servers that imitate this one, for a turn with calls.
            Some("STOP" | "FUNCTION_CALL") => return Some(if self.calls.is_empty() { "stop" } else { "toolUse" }),
            Some("MAX_TOKENS" | "CONTINUATION") => return Some("length"),
            Some(reason) => {
                let refused = REFUSALS.iter().any(|word| has(reason, word));
                let code = if refused { "refused" } else { "protocol" };
                stopped(code, "Provider stopped with: ", reason, &self.finish_message)
            }
        };
        draft.fail(failure);
        None
    }

    fn cut(&self) -> Failure {
        Failure::truncated([ENDED, ": it was cut inside an event"].concat())
    }
}
