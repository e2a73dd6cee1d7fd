//! What an event does to the message, and how a stream ends (PROVIDERS 5.4), for Mistral's own API too (PROVIDERS 8).

use super::calls::Calls;
use super::messages::REASONING_FIELDS;
use super::reasoning::Details;
use super::usage;
use crate::compat::{Compat, Flag};
use crate::draft::{Draft, Kind};
use crate::failure::Failure;
use crate::model::Model;
use crate::response::{Decode, Step};
use crate::source::{names, Source, ABSENT};
use crate::sse::Event;
use crate::template::Template;
use crate::text::{decimal, has, trim_start};
use crate::usage::{REASONING, UNKNOWN};

/// What the finish reasons mean, see [`Draft::end_as`]. Some hosts say stop although there are calls to run.
const MEANINGS: &str = "stop:turn end:turn eos:turn eos_token:turn length:length tool_calls:toolUse \
    function_call:toolUse content_filter:refused model_context_window_exceeded:context_overflow";

/// Decoder of one response.
#[derive(Default)]
pub(crate) struct Decoder {
    /// This gateway's `reasoning` goes back as `reasoning_content`.
    renames_reasoning: bool,
    /// Whether the host says what it billed.
    bills: bool,
    supports_finish_reason: bool,
    /// Mistral's own API: a block ends where one of another kind begins, and there may be several of a kind.
    is_mistral: bool,
    /// There is one text block and one thinking block; with Mistral, at most one of them.
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

/// What an event did: the source of the string it said last and the block it went to, and how much it did in all.
#[derive(Default)]
struct Done<'a> {
    last: Option<(u32, &'a str)>,
    count: u32,
}

impl Decoder {
    /// A decoder for the host of a model.
    pub fn new(model: &Model<'_>, is_mistral: bool) -> Box<Self> {
        let mut decoder = Box::<Self>::default();
        decoder.renames_reasoning = model.provider == "opencode-go";
        decoder.bills = model.provider == "openrouter" || has(&model.base_url, "openrouter.ai");
        decoder.supports_finish_reason = Compat::of(model).has(Flag::FinishReason);
        decoder.is_mistral = is_mistral;
        decoder
    }

    fn chunk(&mut self, data: &str, draft: &mut Draft) -> Step {
        let names = names!["id", "model", "usage", "obfuscation", "p", "choices", "error", "object", "x_groq"];
        let Some([id, model, counts, padding, p, choices, error, object, groq, ..]) = &Source::event(data, names)
        else {
            return Step::Malformed;
        };
        draft.response_id(id);
        draft.response_model(model);
        let first = choices.items().next().unwrap_or_default().member("usage");
        let mut counts = counts.only(b'{').or(first.only(b'{'));
        self.own_usage |= !counts.is_absent();
        let groq = groq.member("usage");
        if !self.own_usage {
            counts = groq.only(b'{');
        }
        if !counts.is_absent() {
            usage::read(counts, self.bills, draft.new_usage());
        }
        let error = if object.word() == "error" && error.is_absent() { data } else { error.span };
        if !matches!(error, "" | "false" | "\"\"") {
            return draft.fail_in_band(error);
        }
        let mut done = Done::default();
        let mut choice_count = 0;
        for choice in choices.items() {
            self.choice(&choice, &mut done, draft);
            choice_count += 1;
        }
        if let (Some((index, said)), 1, 1, true) = (done.last, done.count, choice_count, counts.is_absent()) {
            let padding = padding.or(p).only(b'"');
            self.template.learn(data, said, padding.span, index);
        }
        Step::Continue
    }

