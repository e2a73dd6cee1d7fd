//! What a request and its response need to know about a model.

use crate::doc::At;
use crate::literal::Literal;
use std::borrow::Cow;

/// A model object of the caller (pi's `Model`), as far as the wires read it.
#[derive(Default)]
pub(crate) struct Model<'a> {
    pub id: Cow<'a, str>,
    pub api: Cow<'a, str>,
    pub provider: Cow<'a, str>,
    pub base_url: Cow<'a, str>,
    /// Whether it can think.
    pub reasoning: bool,
    /// Whether `input` names images.
    pub images: bool,
    /// Tokens; 0 or less when unknown.
    pub context_window: f64,
    /// Tokens.
    pub max_tokens: f64,
    /// `compat`, read by each wire for itself.
    pub compat: At<'a>,
    /// All of it.
    pub at: At<'a>,
}

/// How much a model is asked to think, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    Off,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl Level {
    pub const ALL: [Level; 7] =
        [Level::Off, Level::Minimal, Level::Low, Level::Medium, Level::High, Level::Xhigh, Level::Max];

    /// pi's own word for it.
    pub fn word(self) -> Literal<'static> {
        const WORDS: [&str; 7] =
            ["\"off\"", "\"minimal\"", "\"low\"", "\"medium\"", "\"high\"", "\"xhigh\"", "\"max\""];
        Literal::of_span(WORDS.get(self as usize).copied().unwrap_or_default())
    }

    pub fn name(self) -> &'static str {
        self.word().inner()
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// What a model's `thinkingLevelMap` says about one level.
#[derive(Clone, Copy)]
pub(crate) enum Mapped<'a> {
    /// No entry.
    Absent,
    /// `null`: the model does not have this level.
    Never,
    /// The provider's own word for it.
    To(Literal<'a>),
}

impl<'a> Model<'a> {
    /// Reads a model object.
    pub fn read(at: At<'a>) -> Self {
        Self {
            id: at.text("id"),
            api: at.text("api"),
            provider: at.text("provider"),
            base_url: at.text("baseUrl"),
            reasoning: at.is_true("reasoning"),
            images: at.at("input").items().any(|kind| kind.as_text() == "image"),
            context_window: at.number("contextWindow").unwrap_or_default(),
            max_tokens: at.number("maxTokens").unwrap_or_default(),
            compat: at.at("compat"),
            at,
        }
    }

    /// The provider's word for a level.
    pub fn mapped(&self, level: Level) -> Mapped<'a> {
        let word = self.at.at("thinkingLevelMap").at(level.name());
        match (word.as_literal(), word.first()) {
            (Some(word), _) => Mapped::To(word),
            (_, b'n') => Mapped::Never,
            _ => Mapped::Absent,
        }
    }

    /// The provider's word for a level, else pi's own.
    pub fn word(&self, level: Level) -> Literal<'a> {
        match self.mapped(level) {
            Mapped::To(word) => word,
            _ => level.word(),
        }
    }

    /// The level a request for `level` gets: itself when the model has it, else the next stronger one, else the next
    /// weaker one (PROVIDERS 1.6).
    pub fn clamp_level(&self, level: Level) -> Level {
        let mut weaker = Level::Off;
        for other in Level::ALL {
            let has = match self.mapped(other) {
                Mapped::Never => false,
                Mapped::Absent => other < Level::Xhigh,
                Mapped::To(_) => true,
            };
            if has && self.reasoning {
                weaker = other;
                if other >= level {
                    break;
                }
            }
        }
        weaker
    }
}

/// The prices of `cost` for a request with this many input tokens, cached ones included: an object with prices per million
/// tokens. A tier applies when the whole input is above its threshold; the highest such tier wins.
pub(crate) fn rates(cost: At<'_>, input: f64) -> At<'_> {
    let mut highest = (f64::NEG_INFINITY, cost);
    for tier in cost.at("tiers").items() {
        let above = tier.number("inputTokensAbove").unwrap_or(f64::INFINITY);
        if input > above && above >= highest.0 {
            highest = (above, tier);
        }
    }
    highest.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Doc;

    #[test]
    fn a_level_the_model_lacks_moves_up_first_and_down_last() {
        let doc = Doc::of(r#"{"reasoning":true}"#);
        let plain = Model::read(doc.root());
        assert_eq!(plain.clamp_level(Level::Minimal), Level::Minimal);
        assert_eq!(plain.clamp_level(Level::Xhigh), Level::High);
        let levels = r#"{"minimal":null,"low":null,"medium":null,"max":"ultra"}"#;
        let text = [r#"{"reasoning":true,"thinkingLevelMap":"#, levels, "}"].concat();
        let doc = Doc::of(&text);
        let odd = Model::read(doc.root());
        assert_eq!(odd.clamp_level(Level::Low), Level::High);
        assert_eq!(odd.clamp_level(Level::Xhigh), Level::Max);
        assert_eq!(odd.word(Level::Max).inner(), "ultra");
        assert_eq!(Model::read(Doc::of("{}").root()).clamp_level(Level::High), Level::Off);
    }

    #[test]
    fn the_highest_tier_below_the_input_sets_the_price() {
        let tiers = r#"[{"inputTokensAbove":200,"input":3},{"inputTokensAbove":100,"input":2}]"#;
        let text = [r#"{"input":1,"tiers":"#, tiers, "}"].concat();
        let cost = Doc::of(&text);
        for (tokens, price) in [(100.0, 1.0), (101.0, 2.0), (200.0, 2.0), (201.0, 3.0)] {
            assert_eq!(rates(cost.root(), tokens).number("input"), Some(price), "{tokens}");
        }
    }

    #[test]
    fn members_of_a_wrong_type_count_as_absent() {
        let doc = Doc::of(r#"{"id":7,"reasoning":"yes","maxTokens":"9","input":"image","cost":null,"headers":[1]}"#);
        let odd = Model::read(doc.root());
        assert_eq!((odd.id.as_ref(), odd.reasoning, odd.max_tokens, odd.images), ("", false, 0.0, false));
    }
}
