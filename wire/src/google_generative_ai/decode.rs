//! What an event does to the message, and how a stream ends (PROVIDERS 7.2).

use super::calls::Calls;
use super::usage;
use crate::draft::{Draft, Kind};
use crate::failure::Failure;
use crate::response::{Decode, Step};
use crate::source::{names, Source};
use crate::sse::Event;
use crate::text::has;

/// What the finish reasons mean, see [`Draft::end_as`]. The second and the last are the words of servers that imitate
/// this one, for a turn with calls and for one that goes on.
const MEANINGS: &str = "STOP:turn FUNCTION_CALL:turn MAX_TOKENS:length CONTINUATION:length";

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
    fn candidate(&mut self, candidate: &Source<'_>, draft: &mut Draft) -> Step {
        let [content, reason, message, ..] = &candidate.pick(names!["content", "finishReason", "finishMessage"]);
        let mut misplaced = "";
        for part in content.member("parts").items() {
            let [text, thought, signature, call, ..] =
                &part.pick(names!["text", "thought", "thoughtSignature", "functionCall"]);
            let signature = signature.string();
            if text.is(b'"') {
                self.text(text, thought.reads("true"), &signature, draft);
            }
            if !call.is_absent() {
                self.close(draft);
                if !self.calls.take(call, &signature, draft) {
                    misplaced = call.span;
                }
            }
        }
        if draft.stopped_by(reason) {
            message.string_into(&mut self.finish_message);
        }
        if misplaced.is_empty() {
            return Step::Continue;
        }
        draft.fail_as(Failure::protocol("The provider sent arguments that have no place: ", misplaced))
    }

    fn text(&mut self, text: &Source<'_>, thought: bool, signature: &str, draft: &mut Draft) {
        let kind = if thought { Kind::Thinking } else { Kind::Text };
        let index = match self.open.filter(|index| draft.kind_of(*index) == Some(kind)) {
            Some(index) => index,
            None => {
                self.close(draft);
                let index = draft.open(kind);
                self.open = Some(index);
                if text.reads("\"\"") {
                    draft.say_nothing(index);
                }
                index
            }
        };
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

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Step {
        if event.name == "error" {
            return draft.fail_in_band(event.data);
        }
        let names = names!["responseId", "modelVersion", "candidates", "promptFeedback", "usageMetadata", "error"];
        let Some([id, model, candidates, feedback, counts, error, ..]) = &Source::event(event.data, names) else {
            return Step::Malformed;
        };
        draft.response_id(id);
        draft.response_model(model);
        if !counts.is_absent() {
            usage::read(counts, draft.new_usage());
        }
        if !error.is_absent() {
            return draft.fail_in_band(error.span);
        }
        if let Some(candidate) = candidates.items().next() {
            return self.candidate(&candidate, draft);
        }
        let [reason, message, ..] = &feedback.pick(names!["blockReason", "blockReasonMessage"]);
        if reason.said().is_absent() {
            return Step::Continue;
        }
        let message = message.string();
        let colon = if message.is_empty() { "" } else { ": " };
        draft.fail("refused", &["The prompt was blocked: ", &reason.string(), colon, &message])
    }

    fn end(&mut self, draft: &mut Draft) -> Step {
        self.calls.finish(draft);
        draft.close_all();
        if draft.raw_stop_reason.is_empty() {
            return draft.fail_unfinished();
        }
        let refused = REFUSALS.iter().any(|word| has(&draft.raw_stop_reason, word));
        let code = if refused { "refused" } else { "protocol" };
        draft.end_as(MEANINGS, code, "Provider stopped with: ", &self.finish_message)
    }
}
