//! How much to think: by level, or by a number of tokens (PROVIDERS 7.1).

use super::family::Family;
use crate::model::Level;
use crate::request::Request;
use crate::write::Writer;

/// Tokens from `minimal` to `high`, by a part of the name.
const BUDGETS: [(&str, [f64; 4]); 3] = [
    ("2.5-pro", [128.0, 2048.0, 8192.0, 32768.0]),
    ("2.5-flash-lite", [512.0, 2048.0, 8192.0, 24576.0]),
    ("2.5-flash", [128.0, 2048.0, 8192.0, 24576.0]),
];

/// As many as the model likes.
const ANY: f64 = -1.0;

/// Writes the member of `generationConfig` for a model that can think. One that cannot do without thinks as little as
/// it can, unseen.
pub(super) fn write(out: &mut Writer, request: &Request<'_>, family: &Family<'_>) {
    let model = &request.model;
    if !model.reasoning {
        return;
    }
    let level = request.level.unwrap_or_else(|| model.clamp_level(Level::Off));
    let level = Level::of(&model.mapped(level).as_text().to_ascii_lowercase()).unwrap_or(level);
    out.key("thinkingConfig").open();
    if request.level.is_some() {
        out.put(r#""includeThoughts":true"#);
    }
    if family.is_third() || family.is_gemma_4() {
        out.key("thinkingLevel").string(word(level, family));
    } else {
        let own = request.options.thinking_budget(level);
        out.number_member("thinkingBudget", if own.is_nan() { budget(level, family) } else { own });
    }
    out.close();
}

/// The service's word for a level, or for the next one that models of this name have.
fn word(level: Level, family: &Family<'_>) -> &'static str {
    match level {
        Level::Off | Level::Minimal if !family.is("-pro") => "MINIMAL",
        Level::Low if family.is_gemma_4() => "MINIMAL",
        Level::Off | Level::Minimal | Level::Low => "LOW",
        Level::Medium if !family.is_gemma_4() && !family.is("gemini-3-pro") => "MEDIUM",
        _ => "HIGH",
    }
}

fn budget(level: Level, family: &Family<'_>) -> f64 {
    let Some(step) = (level.min(Level::High) as usize).checked_sub(1) else {
        return 0.0;
    };
    let known = BUDGETS.iter().find(|budgets| family.is(budgets.0));
    known.and_then(|budgets| budgets.1.get(step)).copied().unwrap_or(ANY)
}
