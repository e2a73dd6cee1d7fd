//! How many tokens messages take (COMPACTION 2).

use steersman_wire::json::{to_text, Object, Value};

use super::context::Context;
use super::read::{given, items, number, set, text, texts_of, units};
use super::system;
use super::tree::SessionTree;

/// So many outlines are asked for at least, before it is seen whether that was enough.
const AT_ONCE: usize = 16;
/// The parts of a usage, and of its cost.
const PARTS: [&str; 4] = ["input", "output", "cacheRead", "cacheWrite"];
/// What an image counts as, in UTF-16 units.
const IMAGE: usize = 4800;

/// An estimate for one message: a token for every four UTF-16 units.
pub fn estimate(message: &Value) -> f64 {
    let mut sum = 0;
    match text(message, "role") {
        "user" | "toolResult" | "custom" => sum = content_units(message, false),
        "assistant" => sum = content_units(message, true),
        "bashExecution" => sum = units(text(message, "command")) + units(text(message, "output")),
        "branchSummary" | "compactionSummary" => sum = units(text(message, "summary")),
        "system" => {
            sum = content_units(message, false) + given(message, "toolsAdded").map_or(0, json_units);
            if let Some(Value::Object(sections)) = message.get("sections") {
                for (_, section) in sections.iter() {
                    sum += section.as_str().map_or(0, units);
                }
            }
        }
        _ => {}
    }
    sum.div_ceil(4) as f64
}

/// The units of what is said; of an answer also what was thought and called.
fn content_units(message: &Value, answer: bool) -> usize {
    let mut sum = 0;
    for text in texts_of(message.get("content")) {
        sum += units(text);
    }
    for block in items(message, "content") {
        sum += match text(block, "type") {
            "image" => IMAGE,
            "thinking" if answer => units(text(block, "thinking")),
            "toolCall" if answer => units(text(block, "name")) + block.get("arguments").map_or(0, json_units),
            _ => 0,
        };
    }
    sum
}

fn json_units(value: &Value) -> usize {
    units(&to_text(value))
}

/// The tokens of a context by what an answer reports.
pub fn of_usage(usage: &Value) -> f64 {
    let mut tokens = number(usage, "totalTokens");
    if tokens == 0.0 {
        for key in PARTS {
            tokens += number(usage, key);
        }
    }
    tokens
}

/// The size of a context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// All of it.
    pub tokens: f64,
    /// The part that an answer counted.
    pub counted: f64,
    /// The part that is estimated, after that answer.
    pub estimated: f64,
    /// The answer, by its place among the messages.
    pub counted_at: Option<usize>,
}

/// The size of a list of messages: what the last good answer counted, and an estimate of what came after it.
pub fn of_messages(messages: &mut dyn Iterator<Item = &Value>) -> Size {
    sum_up(&messages.collect::<Vec<_>>())
}

/// [`of_messages`].
pub(crate) fn sum_up(messages: &[&Value]) -> Size {
    let mut size = Size { tokens: 0.0, counted: 0.0, estimated: 0.0, counted_at: None };
    for (at, &message) in messages.iter().enumerate() {
        match counted(message) {
            Some(tokens) => size = Size { tokens, counted: tokens, estimated: 0.0, counted_at: Some(at) },
            None => size.estimated += estimate(message),
        }
    }
    size.tokens = size.counted + size.estimated;
    size
}

fn counted(message: &Value) -> Option<f64> {
    let failed = matches!(text(message, "stopReason"), "error" | "aborted");
    let usage = given(message, "usage").filter(|_| text(message, "role") == "assistant" && !failed)?;
    Some(of_usage(usage)).filter(|tokens| *tokens > 0.0)
}

impl SessionTree {
    /// The entries whose messages [`SessionTree::size`] looks into, as far as can be told: those after the last answer that
    /// counted. Where that is an outline itself, more and more of the latest.
    pub fn measured(&self, context: &Context<'_>) -> Vec<usize> {
        let changed = self.changed(context);
        let (mut measured, mut outlines) = (Vec::new(), 0);
        for message in context.messages.iter().rev() {
            if self.is_outline(message.entry) {
                outlines += 1;
            } else if Some(message.entry) > changed && counted(&message.message).is_some() {
                break;
            }
            measured.push(message.entry);
            if outlines >= AT_ONCE && outlines * 2 > measured.len() {
                break;
            }
        }
        measured
    }

    /// The last compaction or context edit. Positions grow along a path.
    fn changed(&self, context: &Context<'_>) -> Option<usize> {
        let mut last = None;
        for &at in &context.entries {
            if matches!(self.kind_at(at), "compaction" | "context_edit") {
                last = last.max(Some(at));
            }
        }
        last
    }

    /// The size of a context. What was counted before the last compaction or context edit does not hold any more.
    pub fn size(&self, context: &Context<'_>) -> Size {
        let changed = self.changed(context);
        let last = context.messages.iter().rfind(|message| counted(&message.message).is_some());
        if last.is_some_and(|last| Some(last.entry) > changed) {
            let mut messages = Vec::new();
            for message in &context.messages {
                messages.push(&*message.message);
            }
            return sum_up(&messages);
        }
        let mut estimated = system::replayed(context, 0.0).as_ref().map_or(0.0, estimate);
        for message in &context.messages {
            if text(&message.message, "role") != "system" {
                estimated += estimate(&message.message);
            }
        }
        Size { tokens: estimated, counted: 0.0, estimated, counted_at: None }
    }
}

/// The sum of some usages, with their cost.
pub fn total_usage(usages: &mut dyn Iterator<Item = &Value>) -> Value {
    let usages: Vec<&Value> = usages.collect();
    let mut costs = Vec::new();
    for usage in &usages {
        if let Some(cost) = usage.get("cost") {
            costs.push(cost);
        }
    }
    let mut total = sums(&usages, "totalTokens");
    set(&mut total, "cost", sums(&costs, "total"));
    Value::Object(total)
}

/// The sums of the parts, and of what stands under `total`.
fn sums(of: &[&Value], total: &str) -> Object {
    let mut sums = Object::new();
    for key in PARTS.into_iter().chain([total]) {
        let mut sum = 0.0;
        for value in of {
            sum += number(value, key);
        }
        set(&mut sums, key, sum);
    }
    sums
}
