//! What an event does to the message, and how a stream ends (PROVIDERS 4.2).

use super::event::{count, Chunk};
use crate::batch::kind::THINKING_SET;
use crate::draft::{Draft, Kind, Source};
use crate::failure::Failure;
use crate::model::Model;
use crate::order::NameMap;
use crate::read::Read;
use crate::response::{Decode, Outcome, Step};
use crate::sse::Event;
use crate::template::Template;
use crate::text::decimal;
use crate::usage::Usage;

const ENDED: &str = "Anthropic stream ended before message_stop";

/// Decoder of one response.
pub(crate) struct Decoder {
    model: String,
    response_id: String,
    /// By their index in the message, which is not the provider's: blocks of its own tools are left out.
    blocks: Vec<Block>,
    /// Indexes in the message by the provider's, for blocks that are open.
    open: NameMap,
    /// Why the model refused.
    explanation: Option<String>,
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
    pub fn new(model: &Model<'_>) -> Self {
        Self {
            model: model.id.clone().into_owned(),
            response_id: String::new(),
            blocks: Vec::new(),
            open: NameMap::default(),
            explanation: None,
            complete: false,
            template: Template::default(),
        }
    }

    fn chunk(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        let chunk = Chunk::read(event.data)?;
        // A proxy may have dropped the names.
        let kind = if event.name == "message" { chunk.kind.as_deref().unwrap_or_default() } else { event.name };
        match kind {
            "message_start" => {
                if let Some(id) = chunk.part.id.as_deref() {
                    self.response_id = id.to_owned();
                    draft.response_id(id);
                }
                if let Some(model) = chunk.part.model.as_deref().filter(|model| *model != self.model) {
                    draft.response_model(model);
                }
                draft.usage = Some(Usage { cache_write_1h: Some(0.0), ..Usage::default() });
                count_usage(&chunk, draft)?;
            }
            "content_block_start" => return Ok(self.start(&chunk, draft)),
            "content_block_delta" => self.delta(&chunk, event.data, draft),
            "content_block_stop" => {
                if let Some(index) = self.open.remove(chunk.index) {
                    self.close(index, draft);
                }
            }
            "message_delta" => {
                if let Some(reason) = chunk.part.stop_reason.as_deref() {
                    draft.raw_stop_reason = Some(reason.to_owned());
                    self.explanation = chunk.part.explanation.as_deref().map(str::to_owned);
                }
                count_usage(&chunk, draft)?;
            }
            "message_stop" => {
                self.complete = true;
                return Ok(Step::Finished);
            }
            kind if kind == "error" || chunk.has_error => {
                return Ok(Step::Failed(Failure::in_band_text(event.data)));
            }
            _ => {}
        }
        Ok(Step::Continue)
    }

    fn start(&mut self, chunk: &Chunk<'_>, draft: &mut Draft) -> Step {
        let part = &chunk.part;
        let kind = part.kind.as_deref().unwrap_or_default();
        let index = match kind {
            "text" => draft.open(Kind::Text),
            "thinking" | "redacted_thinking" => draft.open(Kind::Thinking),
            "tool_use" => {
                let made = || ["call_", &self.response_id, "_", &decimal(draft.len().into())].concat();
                let id = part.id.as_deref().map_or_else(made, str::to_owned);
                draft.open_call(&id, part.name.as_deref().unwrap_or_default())
            }
            "fallback" if draft.len() > 0 => {
                let what = "The provider went on with another model in the middle of the answer";
                return Step::Failed(Failure::new("protocol", what));
            }
            _ => {
                self.open.remove(chunk.index);
                return Step::Continue;
            }
        };
        let signature = part.signature.as_deref().unwrap_or_default().to_owned();
        let input = part.input.filter(|input| input.len() > 2).unwrap_or_default().to_owned();
        self.blocks.push(Block { signature, input });
        if kind == "redacted_thinking" {
            draft.batch.push(THINKING_SET, index, "[Reasoning redacted]");
            draft.set(index, |out| out.key("redacted").bool(true));
        } else if let Some(span) = part.said.filter(|_| kind != "tool_use") {
            draft.say(index, Source { span });
        }
        if let Some(before) = self.open.set(chunk.index, index as usize) {
            self.close(before, draft);
        }
        Step::Continue
    }

