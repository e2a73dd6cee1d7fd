//! What an event does to the message, and how a stream ends (PROVIDERS 5.4).

use super::calls::Calls;
use super::messages::REASONING_FIELDS;
use super::reasoning::Details;
use super::usage;
use crate::compat::{Compat, Flag};
use crate::draft::{Draft, Kind};
use crate::failure::Failure;
use crate::model::Model;
use crate::response::{Decode, Step};
use crate::source::Read;
use crate::source::Source;
use crate::sse::Event;
use crate::template::Template;
use crate::text::has;

const ENDED: &str = "Stream ended without finish_reason";

/// Decoder of one response.
#[derive(Default)]
pub(crate) struct Decoder {
    /// This gateway's `reasoning` goes back as `reasoning_content`.
    renames_reasoning: bool,
    /// Whether the host says what it billed.
    bills: bool,
    supports_finish_reason: bool,
    /// A block ends where one of another kind begins, and there may be several of a kind.
    alternates: bool,
    /// There is one text block and one thinking block; where blocks alternate, at most one of them.
    text: Option<u32>,
    thinking: Option<u32>,
    details: Details,
    calls: Calls,
    /// Index of the choice that counts: the first that had content.
    chosen: Option<f64>,
    /// Whether the finish reason is that choice's own.
    own_finish: bool,
    /// Whether usage came in its own place. What Groq also puts elsewhere counts only without it.
    own_usage: bool,
    template: Template,
}

/// What a delta did: the source of the string it said last and the block it went to, and how much it did in all.
#[derive(Default)]
struct Done<'a> {
    last: Option<(u32, Source<'a>)>,
    count: u32,
}

impl Decoder {
    /// A decoder for the host of a model. `alternates`: the order of text, thinking and calls counts.
    pub fn new(model: &Model<'_>, alternates: bool) -> Box<Self> {
        let mut decoder = Box::<Self>::default();
        decoder.renames_reasoning = model.provider == "opencode-go";
        decoder.bills = model.provider == "openrouter" || has(&model.base_url, "openrouter.ai");
        decoder.supports_finish_reason = Compat::of(model).has(Flag::FinishReason);
        decoder.alternates = alternates;
        decoder
    }

    fn chunk(&mut self, data: &str, draft: &mut Draft) -> Read<Step> {
        let [id, model, counts, padding, p, choices, error, object, groq] =
            Source::event(data, &["id", "model", "usage", "obfuscation", "p", "choices", "error", "object", "x_groq"])?;
        draft.response_id(id);
        draft.response_model(model);
        let mut list = Vec::new();
        for choice in choices.items() {
            list.push(choice.pick(&["index", "finish_reason", "usage", "delta"]));
        }
        let [groq] = groq.pick(&["usage"]);
        let counts = counts.only(b'{').or(list.first().map(|choice| choice[2].only(b'{')).unwrap_or_default());
        self.own_usage |= !counts.is_absent();
        let counts = if self.own_usage { counts } else { groq.only(b'{') };
        if !counts.is_absent() {
            draft.usage = Some(usage::read(counts, self.bills));
        }
        let error = if object.word() == "error" { error.or(Source { span: data }) } else { error };
        if !matches!(error.span, "" | "false" | "\"\"") {
            return Ok(draft.fail(Failure::in_band_text(error.span)));
        }
        let mut done = Done::default();
        for [index, reason, _, delta] in &list {
            done = self.choice(index.count(), *reason, *delta, draft);
        }
        if let (Some((index, said)), 1, 1, true) = (done.last, done.count, list.len(), counts.is_absent()) {
            let padding = padding.or(p).only(b'"');
            self.template.learn(data, said.span, Some(padding.span).filter(|span| !span.is_empty()), index);
        }
        Ok(Step::Continue)
    }

