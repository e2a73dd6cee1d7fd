//! What an event does to the message, and how a stream ends (PROVIDERS 4.2).

use super::usage;
use crate::batch::kind::THINKING_SET;
use crate::draft::{Draft, Kind};
use crate::order::NameMap;
use crate::response::{Decode, Step};
use crate::source::{names, Source, ABSENT};
use crate::sse::Event;
use crate::template::Template;
use crate::text::{decimal, trim};
use crate::usage::{Usage, CACHE_WRITE_1H, REASONING, UNKNOWN};

/// What the stop reasons mean, see [`Draft::end_as`].
const MEANINGS: &str = "end_turn:stop pause_turn:stop stop_sequence:stop max_tokens:length tool_use:toolUse \
    model_context_window_exceeded:context_overflow";

/// Decoder of one response.
#[derive(Default)]
pub(crate) struct Decoder {
    /// By their index in the message, which is not the provider's: blocks of its own tools are left out.
    blocks: Vec<Block>,
    /// Indexes in the message by the provider's, for blocks that are open.
    open: NameMap,
    /// Why the model refused.
    explanation: String,
    /// The provider said that this was all.
    complete: bool,
    template: Template,
}

#[derive(Default)]
struct Block {
    /// Signature of its thinking, not yet handed on.
    signature: String,
    /// Arguments that came with the start of a call; they count if no delta comes.
    input: String,
}

impl Decoder {
    fn chunk(&mut self, event: Event<'_>, draft: &mut Draft) -> Step {
        let names = names!["type", "index", "message", "content_block", "delta", "usage", "error"];
        let Some([kind, index, message, block, delta, counts, error, ..]) = &Source::event(event.data, names) else {
            return Step::Malformed;
        };
        // A proxy may have dropped the names.
        let kind = if event.name == "message" { kind.word() } else { event.name };
        let index = index.span;
        match kind {
            "message_start" => {
                let [id, model, counts, ..] = &message.pick(names!["id", "model", "usage"]);
                draft.response_id(id);
                draft.response_model(model);
                begin_usage(draft).counts[CACHE_WRITE_1H] = 0.0;
                count(counts, draft);
            }
            "content_block_start" => return self.start(index, block, draft),
            "content_block_delta" => self.delta(index, delta, event.data, draft),
            "content_block_stop" => {
                if let Some(index) = self.open.remove(index) {
                    self.close(index, draft);
                }
            }
            "message_delta" => {
                let [reason, details, ..] = &delta.pick(names!["stop_reason", "stop_details"]);
                if draft.stopped_by(reason) {
                    details.member("explanation").string_into(&mut self.explanation);
                }
                count(counts, draft);
            }
            "message_stop" => {
                self.complete = true;
                return Step::Finished;
            }
            _ if !error.is_absent() || kind == "error" => return draft.fail_in_band(event.data),
            _ => {}
        }
        Step::Continue
    }

    fn start(&mut self, place: &str, block: &Source<'_>, draft: &mut Draft) -> Step {
        let [kind, id, name, text, thinking, signature, data, input, ..] =
            &block.pick(names!["type", "id", "name", "text", "thinking", "signature", "data", "input"]);
        let kind = kind.word();
        let index = match kind {
            "text" => draft.open(Kind::Text),
            "thinking" | "redacted_thinking" => draft.open(Kind::Thinking),
            "tool_use" => {
                let mut id = id.string().into_owned();
                if id.is_empty() {
                    id = ["call_", &draft.response_id, "_", &decimal(draft.len().into())].concat();
                }
                draft.open_call(&id, &name.string())
            }
            "fallback" if draft.len() > 0 => {
                let what = "The provider went on with another model in the middle of the answer";
                return draft.fail("protocol", &[what]);
            }
            _ => {
                self.open.remove(place);
                return Step::Continue;
            }
        };
        let input = if input.span.len() > 2 { input.only(b'{') } else { ABSENT };
        // A redacted thought is its signature.
        let signature = signature.or(data).string().into_owned();
        self.blocks.push(Block { signature, input: input.span.to_owned() });
        if kind == "redacted_thinking" {
            draft.batch.push(THINKING_SET, index, "[Reasoning redacted]");
            draft.set_json(index, "redacted", "true");
        } else if kind != "tool_use" {
            draft.say(index, text.or(thinking).said());
        }
        if let Some(before) = self.open.set(place, index as usize) {
            self.close(before, draft);
        }
        Step::Continue
    }

