//! What an event does to the message, and how a stream ends (PROVIDERS 6.2).

use super::usage;
use crate::draft::{Draft, Kind};
use crate::model::Model;
use crate::response::{Decode, Step};
use crate::source::{names, Source, ABSENT};
use crate::sse::Event;
use crate::text::decimal;
use crate::tools::grammar_start;
use crate::write::escaped;

/// Items of one response.
const MOST_ITEMS: usize = 1 << 16;

/// Events that bring more text, and for which kind of block.
const PIECES: [(&str, Kind); 6] = [
    ("output_text.delta", Kind::Text),
    ("refusal.delta", Kind::Text),
    ("reasoning_summary_text.delta", Kind::Thinking),
    ("reasoning_text.delta", Kind::Thinking),
    ("function_call_arguments.delta", Kind::Call),
    ("custom_tool_call_input.delta", Kind::Call),
];

/// Decoder of one response.
#[derive(Default)]
pub(crate) struct Decoder {
    /// This model counts a faster service for more than the others do.
    is_gpt_5_5: bool,
    /// By index in the output; `None` for an item that makes no block.
    slots: Vec<Option<Slot>>,
    /// Index of the event before.
    last: usize,
    /// How many calls there are, and how many of them have not ended.
    calls: u64,
    open_calls: u64,
}

/// An item of the output that became a block.
struct Slot {
    block: u32,
    kind: Kind,
    /// Whether any of its text came as a delta.
    said: bool,
    /// Whether the whole text of a call came, so that no delta can follow.
    settled: bool,
    done: bool,
    /// Whether it is a thought that cannot be given back as it came.
    bare: bool,
    /// For a grammar tool, what stands before its text in the arguments; else empty.
    head: String,
}

impl Decoder {
    pub fn new(model: &Model<'_>) -> Box<Self> {
        let mut decoder = Box::<Self>::default();
        decoder.is_gpt_5_5 = model.id == "gpt-5.5";
        decoder
    }

    fn slot(&mut self) -> Option<&mut Slot> {
        self.slots.get_mut(self.last)?.as_mut().filter(|slot| !slot.done)
    }

    /// More of an item that is open: a delta, or the whole text of a call.
    fn piece(&mut self, kind: &str, delta: &Source<'_>, text: &Source<'_>, draft: &mut Draft) {
        if self.slots.len() <= self.last {
            // The stream has not announced it.
            let item = match PIECES.iter().find(|piece| piece.0 == kind).map(|piece| piece.1) {
                Some(Kind::Text) => "message",
                Some(Kind::Thinking) => "reasoning",
                _ => return,
            };
            self.open(item, ABSENT, ABSENT, ABSENT, draft);
        }
        let Some(slot) = self.slot() else {
            return;
        };
        if delta.is(b'"') && PIECES.iter().any(|piece| piece.0 == kind && piece.1 == slot.kind) {
            slot.add(delta, draft);
        } else if kind == "reasoning_summary_part.done" && slot.kind == Kind::Thinking {
            slot.add(&Source { span: "\"\\n\\n\"" }, draft);
        } else if slot.kind == Kind::Call {
            slot.settle(text, draft);
        }
    }