    fn choice<'a>(&mut self, choice: &Source<'a>, done: &mut Done<'a>, draft: &mut Draft) {
        let [index, reason, delta, ..] = &choice.pick(names!["index", "finish_reason", "delta"]);
        let index = index.count();
        const NAMES: &[u8] = names![
            REASONING_FIELDS[0],
            REASONING_FIELDS[1],
            REASONING_FIELDS[2],
            "content",
            "refusal",
            "reasoning_details",
            "tool_calls",
            "function_call",
        ];
        let parts = delta.pick(NAMES);
        let [_, _, _, content, refusal, details, calls, call, ..] = &parts;
        let list = if content.span.len() > 2 { content.only(b'[') } else { ABSENT };
        let (content, refusal) = (content.said(), refusal.said());
        let (details, calls, call) = (details.only(b'['), calls.only(b'['), call.only(b'{'));
        // In order of preference.
        let (mut thought, mut field) = (ABSENT, "");
        for (part, name) in parts.iter().zip(&REASONING_FIELDS) {
            if thought.is_absent() {
                (thought, field) = (part.said(), name);
            }
        }
        if [thought, list, content, refusal, details, calls, call].iter().any(|part| !part.is_absent()) {
            self.chosen.get_or_insert(index);
        }
        let counts = self.chosen.is_none_or(|chosen| chosen == index);
        if (counts || !self.own_finish) && draft.stopped_by(reason) {
            self.own_finish = counts && self.chosen.is_some();
            done.count += 2;
        }
        if !counts {
            return;
        }
        // Thinking goes before text, for a proxy may put the end of one and the start of the other into one delta.
        self.think(thought, field, done, draft);
        if !details.is_absent() {
            done.count += 2;
        }
        for item in details.items() {
            if let Some(text) = self.details.add(&item) {
                let index = self.thinking(draft, "");
                // Unless something else of the delta shows its thinking.
                if thought.is_absent() {
                    draft.say(index, &text);
                }
            }
        }
        self.text(content, done, draft);
        self.text(refusal, done, draft);
        // A list of texts and of thoughts, which are lists of texts themselves, as Mistral has it.
        for item in list.items() {
            let [text, thinking, ..] = &item.pick(names!["text", "thinking"]);
            self.text(text.said(), done, draft);
            self.think(thinking.said(), "", done, draft);
            for part in thinking.items() {
                self.think(part.member("text").said(), "", done, draft);
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
    }

    fn text<'a>(&mut self, said: &Source<'a>, done: &mut Done<'a>, draft: &mut Draft) {
        if said.is_absent() {
            return;
        }
        self.leave(Kind::Text, draft);
        let index = *self.text.get_or_insert_with(|| draft.open(Kind::Text));
        say(index, said, done, draft);
    }

    /// Thinking, and the field it came in.
    fn think<'a>(&mut self, said: &Source<'a>, field: &str, done: &mut Done<'a>, draft: &mut Draft) {
        if said.is_absent() {
            return;
        }
        self.leave(Kind::Thinking, draft);
        let index = self.thinking(draft, field);
        say(index, said, done, draft);
    }

    /// With Mistral, blocks of other kinds are complete.
    fn leave(&mut self, kind: Kind, draft: &mut Draft) {
        for (other, block) in [(Kind::Text, &mut self.text), (Kind::Thinking, &mut self.thinking)] {
            if self.is_mistral && other != kind {
                block.take().into_iter().for_each(|index| draft.close(index));
            }
        }
    }

    /// The thinking block; a new one remembers the field it came in, for that is where it goes back.
    fn thinking(&mut self, draft: &mut Draft, field: &str) -> u32 {
        if let Some(index) = self.thinking {
            return index;
        }
        let index = draft.open(Kind::Thinking);
        self.thinking = Some(index);
        if !field.is_empty() {
            let [standard, renamed, _] = REASONING_FIELDS;
            let is_renamed = self.renames_reasoning && field == renamed;
            draft.set_text(index, "thinkingSignature", if is_renamed { standard } else { field });
        }
        index
    }

    /// What is told at the end in any case.
    fn settle(&mut self, draft: &mut Draft) {
        if let (Some(index), Some(signature)) = (self.thinking.take(), self.details.signature()) {
            draft.set_text(index, "thinkingSignature", &signature);
        }
        if let Some(usage) = draft.usage.as_mut().filter(|_| self.is_mistral) {
            // Mistral does not say how many tokens were thoughts.
            usage.counts[REASONING] = UNKNOWN;
        }
    }
}

fn say<'a>(index: u32, said: &Source<'a>, done: &mut Done<'a>, draft: &mut Draft) {
    draft.say(index, said);
    done.last = Some((index, said.span));
    done.count += 1;
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Step {
        if event.name == "error" {
            return draft.fail_in_band(event.data);
        }
        if self.template.apply(event.data, draft) {
            return Step::Continue;
        }
        self.template.forget();
        self.chunk(event.data, draft)
    }

    fn end(&mut self, draft: &mut Draft) -> Step {
        self.settle(draft);
        self.calls.finish(draft);
        draft.close_all();
        match draft.raw_stop_reason.as_str() {
            "" if self.supports_finish_reason => draft.fail_unfinished(),
            "" => draft.end_turn(),
            "model_length" if self.is_mistral => draft.finish("length"),
            // The wording says that it may pass by itself.
            "error" if self.is_mistral => draft.fail("http", &["Provider stopped with: error (server error)"]),
            _ => draft.end_as(MEANINGS, "protocol", "Provider finish_reason: ", ""),
        }
    }

    fn failing(&mut self, draft: &mut Draft) {
        self.settle(draft);
    }

    fn refused(&self, status: u16, _status_text: &str, body: &str) -> Failure {
        let mut failure = Failure::of_status(status, body);
        if self.is_mistral {
            let number = decimal(status.into());
            // Without the status, which stands in front.
            let said = trim_start(failure.message.get(number.len() + 1..).unwrap_or_default());
            failure.message = ["Mistral API error (", &number, "): ", said].concat();
        }
        failure
    }
}
