//! How many tokens a context takes, and how many are left for the answer (PROVIDERS 1.7).

use crate::batch::utf16_len;
use crate::context::{Block, Message, Part, Role};
use crate::doc::At;

/// Characters of a token, on the careful side.
const CHARS_PER_TOKEN: f64 = 3.5;
/// What an image is counted as, in characters.
const IMAGE_CHARS: f64 = 4800.0;
/// Tokens always kept free, for the input may count higher than the estimate: a quarter of a window below 16,384, whose
/// answers would have no room beside them.
const MARGIN: f64 = 4096.0;
const MARGIN_PARTS: f64 = 4.0;
/// The same as a part of the input, for long ones.
const MARGIN_RATIO: f64 = 0.15;
/// The larger margin is given up where it would leave less than this for the answer.
const ENOUGH: f64 = 32_768.0;

/// The largest answer, in tokens, that fits into a window beside a context and its messages, at least 1. A window of 0
/// is unknown and has room for anything.
pub(crate) fn room(window: f64, context: At<'_>, messages: &[Message<'_>]) -> f64 {
    if window <= 0.0 {
        return f64::INFINITY;
    }
    let input = tokens(context, messages);
    let margin = MARGIN.min((window / MARGIN_PARTS).ceil());
    let mut room = window - input - margin.max((input * MARGIN_RATIO).ceil());
    if room < ENOUGH {
        room = ENOUGH.min(window - input - margin);
    }
    room.max(1.0)
}

/// Estimated tokens of a context: what the last good response counted, plus an estimate of what came after it.
fn tokens(context: At<'_>, messages: &[Message<'_>]) -> f64 {
    // Prompt and tools, which stand before the first message.
    let mut sum = of_chars(context.at("systemPrompt").units()) + of_tools(context.at("tools"));
    let mut newest = if sum > 0.0 { 0.0 } else { f64::NEG_INFINITY };
    for message in messages {
        let timestamp = message.at.count("timestamp");
        let counted = if message.role == Role::Assistant { counted(message.at.at("usage")) } else { 0.0 };
        // A prefix message newer than the response (a compaction summary) makes its count worthless.
        if timestamp >= newest && !message.failed && counted > 0.0 {
            sum = counted;
        } else {
            sum += of_message(message);
        }
        newest = newest.max(timestamp);
    }
    sum
}

/// How many tokens of the window a response left behind it.
fn counted(usage: At<'_>) -> f64 {
    let total = usage.count("totalTokens");
    if total == 0.0 {
        usage.count("input") + usage.count("output") + usage.count("cacheRead") + usage.count("cacheWrite")
    } else {
        total
    }
}

#[inline(never)]
fn of_chars(chars: f64) -> f64 {
    (chars / CHARS_PER_TOKEN).ceil()
}

fn of_tools(tools: At<'_>) -> f64 {
    of_chars(if tools.items().is_empty() { 0.0 } else { utf16_len(tools.span()).into() })
}

fn of_message(message: &Message<'_>) -> f64 {
    let (mut chars, mut texts) = (0.0, 0usize);
    for part in &message.parts {
        chars += of_part(part);
        texts += usize::from(!part.text.is_empty());
    }
    if message.role != Role::System {
        return of_chars(chars);
    }
    // A line feed between texts, an empty line between them and the sections.
    chars += texts.saturating_sub(1) as f64;
    let mut pieces = usize::from(texts > 0);
    for section in message.at.at("sections").members() {
        let units = section.units();
        pieces += usize::from(units > 0.0);
        chars += units;
    }
    chars += 2.0 * pieces.saturating_sub(1) as f64;
    of_chars(chars) + of_tools(message.at.at("toolsAdded")) + of_tools(message.at.at("toolsRemoved"))
}

fn of_part(part: &Part<'_>) -> f64 {
    match part.kind {
        Block::Text | Block::Thinking => part.text.units(),
        Block::Image => IMAGE_CHARS,
        Block::Call => (utf16_len(&part.name) + utf16_len(part.arguments())).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Doc;
    use crate::model::Model;

    fn clamped(window: f64, wanted: f64, context: &str) -> f64 {
        let doc = Doc::of(context);
        let list = doc.root().at("messages").items();
        let messages: Vec<Message<'_>> = list.iter().filter_map(|at| Message::read(at, &Model::default())).collect();
        room(window, doc.root(), &messages).min(wanted)
    }

    #[test]
    fn a_long_history_leaves_less_for_the_answer() {
        let history = format!(r#"{{"messages":[{{"role":"user","content":"{}"}}]}}"#, "x".repeat(640_000));
        assert_eq!(clamped(200_000.0, 64_000.0, &history), 13_046.0);
        assert_eq!(clamped(0.0, 64_000.0, &history), 64_000.0);
        assert_eq!(clamped(1000.0, 64_000.0, &history), 1.0);
        assert_eq!(clamped(0.0, 0.0, &history), 0.0);
    }

    #[test]
    fn a_small_window_has_room_for_an_answer() {
        let said = |chars: usize| format!(r#"{{"messages":[{{"role":"user","content":"{}"}}]}}"#, "x".repeat(chars));
        for (window, chars, expected) in [
            (512.0, 350, 284.0),
            (4095.0, 350, 2971.0),
            (4096.0, 3500, 2072.0),
            (4096.0, 35_000, 1.0),
            (8192.0, 3500, 5144.0),
            (16_380.0, 3500, 11_285.0),
            // From here on as pi has it.
            (16_384.0, 3500, 11_288.0),
            (32_768.0, 70_000, 8672.0),
        ] {
            assert_eq!(clamped(window, 1e9, &said(chars)), expected, "{window} {chars}");
        }
    }

    #[test]
    fn the_count_of_the_last_good_response_stands_for_all_before_it() {
        let context = |timestamp, reason| {
            let long = "x".repeat(100_000);
            format!(
                r#"{{"messages":[{{"role":"user","content":"{long}","timestamp":5}},{{"role":"assistant","content":[],
                "usage":{{"totalTokens":1000}},"stopReason":"{reason}","timestamp":{timestamp}}},
                {{"role":"user","content":"abcdefg","timestamp":9}}]}}"#
            )
        };
        let room = |context: &str| 100_000.0 - clamped(100_000.0, 1e9, context);
        assert_eq!(room(&context(6, "stop")), 1002.0 + 4096.0);
        let estimated = (100_000.0f64 / 3.5).ceil() + 2.0;
        assert_eq!(room(&context(6, "error")), estimated + (estimated * 0.15).ceil());
        assert_eq!(room(&context(4, "stop")), estimated + (estimated * 0.15).ceil());
    }
}
