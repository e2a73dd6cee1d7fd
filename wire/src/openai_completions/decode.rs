//! What an event does to the message, and how a stream ends (PROVIDERS 5.4).

use super::calls::Calls;
use super::chunk::{content_items, Choice, Chunk, Delta};
use super::compat::Compat;
use super::messages::REASONING_FIELDS;
use super::reasoning::Details;
use super::usage;
use crate::draft::{Draft, Kind, Source};
use crate::failure::Failure;
use crate::http::WireError;
use crate::model::Model;
use crate::read::Read;
use crate::response::{Decode, Outcome, Step};
use crate::sse::Event;
use crate::template::Template;
use crate::text::{has, json_fault};
use crate::usage::Usage;

const ENDED: &str = "Stream ended without finish_reason";

/// Decoder of one response.
pub(crate) struct Decoder {
    model: String,
    /// This gateway's `reasoning` goes back as `reasoning_content`.
    renames_reasoning: bool,
    /// Whether the host says what it billed.
    bills: bool,
    supports_finish_reason: bool,
    /// A block ends where one of another kind begins, and there may be several of a kind.
    alternates: bool,
    /// Grammar tools: name and the argument that takes the text.
    grammar: Vec<(String, String)>,
    response_id: String,
    /// There is one text block and one thinking block; where blocks alternate, at most one of them.
    text: Option<u32>,
    thinking: Option<u32>,
    details: Details,
    calls: Calls,
    /// Index of the choice that counts: the first that had content.
    chosen: Option<i64>,
    /// Whether the finish reason is that choice's own.
    own_finish: bool,
    /// Usage from where Groq puts it when it stands nowhere else.
    groq_usage: Option<Usage>,
    template: Template,
}

/// What an event turned out to be: the source of its only string and the block it went to, if it did nothing else.
type Only<'a> = Option<(u32, &'a str)>;

impl Decoder {
    pub fn new(model: &Model<'_>) -> Result<Self, WireError> {
        let compat = Compat::of(model)
            .map_err(|error| WireError::invalid(json_fault("The model is not valid JSON: ", &error)))?;
        Ok(Self {
            model: model.id.clone().into_owned(),
            renames_reasoning: model.provider == "opencode-go",
            bills: model.provider == "openrouter" || has(&model.base_url, "openrouter.ai"),
            supports_finish_reason: compat.supports_finish_reason,
            alternates: false,
            grammar: model.grammar(),
            response_id: String::new(),
            text: None,
            thinking: None,
            details: Details::default(),
            calls: Calls::default(),
            chosen: None,
            own_finish: false,
            groq_usage: None,
            template: Template::default(),
        })
    }

    /// For an API where the order of text, thinking and calls counts.
    pub fn with_alternating_blocks(mut self) -> Self {
        self.alternates = true;
        self
    }

    fn chunk(&mut self, data: &str, draft: &mut Draft) -> Read<Step> {
        let chunk = Chunk::read(data)?;
        if let Some(id) = chunk.id.as_deref().filter(|_| !draft.has_response_id()) {
            self.response_id = id.to_owned();
            draft.response_id(id);
        }
        if let Some(model) = chunk.model.as_deref().filter(|model| *model != self.model && !draft.has_response_model())
        {
            draft.response_model(model);
        }
        let choice_usage = chunk.first.as_ref().and_then(|choice| choice.usage);
        if let Some(source) = chunk.usage.or(choice_usage) {
            draft.usage = Some(usage::read(source, self.bills)?);
        }
        if let Some(source) = chunk.groq_usage {
            self.groq_usage = Some(usage::read(source, self.bills)?);
        }
        let error = chunk.error.or(Some(data).filter(|_| chunk.is_error));
        if let Some(error) = error.filter(|error| !matches!(*error, "false" | "\"\"")) {
            return Ok(Step::Failed(Failure::in_band_text(error)));
        }
        let mut only = None;
        for choice in chunk.first.iter().chain(&chunk.others) {
            only = self.choice(choice, draft)?;
        }
        let plain = chunk.usage.or(choice_usage).or(chunk.groq_usage).is_none() && chunk.others.is_empty();
        if let Some((index, span)) = only.filter(|_| plain) {
            self.template.learn(data, span, chunk.padding, index);
        }
        Ok(Step::Continue)
    }

