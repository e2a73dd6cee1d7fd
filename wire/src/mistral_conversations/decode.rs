//! How a stream ends. What its events do is a matter of Chat Completions.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::model::Model;
use crate::openai_completions::Decoder as Chat;
use crate::response::{Decode, Step};
use crate::source::Read;
use crate::sse::Event;
use crate::text::decimal;

/// Decoder of one response.
pub(crate) struct Decoder(Box<Chat>);

impl Decoder {
    pub fn new(model: &Model<'_>) -> Self {
        Self(Chat::new(model, true))
    }
}

/// The API does not say how many tokens were thoughts.
fn settle_usage(draft: &mut Draft) {
    if let Some(usage) = &mut draft.usage {
        usage.reasoning = None;
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        self.0.event(event, draft)
    }

    fn end(&mut self, draft: &mut Draft) -> Option<&'static str> {
        let reason = self.0.end(draft);
        settle_usage(draft);
        match draft.raw_stop_reason.as_deref() {
            Some("model_length") => Some("length"),
            // The wording says that it may pass by itself.
            Some("error") => {
                draft.fail(Failure::new("http", "Provider stopped with: error (server error)"));
                None
            }
            _ => reason,
        }
    }

    fn cut(&self) -> Failure {
        self.0.cut()
    }

    fn failing(&mut self, draft: &mut Draft) {
        self.0.failing(draft);
        settle_usage(draft);
    }

    fn refused(&self, status: u16, _status_text: &str, body: &str) -> Failure {
        let failure = Failure::of_status(status, body);
        let number = decimal(status.into());
        // Without the status, which stands in front.
        let said = failure.message.get(number.len() + 1..).unwrap_or_default().trim_start();
        let message = ["Mistral API error (", &number, "): ", said].concat();
        Failure { message, ..failure }
    }
}
