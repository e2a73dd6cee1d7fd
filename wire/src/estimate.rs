//! How many tokens a context takes, and how many are left for the answer (PROVIDERS 1.7).

use crate::context::{Body, Content, Context, Message, Part};
use crate::model::Model;

/// Characters of a token, on the careful side.
const CHARS_PER_TOKEN: f64 = 3.5;
/// What an image is counted as, in characters.
const IMAGE_CHARS: f64 = 4800.0;
/// Tokens always kept free, for the input may count higher than the estimate.
const MARGIN: f64 = 4096.0;
/// The same as a part of the input, for long ones.
const MARGIN_RATIO: f64 = 0.15;
/// The larger margin is given up where it would leave less than this for the answer.
const ENOUGH: f64 = 32_768.0;

/// The largest answer that fits: `wanted`, or what the window leaves, at least 1. A window of 0 is unknown: nothing is
/// clamped, and a `wanted` of 0 stays 0, which leaves the limit to the server.
pub(crate) fn clamp_max_tokens(model: &Model<'_>, context: &Context<'_>, wanted: f64) -> f64 {
    if model.context_window <= 0.0 {
        return wanted;
    }
    let input = tokens(context);
    let mut room = model.context_window - input - MARGIN.max((input * MARGIN_RATIO).ceil());
    if room < ENOUGH {
        room = ENOUGH.min(model.context_window - input - MARGIN);
    }
    wanted.min(room.max(1.0))
}

/// Estimated tokens of a context: what the last good response counted, plus an estimate of what came after it.
fn tokens(context: &Context<'_>) -> f64 {
    let mut newest = if leading(context) > 0.0 { 0.0 } else { f64::NEG_INFINITY };
    let mut counted = None;
    for (index, message) in context.messages.iter().enumerate() {
        // A prefix message newer than the response (a compaction summary) makes its count worthless.
        if let Body::Assistant(assistant) = &message.body {
            if message.timestamp >= newest && !assistant.failed && assistant.tokens > 0.0 {
                counted = Some((index, assistant.tokens));
            }
        }
        newest = newest.max(message.timestamp);
    }
    let (from, base) = counted.map_or((0, leading(context)), |(index, tokens)| (index + 1, tokens));
    context.messages.iter().skip(from).map(message_tokens).fold(base, |sum, tokens| sum + tokens)
}

/// Prompt and tools, which stand before the first message.
fn leading(context: &Context<'_>) -> f64 {
    let prompt = context.system_prompt.map_or(0, |prompt| prompt.units());
    of_chars(f64::from(prompt)) + of_chars(f64::from(context.tools.units))
}

fn of_chars(chars: f64) -> f64 {
    (chars / CHARS_PER_TOKEN).ceil()
}

fn message_tokens(message: &Message<'_>) -> f64 {
    match &message.body {
        Body::System(system) => {
            let texts = system.content.texts().filter(|text| !text.is_empty()).map(|text| text.units());
            let content: u32 = texts.map(|units| units + 1).sum::<u32>().saturating_sub(1);
            let sections = system.sections.iter().filter_map(|section| section.1);
            let parts = sections.map(|text| text.units()).chain([content]).filter(|units| *units > 0);
            // The parts are joined by two line feeds.
            let chars: u32 = parts.map(|units| units + 2).sum::<u32>().saturating_sub(2);
            let tools = [system.added.units, system.removed_units].map(|units| of_chars(f64::from(units)));
            of_chars(f64::from(chars)) + tools.iter().sum::<f64>()
        }
        Body::User(Content::Text(text)) => of_chars(f64::from(text.units())),
        Body::User(Content::Parts(parts)) => of_parts(parts),
        Body::Assistant(assistant) => of_parts(&assistant.parts),
        Body::Result(result) => of_parts(&result.parts),
    }
}

fn of_parts(parts: &[Part<'_>]) -> f64 {
    let chars = parts.iter().map(|part| match part {
        Part::Text { text, .. } | Part::Thinking { text, .. } => f64::from(text.units()),
        Part::Image { .. } => IMAGE_CHARS,
        Part::Call(call) => f64::from(call.name.units() + crate::batch::utf16_len(call.arguments)),
    });
    of_chars(chars.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Reader;

    fn clamped(window: f64, wanted: f64, context: &str) -> f64 {
        let model = Model { context_window: window, ..Model::default() };
        clamp_max_tokens(&model, &Context::read(&mut Reader::new(context)).unwrap(), wanted)
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