    fn choice<'a>(&mut self, index: f64, reason: Source<'a>, delta: Source<'a>, draft: &mut Draft) -> Done<'a> {
        let [first, second, third, content, refusal, details, calls, call] = delta.pick(&[
            "reasoning_content",
            "reasoning",
            "reasoning_text",
            "content",
            "refusal",
            "reasoning_details",
            "tool_calls",
            "function_call",
        ]);
        let list = if content.span.len() > 2 { content.only(b'[') } else { Source::default() };
        let [content, refusal, details, calls, call] =
            [content.said(), refusal.said(), details.only(b'['), calls.only(b'['), call.only(b'{')];
        // In order of preference.
        let mut reasoning = None;
        for (field, said) in [first, second, third].iter().enumerate() {
            if reasoning.is_none() && !said.said().is_absent() {
                reasoning = Some((field, *said));
            }
        }
        let parts = [list, content, refusal, details, calls, call];
        if reasoning.is_some() || parts.iter().any(|part| !part.is_absent()) {
            self.chosen.get_or_insert(index);
        }
        let counts = self.chosen.is_none_or(|chosen| chosen == index);
        let mut done = Done::default();
        if let Some(reason) = reason.text().filter(|_| counts || !self.own_finish) {
            draft.raw_stop_reason = Some(reason.into_owned());
            self.own_finish = counts && self.chosen.is_some();
            done.count += 2;
        }
        if !counts {
            return done;
        }
        // Thinking goes before text, for a proxy may put the end of one and the start of the other into one delta.
        if let Some((field, said)) = reasoning {
            self.say(Kind::Thinking, Some(field), said, &mut done, draft);
        }
        if !details.is_absent() {
            done.count += 2;
            self.details(details, reasoning.is_none(), draft);
        }
        for said in [content, refusal] {
            self.say(Kind::Text, None, said, &mut done, draft);
        }
        // A list of texts and of thoughts, which are lists of texts themselves, as Mistral has it.
        for item in list.items() {
            let [text, thinking] = item.pick(&["text", "thinking"]);
            self.say(Kind::Text, None, text.said(), &mut done, draft);
            self.say(Kind::Thinking, None, thinking.said(), &mut done, draft);
            for part in thinking.items() {
                let [text] = part.pick(&["text"]);
                self.say(Kind::Thinking, None, text.said(), &mut done, draft);
            }
        }
        if !calls.is_absent() {
            self.leave(Kind::Call, draft);
            done.last = self.calls.take_list(calls, draft);
            done.count += 1;
        }
        if !call.is_absent() {
            self.calls.take_legacy(call, draft);
            done.count += 2;
        }
        done
    }

    /// Text or thinking, and the field it came in.
    fn say<'a>(&mut self, kind: Kind, field: Option<usize>, said: Source<'a>, done: &mut Done<'a>, draft: &mut Draft) {
        if said.is_absent() {
            return;
        }
        self.leave(kind, draft);
        let index = if kind == Kind::Text {
            *self.text.get_or_insert_with(|| draft.open(Kind::Text))
        } else {
            self.thinking(draft, field)
        };
        draft.say(index, said);
        done.last = Some((index, said));
        done.count += 1;
    }

    /// Where blocks alternate, those of other kinds are complete.
    fn leave(&mut self, kind: Kind, draft: &mut Draft) {
        for (other, block) in [(Kind::Text, &mut self.text), (Kind::Thinking, &mut self.thinking)] {
            if self.alternates && other != kind {
                block.take().into_iter().for_each(|index| draft.close(index));
            }
        }
    }

    /// The thinking block; a new one remembers the field it came in, for that is where it goes back.
    fn thinking(&mut self, draft: &mut Draft, field: Option<usize>) -> u32 {
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
    fn details(&mut self, list: Source<'_>, show: bool, draft: &mut Draft) {
        for item in list.items() {
            if let Some(text) = self.details.add(item) {
                let index = self.thinking(draft, None);
                if show {
                    draft.say(index, text);
                }
            }
        }
    }

    fn sign(&mut self, draft: &mut Draft) {
        if let Some(index) = self.thinking.filter(|_| !self.details.is_empty()) {
            let signature = std::mem::take(&mut self.details).signature();
            draft.set_text(index, "thinkingSignature", &signature);
        }
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        if event.name == "error" {
            return Ok(draft.fail(Failure::in_band_text(event.data)));
        }
        if self.template.apply(event.data, draft) {
            return Ok(Step::Continue);
        }
        self.template.forget();
        self.chunk(event.data, draft)
    }

    fn end(&mut self, draft: &mut Draft) -> Option<&'static str> {
        self.sign(draft);
        self.calls.finish(draft);
        draft.close_all();
        let calls = !self.calls.is_empty();
        let code = match draft.raw_stop_reason.as_deref() {
            None if self.supports_finish_reason => {
                draft.fail(Failure::truncated(ENDED));
                return None;
            }
            // Some hosts say stop although there are calls to run.
            None | Some("stop" | "end" | "eos" | "eos_token") => return Some(if calls { "toolUse" } else { "stop" }),
            Some("length") => return Some("length"),
            Some("tool_calls" | "function_call") => return Some("toolUse"),
            Some("content_filter") => "refused",
            Some("model_context_window_exceeded") => "context_overflow",
            Some(_) => "protocol",
        };
        let reason = draft.raw_stop_reason.as_deref().unwrap_or_default();
        let message = ["Provider finish_reason: ", reason].concat();
        draft.fail(Failure::new(code, message));
        None
    }

    fn cut(&self) -> Failure {
        Failure::truncated([ENDED, ": it was cut inside an event"].concat())
    }

    fn failing(&mut self, draft: &mut Draft) {
        self.sign(draft);
    }
}