    fn delta(&mut self, chunk: &Chunk<'_>, data: &str, draft: &mut Draft) {
        let Some(at) = self.open.get(chunk.index) else {
            return;
        };
        let index = at as u32;
        let span = chunk.part.said.unwrap_or("\"\"");
        let piece = Source { span };
        match (chunk.part.kind.as_deref().unwrap_or_default(), draft.kind_of(index)) {
            ("text_delta", Some(Kind::Text)) | ("thinking_delta", Some(Kind::Thinking)) => draft.say(index, piece),
            ("input_json_delta", Some(Kind::Call)) => draft.argue(index, piece),
            ("signature_delta", Some(Kind::Thinking)) => {
                if let (Some(block), Some(signature)) = (self.blocks.get_mut(at), &chunk.part.signature) {
                    block.signature.push_str(signature);
                }
                return;
            }
            _ => return,
        }
        if let Some(core) = core(data).filter(|_| chunk.part.said.is_some()) {
            self.template.learn(core, span, None, index);
        }
    }

    fn close(&mut self, at: usize, draft: &mut Draft) {
        self.sign(at, draft);
        let index = at as u32;
        let input = self.blocks.get_mut(at).map(|block| std::mem::take(&mut block.input)).unwrap_or_default();
        if !input.is_empty() && draft.call_text(index).trim().is_empty() {
            draft.argue_text(index, &input);
        }
        draft.close(index);
    }

    /// Hands on the signature of a block.
    fn sign(&mut self, at: usize, draft: &mut Draft) {
        if let Some(block) = self.blocks.get_mut(at).filter(|block| !block.signature.is_empty()) {
            let signature = std::mem::take(&mut block.signature);
            draft.set(at as u32, |out| out.key("thinkingSignature").string(&signature));
        }
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Read<Step> {
        match event.name {
            "message" | "content_block_delta" => {
                if core(event.data).is_some_and(|core| self.template.apply(core, draft)) {
                    return Ok(Step::Continue);
                }
            }
            "message_start" | "content_block_start" | "content_block_stop" | "message_delta" | "message_stop" => {}
            "error" => return Ok(Step::Failed(Failure::in_band_text(event.data))),
            _ => return Ok(Step::Continue),
        }
        self.template.forget();
        self.chunk(event, draft)
    }

    fn marked_done(&mut self, draft: &Draft) {
        self.complete |= draft.raw_stop_reason.is_some();
    }

    fn end(&mut self, draft: &mut Draft) -> Outcome {
        let fail = |code: &'static str, what: &str| Outcome::Failed(Failure::new(code, what));
        let done = match draft.raw_stop_reason.as_deref().unwrap_or_default() {
            "refusal" => {
                let why = self.explanation.as_deref();
                return fail("refused", why.unwrap_or("The model refused to complete the request"));
            }
            "sensitive" => return fail("refused", "The provider stopped the answer: sensitive"),
            _ if !self.complete => return Outcome::Failed(Failure::truncated(ENDED)),
            "" => return Outcome::Failed(Failure::truncated("Anthropic stream ended without a stop reason")),
            "end_turn" | "pause_turn" | "stop_sequence" => "stop",
            "max_tokens" => "length",
            "tool_use" => "toolUse",
            other => {
                let code = if other == "model_context_window_exceeded" { "context_overflow" } else { "protocol" };
                return fail(code, &["Provider stop_reason: ", other].concat());
            }
        };
        for at in 0..self.blocks.len() {
            // A call that was cut by the limit must not look complete.
            match done {
                "length" => self.sign(at, draft),
                _ => self.close(at, draft),
            }
        }
        Outcome::Done(done)
    }

    fn cut(&self) -> Failure {
        Failure::truncated([ENDED, ": it was cut inside an event"].concat())
    }

    fn failing(&mut self, draft: &mut Draft) {
        (0..self.blocks.len()).for_each(|at| self.sign(at, draft));
    }
}

fn count_usage(chunk: &Chunk<'_>, draft: &mut Draft) -> Read<()> {
    let Some(span) = chunk.usage else {
        return Ok(());
    };
    count(draft.usage.get_or_insert_with(Usage::default), Source { span }.reader())
}

/// An event without its last brace and the white space before it, which varies the length of events.
fn core(data: &str) -> Option<&str> {
    data.strip_suffix('}').map(str::trim_ascii_end)
}
