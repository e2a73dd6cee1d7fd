//! What a request and its response need to know about a model.

use crate::doc::{At, Node};
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
    pub fn word(self) -> At<'static> {
        static WORDS: [Node<'static>; 7] = [
            Node::of("\"off\""),
            Node::of("\"minimal\""),
            Node::of("\"low\""),
            Node::of("\"medium\""),
            Node::of("\"high\""),
            Node::of("\"xhigh\""),
            Node::of("\"max\""),
        ];
        WORDS.get(self as usize).unwrap_or_default()
    }

    pub fn name(self) -> &'static str {
        self.word().inner()
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
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
            images: at.at("input").items().iter().any(|kind| kind.is("image")),
            context_window: at.count("contextWindow"),
            max_tokens: at.count("maxTokens"),
            compat: at.at("compat"),
            at,
        }
    }

    /// What its `thinkingLevelMap` says about a level: a string is the provider's own word for it, with null the model
    /// does not have it, and anything else says nothing.
    #[inline(never)]
    pub fn mapped(&self, level: Level) -> At<'a> {
        self.at.at("thinkingLevelMap").at(level.name())
    }

    /// Whether it does not have a level.
    #[inline(never)]
    pub fn lacks(&self, level: Level) -> bool {
        self.mapped(level).first() == b'n'
    }

    /// The provider's word for a level, else pi's own.
    #[inline(never)]
    pub fn word(&self, level: Level) -> At<'a> {
        self.mapped(level).only(b'"').or(level.word())
    }

    /// The level a request for `level` gets: itself when the model has it, else the next stronger one, else the next
    /// weaker one (PROVIDERS 1.6).
    pub fn clamp_level(&self, level: Level) -> Level {
        let mut weaker = Level::Off;
        for other in Level::ALL {
            let has = match self.mapped(other).first() {
                b'n' => false,
                b'"' => true,
                _ => other < Level::Xhigh,
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
        let above = tier.number("inputTokensAbove");
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
            assert_eq!(rates(cost.root(), tokens).number("input"), price, "{tokens}");
        }
    }

    #[test]
    fn members_of_a_wrong_type_count_as_absent() {
        let doc = Doc::of(r#"{"id":7,"reasoning":"yes","maxTokens":"9","input":"image","cost":null,"headers":[1]}"#);
        let odd = Model::read(doc.root());
        assert_eq!((odd.id.as_ref(), odd.reasoning, odd.max_tokens, odd.images), ("", false, 0.0, false));
    }
}