    fn delta(&mut self, place: &str, delta: &Source<'_>, data: &str, draft: &mut Draft) {
        let Some(at) = self.open.get(place) else {
            return;
        };
        let index = at as u32;
        let [kind, text, thinking, json, signature, ..] =
            &delta.pick(names!["type", "text", "thinking", "partial_json", "signature"]);
        let piece = text.or(thinking).or(json).only(b'"');
        match (kind.word(), draft.kind_of(index)) {
            ("text_delta", Some(Kind::Text)) | ("thinking_delta", Some(Kind::Thinking)) => draft.say(index, piece),
            ("input_json_delta", Some(Kind::Call)) => draft.argue(index, piece),
            ("signature_delta", Some(Kind::Thinking)) => {
                if let Some(block) = self.blocks.get_mut(at) {
                    block.signature.push_str(&signature.string());
                }
                return;
            }
            _ => return,
        }
        if let Some(core) = core(data).filter(|_| !piece.is_absent()) {
            self.template.learn(core, piece.span, "", index);
        }
    }

    fn close(&mut self, at: usize, draft: &mut Draft) {
        self.sign(at, draft);
        let index = at as u32;
        let input = self.blocks.get_mut(at).map(|block| std::mem::take(&mut block.input)).unwrap_or_default();
        if !input.is_empty() && trim(draft.call_text(index)).is_empty() {
            draft.argue_text(index, &input);
        }
        draft.close(index);
    }

    /// Hands on the signature of a block.
    fn sign(&mut self, at: usize, draft: &mut Draft) {
        if let Some(block) = self.blocks.get_mut(at).filter(|block| !block.signature.is_empty()) {
            draft.set_text(at as u32, "thinkingSignature", &block.signature);
            block.signature.clear();
        }
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Step {
        match event.name {
            "message" | "content_block_delta" => {
                if core(event.data).is_some_and(|core| self.template.apply(core, draft)) {
                    return Step::Continue;
                }
            }
            "message_start" | "content_block_start" | "content_block_stop" | "message_delta" | "message_stop" => {}
            "error" => return draft.fail_in_band(event.data),
            _ => return Step::Continue,
        }
        self.template.forget();
        self.chunk(event, draft)
    }

    fn marked_done(&mut self, draft: &Draft) {
        self.complete |= !draft.raw_stop_reason.is_empty();
    }

    fn end(&mut self, draft: &mut Draft) -> Step {
        match draft.raw_stop_reason.as_str() {
            "refusal" if self.explanation.is_empty() => {
                return draft.fail("refused", &["The model refused to complete the request"]);
            }
            "refusal" => return draft.fail("refused", &[&self.explanation]),
            "sensitive" => return draft.end_as("", "refused", "The provider stopped the answer: ", ""),
            _ if !self.complete => return draft.fail_unfinished(),
            "" => return draft.fail("stream_truncated", &["Anthropic stream ended without a stop reason"]),
            _ => {}
        }
        let step = draft.end_as(MEANINGS, "protocol", "Provider stop_reason: ", "");
        if step == Step::Finished {
            for at in 0..self.blocks.len() {
                // A call that was cut by the limit must not look complete.
                match draft.stop {
                    "length" => self.sign(at, draft),
                    _ => self.close(at, draft),
                }
            }
        }
        step
    }

    fn failing(&mut self, draft: &mut Draft) {
        (0..self.blocks.len()).for_each(|at| self.sign(at, draft));
    }
}

/// Not every model says how many tokens were thoughts.
fn begin_usage(draft: &mut Draft) -> &mut Usage {
    let usage = draft.new_usage();
    usage.counts[REASONING] = UNKNOWN;
    usage
}

/// Takes over the counts that a `usage` object has.
fn count(counts: &Source<'_>, draft: &mut Draft) {
    if counts.is(b'{') {
        if draft.usage.is_none() {
            begin_usage(draft);
        }
        if let Some(usage) = &mut draft.usage {
            counts.numbers(usage::NAMES, &mut usage.counts);
        }
        // A view shows the tokens while the answer is written; `pending` is what it is until then.
        draft.last_fields("pending", None);
    }
}

/// An event without its last brace and the white space before it, which varies the length of events.
fn core(data: &str) -> Option<&str> {
    data.strip_suffix('}').map(str::trim_ascii_end)
}
