//! How many tokens messages take (COMPACTION 2).

use steersman_wire::json::{to_text, Object, Value};

use super::context::Context;
use super::read::{each_text, given, items, number, text, units};
use super::system;
use super::tree::SessionTree;

/// So many outlines are asked for at least, before it is seen whether that was enough.
const AT_ONCE: usize = 16;
/// What an image counts as, in UTF-16 units.
const IMAGE: usize = 4800;

/// An estimate for one message: a token for every four UTF-16 units.
pub fn estimate(message: &Value) -> f64 {
    let content = message.get("content");
    let units = match text(message, "role") {
        "user" | "toolResult" | "custom" => content_units(content),
        "assistant" => content_units(content) + items(message, "content").iter().map(block_units).sum::<usize>(),
        "bashExecution" => units(text(message, "command")) + units(text(message, "output")),
        "branchSummary" | "compactionSummary" => units(text(message, "summary")),
        "system" => {
            let sections = message.get("sections").and_then(Value::as_object).into_iter().flat_map(Object::values);
            let sections = sections.filter_map(Value::as_str).map(units).sum::<usize>();
            content_units(content) + sections + given(message, "toolsAdded").map_or(0, |tools| units(&to_text(tools)))
        }
        _ => 0,
    };
    units.div_ceil(4) as f64
}

fn content_units(content: Option<&Value>) -> usize {
    let mut sum = 0;
    each_text(content, &mut |text| sum += units(text));
    let blocks = content.and_then(Value::as_array).unwrap_or_default();
    sum + blocks.iter().filter(|block| text(block, "type") == "image").count() * IMAGE
}

fn block_units(block: &Value) -> usize {
    match text(block, "type") {
        "thinking" => units(text(block, "thinking")),
        "toolCall" => units(text(block, "name")) + block.get("arguments").map_or(0, |json| units(&to_text(json))),
        _ => 0,
    }
}

/// The tokens of a context by what an answer reports.
pub fn of_usage(usage: &Value) -> f64 {
    match number(usage, "totalTokens") {
        0.0 => ["input", "output", "cacheRead", "cacheWrite"].iter().map(|key| number(usage, key)).sum(),
        total => total,
    }
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
    let mut size = Size { tokens: 0.0, counted: 0.0, estimated: 0.0, counted_at: None };
    for (at, message) in messages.enumerate() {
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
            } else if changed.is_none_or(|changed| message.entry > changed) && counted(&message.message).is_some() {
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
        let changes = |at: &usize| matches!(self.kind_at(*at), "compaction" | "context_edit");
        context.entries.iter().copied().filter(changes).max()
    }

    /// The size of a context. What was counted before the last compaction or context edit does not hold any more.
    pub fn size(&self, context: &Context<'_>) -> Size {
        let changed = self.changed(context);
        let messages = || context.messages.iter();
        let holds = |entry: usize| changed.is_none_or(|changed| entry > changed);
        let last = messages().rfind(|message| counted(&message.message).is_some());
        if last.is_some_and(|last| holds(last.entry)) {
            return of_messages(&mut messages().map(|message| &*message.message));
        }
        let others = messages().map(|message| &*message.message).filter(|message| text(message, "role") != "system");
        let mut estimated: f64 = others.map(estimate).sum();
        estimated += system::replayed(context, 0.0).as_ref().map_or(0.0, estimate);
        Size { tokens: estimated, counted: 0.0, estimated, counted_at: None }
    }
}

/// The sum of some usages, with their cost.
pub fn total_usage(usages: &mut dyn Iterator<Item = &Value>) -> Value {
    const COUNTS: [&str; 5] = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"];
    const COSTS: [&str; 5] = ["input", "output", "cacheRead", "cacheWrite", "total"];
    let (mut counts, mut costs) = ([0.0; 5], [0.0; 5]);
    for usage in usages {
        let cost = usage.get("cost").unwrap_or(&Value::Null);
        counts.iter_mut().zip(COUNTS).for_each(|(sum, key)| *sum += number(usage, key));
        costs.iter_mut().zip(COSTS).for_each(|(sum, key)| *sum += number(cost, key));
    }
    let mut total: Object = COUNTS.into_iter().zip(counts).collect();
    total.insert("cost", COSTS.into_iter().zip(costs).collect::<Object>());
    Value::Object(total)
}