    /// An item begins, or is there in its final form.
    fn item(&mut self, item: &Source<'_>, new: bool, draft: &mut Draft) {
        let [kind, id, call_id, name, phase, arguments, input, summary, content, encrypted] = &item.pick(names![
            "type",
            "id",
            "call_id",
            "name",
            "phase",
            "arguments",
            "input",
            "summary",
            "content",
            "encrypted_content",
        ]);
        if new || !self.slots.get(self.last).is_some_and(Option::is_some) {
            self.open(kind.word(), call_id, id, name, draft);
        }
        let Some(slot) = self.slot() else {
            return;
        };
        let text = arguments.or(input);
        if new {
            if text.span.len() > 2 && slot.kind == Kind::Call {
                slot.add(text, draft);
            }
            return;
        }
        slot.done = true;
        match slot.kind {
            Kind::Call => {
                slot.settle(text, draft);
                if !slot.settled && !slot.head.is_empty() {
                    slot.write("\"}", draft);
                }
            }
            Kind::Thinking => {
                slot.conclude(if summary.span.len() > 2 { summary } else { content }, "\\n\\n", draft);
                slot.bare = encrypted.word().is_empty();
                draft.set_text(slot.block, "thinkingSignature", item.span);
            }
            Kind::Text => {
                slot.conclude(content, "", draft);
                if !id.is_absent() {
                    let comma = if phase.word().is_empty() { "" } else { ",\"phase\":" };
                    let phase = if comma.is_empty() { "" } else { phase.span };
                    let signature = ["{\"v\":1,\"id\":", id.span, comma, phase, "}"].concat();
                    draft.set_text(slot.block, "textSignature", &signature);
                }
            }
        }
        let (block, ended) = (slot.block, slot.kind == Kind::Call);
        draft.close(block);
        self.open_calls -= u64::from(ended);
    }

    /// Opens the block of a new item; there is none for what tools of the server do.
    fn open(&mut self, kind: &str, call_id: &Source<'_>, id: &Source<'_>, name: &Source<'_>, draft: &mut Draft) {
        let at = self.last;
        if at >= MOST_ITEMS {
            return;
        }
        if self.slots.len() <= at {
            self.slots.resize_with(at + 1, || None);
        }
        let Some(place) = self.slots.get_mut(at) else {
            return;
        };
        *place = None;
        let mut head = String::new();
        let (kind, block) = match kind {
            "reasoning" => (Kind::Thinking, draft.open(Kind::Thinking)),
            "message" => (Kind::Text, draft.open(Kind::Text)),
            "function_call" | "custom_tool_call" => {
                self.calls += 1;
                self.open_calls += 1;
                let name = name.string();
                if kind == "custom_tool_call" {
                    head = grammar_start(&draft.grammar, &name);
                }
                // From now on both ids together name the call.
                let (call_id, id) = (call_id.string(), id.string());
                let bar = if call_id.is_empty() || id.is_empty() { "" } else { "|" };
                let mut both = [&call_id, bar, &id].concat();
                if both.is_empty() {
                    both = ["call_", &decimal(self.calls)].concat();
                }
                (Kind::Call, draft.open_call(&both, &name))
            }
            _ => return,
        };
        *place = Some(Slot { block, kind, said: false, settled: false, done: false, bare: false, head });
    }

    /// The response as a whole, at its beginning or at its end.
    fn response(&mut self, response: &Source<'_>, kind: &str, draft: &mut Draft) -> Step {
        let [id, status, tier, error, output, tokens, details, ..] =
            &response.pick(names!["id", "status", "service_tier", "error", "output", "usage", "incomplete_details"]);
        draft.latest_id(id);
        if kind == "created" || response.is_absent() {
            return Step::Continue;
        }
        let status = if status.word().is_empty() { kind } else { status.word() };
        let reason = details.member("reason").word();
        draft.raw_stop_reason = [status, if reason.is_empty() { "" } else { "." }, reason].concat();
        draft.usage = None;
        if tokens.is(b'{') {
            let usage = draft.new_usage();
            usage::read(tokens, usage);
            usage.factor = match tier.word() {
                "flex" => 0.5,
                "priority" | "fast" if self.is_gpt_5_5 => 2.5,
                "priority" | "fast" => 2.0,
                _ => 1.0,
            };
        }
        self.sign(output, draft);
        let failed = kind == "failed" || matches!(status, "failed" | "cancelled");
        if failed && error.is(b'{') {
            return draft.fail_in_band(error.span);
        }
        let (code, what, word) = if !reason.is_empty() && (failed || reason != "max_output_tokens") {
            (if reason == "content_filter" { "refused" } else { "protocol" }, "Response incomplete: ", reason)
        } else if failed {
            ("http", "The response ended with status ", status)
        } else if status != "incomplete" && self.open_calls > 0 {
            ("stream_truncated", "The response was completed with an unfinished tool call", "")
        } else {
            return match status {
                "incomplete" => draft.finish("length"),
                _ => draft.end_turn(),
            };
        };
        draft.fail(code, &[what, word])
    }

