//! What an event does to the message, and how a stream ends (PROVIDERS 7.2).

use super::calls::Calls;
use super::usage;
use crate::draft::{Draft, Kind, Source};
use crate::failure::Failure;
use crate::model::Model;
use crate::read::Read;
use crate::response::{Decode, Outcome, Step};
use crate::sse::Event;
use crate::text::has;
use std::borrow::Cow;

const ENDED: &str = "Stream ended without a finish reason";

/// Parts of the reasons that mean: the provider does not want to.
const REFUSALS: [&str; 6] = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED", "SPII", "MODEL_ARMOR"];

/// Decoder of one response.
pub(crate) struct Decoder {
    model: String,
    response_id: String,
    /// The block that text goes on in.
    open: Option<u32>,
    calls: Calls,
    finish_message: Option<String>,
}

impl Decoder {
    pub fn new(model: &Model<'_>) -> Self {
        Self {
            model: model.id.clone().into_owned(),
            response_id: String::new(),
            open: None,
            calls: Calls::default(),
            finish_message: None,
        }
    }

    fn chunk(&mut self, event: Source<'_>, draft: &mut Draft) -> Step {
        let part = |span| event.part(span);
        let [id, model, candidates, feedback, usage, error] =
            event.pick(&["responseId", "modelVersion", "candidates", "promptFeedback", "usageMetadata", "error"]);
        if let Some(id) = part(id).text().filter(|_| !draft.has_response_id()) {
            draft.response_id(&id);
            self.response_id = id.into_owned();
        }
        if let Some(model) = part(model).text().filter(|model| **model != self.model && !draft.has_response_model()) {
            draft.response_model(&model);
        }
        if usage.is_some() {
            draft.usage = Some(usage::read(part(usage)));
        }
        if let Some(error) = error {
            return Step::Failed(Failure::in_band_text(error));
        }
        let mut candidate = None;
        part(candidates).each(&mut |one| {
            candidate.get_or_insert(one);
        });
        let Some(candidate) = candidate else {
            let [reason, message] = part(feedback).pick(&["blockReason", "blockReasonMessage"]);
            return match part(reason).text() {
                Some(reason) => {
                    Step::Failed(stopped("refused", "The prompt was blocked: ", &reason, part(message).text()))
                }
                None => Step::Continue,
            };
        };
        let [content, reason, message] = candidate.pick(&["content", "finishReason", "finishMessage"]);
        let [parts] = part(content).pick(&["parts"]);
        let mut misplaced = None;
        part(parts).each(&mut |one| {
            let [text, thought, signature, call] = one.pick(&["text", "thought", "thoughtSignature", "functionCall"]);
            let signature = part(signature).text();
            if text.is_some_and(|text| text.starts_with('"')) {
                self.text(part(text), thought == Some("true"), signature.as_deref(), draft);
            }
            if call.is_some() {
                self.close(draft);
                if !self.calls.take(part(call), signature.as_deref(), &self.response_id, draft) {
                    misplaced = call;
                }
            }
        });
        if let Some(reason) = part(reason).text() {
            draft.raw_stop_reason = Some(reason.into_owned());
            self.finish_message = part(message).text().map(Cow::into_owned);
        }
        match misplaced {
            Some(call) => Step::Failed(Failure::protocol("The provider sent arguments that have no place: ", call)),
            None => Step::Continue,
        }
    }

    fn text(&mut self, text: Source<'_>, thought: bool, signature: Option<&str>, draft: &mut Draft) {
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
        if let Some(signature) = signature {
            let name = if thought { "thinkingSignature" } else { "textSignature" };
            draft.set(index, |out| out.key(name).string(signature));
        }
    }

    fn close(&mut self, draft: &mut Draft) {
        if let Some(index) = self.open.take() {
            draft.close(index);
        }
    }
}

/// A failure in the provider's words.
fn stopped(code: &'static str, what: &str, reason: &str, message: Option<Cow<'_, str>>) -> Failure {
    let colon = if message.is_some() { ": " } else { "" };
    Failure::new(code, [what, reason, colon, &message.unwrap_or_default()].concat())
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        if event.name == "error" {
            return Ok(Step::Failed(Failure::in_band_text(event.data)));
        }
        let event = Source { span: event.data };
        // Nothing in it can turn out malformed any more.
        let mut reader = event.reader();
        reader.skip()?;
        reader.finish()?;
        Ok(self.chunk(event, draft))
    }

    fn end(&mut self, draft: &mut Draft) -> Outcome {
        self.calls.finish(draft);
        draft.close_all();
        match draft.raw_stop_reason.as_deref() {
            None => Outcome::Failed(Failure::truncated(ENDED)),
            // The second is the word of servers that imitate this one, for a turn with calls.
            Some("STOP" | "FUNCTION_CALL") => Outcome::Done(if self.calls.is_empty() { "stop" } else { "toolUse" }),
            Some("MAX_TOKENS" | "CONTINUATION") => Outcome::Done("length"),
            Some(reason) => {
                let refused = REFUSALS.iter().any(|word| has(reason, word));
                let code = if refused { "refused" } else { "protocol" };
                Outcome::Failed(stopped(
                    code,
                    "Provider stopped with: ",
                    reason,
                    self.finish_message.take().map(Cow::Owned),
                ))
            }
        }
    }

    fn cut(&self) -> Failure {
        Failure::truncated([ENDED, ": it was cut inside an event"].concat())
    }
}