    fn choice<'a>(&mut self, choice: &Choice<'a>, draft: &mut Draft) -> Read<Only<'a>> {
        if choice.delta.has_content() {
            self.chosen.get_or_insert(choice.index);
        }
        let counts = self.chosen.is_none_or(|chosen| chosen == choice.index);
        if let Some(reason) = choice.finish_reason.as_deref().filter(|_| counts || !self.own_finish) {
            draft.raw_stop_reason = Some(reason.to_owned());
            self.own_finish = counts && self.chosen.is_some();
        }
        if !counts {
            return Ok(None);
        }
        let only = self.delta(&choice.delta, draft)?;
        Ok(only.filter(|_| choice.finish_reason.is_none()))
    }

    /// Thinking goes before text, for a proxy may put the end of one and the start of the other into one delta.
    fn delta<'a>(&mut self, delta: &Delta<'a>, draft: &mut Draft) -> Read<Only<'a>> {
        let mut said = 0;
        let mut only = None;
        let field = delta.reasoning.iter().position(Option::is_some);
        if let Some((field, span)) = field.and_then(|field| Some((field, (*delta.reasoning.get(field)?)?))) {
            let index = self.thinking(draft, Some(field));
            draft.say(index, Source { span });
            only = Some((index, span));
            said += 1;
        }
        if let Some(list) = delta.reasoning_details {
            said += 2;
            self.details(list, field.is_none(), draft)?;
        }
        for span in delta.content.into_iter().chain(delta.refusal) {
            let index = self.text(draft);
            draft.say(index, Source { span });
            only = Some((index, span));
            said += 1;
        }
        if let Some(list) = delta.content_list {
            content_items(Source { span: list }, &mut |kind, span| {
                if span.len() > 2 {
                    let index = if kind == Kind::Text { self.text(draft) } else { self.thinking(draft, None) };
                    draft.say(index, Source { span });
                    only = Some((index, span));
                    said += 1;
                }
            })?;
        }
        if let Some(list) = delta.tool_calls {
            self.leave(Kind::Call, draft);
            only = self.calls.take_list(list, &self.grammar, draft)?;
            said += 1;
        }
        if let Some(source) = delta.function_call {
            self.calls.take_legacy(source, draft)?;
            said += 2;
        }
        Ok(only.filter(|_| said == 1))
    }

    /// Where blocks alternate, those of other kinds are complete.
    fn leave(&mut self, kind: Kind, draft: &mut Draft) {
        for (other, block) in [(Kind::Text, &mut self.text), (Kind::Thinking, &mut self.thinking)] {
            if self.alternates && other != kind {
                block.take().into_iter().for_each(|index| draft.close(index));
            }
        }
    }

    fn text(&mut self, draft: &mut Draft) -> u32 {
        self.leave(Kind::Text, draft);
        *self.text.get_or_insert_with(|| draft.open(Kind::Text))
    }

    /// The thinking block; a new one remembers the field it came in, for that is where it goes back.
    fn thinking(&mut self, draft: &mut Draft, field: Option<usize>) -> u32 {
        self.leave(Kind::Thinking, draft);
        if let Some(index) = self.thinking {
            return index;
        }
        let index = draft.open(Kind::Thinking);
        self.thinking = Some(index);
        if let Some(field) = field {
            let renamed = self.renames_reasoning && field == 1;
            let name = REASONING_FIELDS.get(if renamed { 0 } else { field }).copied().unwrap_or_default();
            draft.set_text(index, "thinkingSignature", name);
        }
        index
    }

    /// `show`: nothing else of the delta shows its thinking.
    fn details(&mut self, list: &str, show: bool, draft: &mut Draft) -> Read<()> {
        let mut texts = Vec::new();
        if self.details.add(list, |text| texts.push(text))? {
            let index = *self.thinking.get_or_insert_with(|| draft.open(Kind::Thinking));
            if show {
                for text in texts {
                    draft.say(index, Source { span: text.span() });
                }
            }
        }
        Ok(())
    }

    fn sign(&mut self, draft: &mut Draft) {
        if let Some(index) = self.thinking.filter(|_| !self.details.is_empty()) {
            let signature = std::mem::take(&mut self.details).signature();
            draft.set_text(index, "thinkingSignature", &signature);
        }
    }

    fn settle_usage(&mut self, draft: &mut Draft) {
        if draft.usage.is_none() {
            draft.usage = self.groq_usage.take();
        }
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        if event.name == "error" {
            return Ok(Step::Failed(Failure::in_band_text(event.data)));
        }
        if self.template.apply(event.data, draft) {
            return Ok(Step::Continue);
        }
        self.template.forget();
        self.chunk(event.data, draft)
    }

    fn end(&mut self, draft: &mut Draft) -> Outcome {
        self.sign(draft);
        self.settle_usage(draft);
        self.calls.finish(&self.response_id, &self.grammar, draft);
        draft.close_all();
        let calls = !self.calls.is_empty();
        let Some(reason) = draft.raw_stop_reason.as_deref() else {
            return match (self.supports_finish_reason, calls) {
                (true, _) => Outcome::Failed(Failure::truncated(ENDED)),
                (false, true) => Outcome::Done("toolUse"),
                (false, false) => Outcome::Done("stop"),
            };
        };
        match reason {
            // Some hosts say stop although there are calls to run.
            "stop" | "end" | "eos" | "eos_token" => Outcome::Done(if calls { "toolUse" } else { "stop" }),
            "length" => Outcome::Done("length"),
            "tool_calls" | "function_call" => Outcome::Done("toolUse"),
            other => {
                let code = match other {
                    "content_filter" => "refused",
                    "model_context_window_exceeded" => "context_overflow",
                    _ => "protocol",
                };
                Outcome::Failed(Failure::new(code, ["Provider finish_reason: ", other].concat()))
            }
        }
    }

    fn cut(&self) -> Failure {
        Failure::truncated([ENDED, ": it was cut inside an event"].concat())
    }

    fn failing(&mut self, draft: &mut Draft) {
        self.sign(draft);
        self.settle_usage(draft);
    }
}