    /// Some hosts (Azure) tell only at the end what a thought needs to be given back.
    fn sign(&mut self, output: &Source<'_>, draft: &mut Draft) {
        for (item, slot) in output.items().zip(&self.slots) {
            let encrypted = item.member("encrypted_content");
            if let Some(slot) = slot.as_ref().filter(|slot| slot.bare && !encrypted.word().is_empty()) {
                draft.set_text(slot.block, "thinkingSignature", item.span);
            }
        }
    }
}

impl Slot {
    /// A delta.
    fn add(&mut self, piece: &Source<'_>, draft: &mut Draft) {
        if self.settled {
            return;
        }
        if self.kind != Kind::Call {
            self.said |= piece.span.len() > 2;
            draft.say(self.block, piece);
        } else if self.head.is_empty() {
            draft.argue(self.block, piece);
        } else {
            self.write(&escaped(&piece.string()), draft);
        }
    }

    /// A piece of a grammar tool's text, as it stands in the arguments.
    fn write(&self, piece: &str, draft: &mut Draft) {
        let first = draft.call_text(self.block).is_empty();
        draft.argue_text(self.block, &[if first { &self.head } else { "" }, piece].concat());
    }

    /// The final text of a text or thinking block, in parts.
    fn conclude(&mut self, parts: &Source<'_>, separator: &str, draft: &mut Draft) {
        let mut span = String::from("\"");
        for part in parts.items() {
            if span.len() > 1 {
                span.push_str(separator);
            }
            let [text, refusal, ..] = &part.pick(names!["text", "refusal"]);
            span.push_str(text.word());
            span.push_str(refusal.word());
        }
        span.push('"');
        let text = &Source { span: &span };
        if self.said && span.len() > 2 {
            draft.replace_text(self.block, text);
        } else {
            self.add(text, draft);
        }
    }

    /// The final text of a call, if there is any.
    fn settle(&mut self, text: &Source<'_>, draft: &mut Draft) {
        let mut text = text.string();
        if text.is_empty() {
            return;
        }
        if !self.head.is_empty() {
            text = [&self.head, escaped(&text).as_str(), "\"}"].concat().into();
        }
        match text.strip_prefix(draft.call_text(self.block)) {
            Some("") => {}
            Some(rest) if !self.settled => draft.argue_text(self.block, rest),
            _ => draft.replace_arguments(self.block, &text),
        }
        self.settled = true;
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, draft: &mut Draft) -> Step {
        let names = names!["type", "output_index", "delta", "arguments", "input", "item", "response", "error"];
        let Some([kind, index, delta, arguments, input, item, response, error, ..]) = &Source::event(event.data, names)
        else {
            return Step::Malformed;
        };
        let kind = if kind.is_absent() { event.name } else { kind.word() };
        if kind == "error" || !error.is_absent() {
            return draft.fail_in_band(event.data);
        }
        let kind = kind.strip_prefix("response.").unwrap_or(kind);
        let new = kind == "output_item.added";
        if !index.is_absent() {
            self.last = index.count() as usize;
        } else if new {
            self.last = self.slots.len();
        }
        match kind {
            "output_item.added" | "output_item.done" => self.item(item, new, draft),
            "created" | "completed" | "incomplete" | "failed" => return self.response(response, kind, draft),
            _ => self.piece(kind, delta, arguments.or(input), draft),
        }
        Step::Continue
    }

    fn end(&mut self, draft: &mut Draft) -> Step {
        if draft.stop.is_empty() {
            draft.fail_unfinished()
        } else {
            Step::Finished
        }
    }
}
