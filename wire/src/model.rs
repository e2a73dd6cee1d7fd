//! What a request and its response need to know about a model.

use crate::json::{Kind, Reader};
use crate::read::{self, Read};
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
    pub cost: Cost,
    pub levels: LevelMap<'a>,
    pub headers: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Source of `compat`, read by each wire for itself.
    pub compat: Option<&'a str>,
    /// Source of `samplingParams`.
    pub sampling: Option<&'a str>,
    /// Source of `samplingParamsByThinkingLevel`.
    pub sampling_by_level: Option<&'a str>,
    /// Grammar tools of the request: tool name and the argument that takes the grammar text.
    pub grammar_tools: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Where the request went.
    pub url: Cow<'a, str>,
    /// What must not appear in an error text.
    pub secrets: Vec<Cow<'a, str>>,
    /// The host wants to see the provider's events too.
    pub echo: bool,
    /// A tool was given to it to answer with.
    pub answers_by_tool: bool,
    /// What `compat` says about schemas for answers.
    pub takes_schemas: Option<bool>,
}

/// Price per million tokens.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rates {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}

/// Prices of a model. A tier applies when the whole input is above its threshold; the highest such tier wins.
#[derive(Clone, Default)]
pub(crate) struct Cost {
    pub base: Rates,
    pub tiers: Vec<(f64, Rates)>,
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

    pub fn name(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Minimal => "minimal",
            Level::Low => "low",
            Level::Medium => "medium",
            Level::High => "high",
            Level::Xhigh => "xhigh",
            Level::Max => "max",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// What a model's `thinkingLevelMap` says about one level.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) enum Mapped<'a> {
    /// No entry.
    #[default]
    Absent,
    /// `null`: the model does not have this level.
    Never,
    /// The provider's own word for it.
    To(Cow<'a, str>),
}

/// `thinkingLevelMap`.
#[derive(Default)]
pub(crate) struct LevelMap<'a>([Mapped<'a>; 7]);

impl<'a> LevelMap<'a> {
    pub fn get(&self, level: Level) -> &Mapped<'a> {
        self.0.get(level as usize).unwrap_or(&Mapped::Absent)
    }

    /// The provider's word for a level, else pi's own.
    pub fn word(&self, level: Level) -> &str {
        match self.get(level) {
            Mapped::To(word) => word,
            _ => level.name(),
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|mapped| *mapped == Mapped::Absent)
    }

    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let mut map = Self::default();
        read::members(reader, |key, reader| {
            let mapped = match reader.peek()? {
                Kind::Null => reader.null().map(|()| Mapped::Never)?,
                Kind::String => Mapped::To(reader.string()?),
                _ => reader.skip().map(|()| Mapped::Absent)?,
            };
            if let Some(entry) = Level::of(key).and_then(|level| map.0.get_mut(level as usize)) {
                *entry = mapped;
            }
            Ok(())
        })?;
        Ok(map)
    }
}

impl<'a> Model<'a> {
    /// Reads a model object.
    pub fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let mut model = Self::default();
        read::members(reader, |key, reader| {
            match key {
                "id" => read::set(&mut model.id, reader)?,
                "api" => read::set(&mut model.api, reader)?,
                "provider" => read::set(&mut model.provider, reader)?,
                "url" => read::set(&mut model.url, reader)?,
                "baseUrl" => read::set(&mut model.base_url, reader)?,
                "reasoning" => read::set(&mut model.reasoning, reader)?,
                "contextWindow" => read::set(&mut model.context_window, reader)?,
                "maxTokens" => read::set(&mut model.max_tokens, reader)?,
                "thinkingLevelMap" => model.levels = LevelMap::read(reader)?,
                "cost" => model.cost = Cost::read(reader)?,
                "headers" => model.headers = pairs(reader)?,
                "compat" => {
                    read::set_span(&mut model.compat, Kind::Object, reader)?;
                    read::members(&mut Reader::new(model.compat.unwrap_or("{}")), |key, reader| {
                        if key != "supportsResponseSchema" {
                            return reader.skip();
                        }
                        model.takes_schemas = read::boolean(reader)?;
                        Ok(())
                    })?;
                }
                "samplingParams" => read::set_span(&mut model.sampling, Kind::Object, reader)?,
                "samplingParamsByThinkingLevel" => read::set_span(&mut model.sampling_by_level, Kind::Object, reader)?,
                "grammarTools" => model.grammar_tools = pairs(reader)?,
                "input" => {
                    read::items(reader, |reader| {
                        model.images |= read::text(reader)?.is_some_and(|kind| kind == "image");
                        Ok(())
                    })?;
                }
                "echo" => model.echo = reader.raw()? == "true",
                "answersByTool" => model.answers_by_tool = reader.raw()? == "true",
                "secrets" => {
                    read::items(reader, |reader| {
                        model.secrets.extend(read::text(reader)?);
                        Ok(())
                    })?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(model)
    }

    /// The level a request for `level` gets: itself when the model has it, else the next stronger one, else the next
    /// weaker one (PROVIDERS 1.6).
    pub fn clamp_level(&self, level: Level) -> Level {
        let has = |level: &Level| match self.levels.get(*level) {
            Mapped::Never => false,
            Mapped::Absent => *level < Level::Xhigh,
            Mapped::To(_) => true,
        };
        if !self.reasoning {
            return Level::Off;
        }
        let mut stronger = Level::ALL.into_iter().filter(|other| *other >= level);
        let mut weaker = Level::ALL.into_iter().rev().filter(|other| *other < level);
        stronger.find(has).or_else(|| weaker.find(has)).unwrap_or(Level::Off)
    }
}

impl Cost {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let mut cost = Self::default();
        read::members(reader, |key, reader| {
            if key != "tiers" {
                return cost.base.member(key, reader);
            }
            read::items(reader, |reader| {
                let mut above = f64::INFINITY;
                let mut rates = Rates::default();
                read::members(reader, |key, reader| {
                    if key == "inputTokensAbove" {
                        above = read::number(reader)?.unwrap_or(f64::INFINITY);
                        return Ok(());
                    }
                    rates.member(key, reader)
                })?;
                cost.tiers.push((above, rates));
                Ok(())
            })
        })?;
        Ok(cost)
    }

    /// The prices for a request with this many input tokens, cached ones included.
    pub fn rates(&self, input: f64) -> Rates {
        let applies = |tier: &&(f64, Rates)| input > tier.0;
        let highest = self.tiers.iter().filter(applies).max_by(|left, right| left.0.total_cmp(&right.0));
        highest.map_or(self.base, |tier| tier.1)
    }
}

impl Rates {
    fn member(&mut self, key: &str, reader: &mut Reader<'_>) -> Read<()> {
        let rate = match key {
            "input" => &mut self.input,
            "output" => &mut self.output,
            "cacheRead" => &mut self.cache_read,
            "cacheWrite" => &mut self.cache_write,
            _ => return reader.skip(),
        };
        read::set(rate, reader)?;
        Ok(())
    }
}

/// An object whose values are strings.
fn pairs<'a>(reader: &mut Reader<'a>) -> Read<Vec<(Cow<'a, str>, Cow<'a, str>)>> {
    let mut pairs = Vec::new();
    read::members(reader, |key, reader| {
        if let Some(value) = read::text(reader)? {
            pairs.push((Cow::Owned(key.to_owned()), value));
        }
        Ok(())
    })?;
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(json: &str) -> Model<'_> {
        Model::read(&mut Reader::new(json)).unwrap()
    }

    #[test]
    fn a_level_the_model_lacks_moves_up_first_and_down_last() {
        let plain = model(r#"{"reasoning":true}"#);
        assert_eq!(plain.clamp_level(Level::Minimal), Level::Minimal);
        assert_eq!(plain.clamp_level(Level::Xhigh), Level::High);
        let odd =
            model(r#"{"reasoning":true,"thinkingLevelMap":{"minimal":null,"low":null,"medium":null,"max":"ultra"}}"#);
        assert_eq!(odd.clamp_level(Level::Low), Level::High);
        assert_eq!(odd.clamp_level(Level::Xhigh), Level::Max);
        assert_eq!(odd.levels.word(Level::Max), "ultra");
        assert_eq!(model(r#"{"reasoning":false}"#).clamp_level(Level::High), Level::Off);
    }

    #[test]
    fn the_highest_tier_below_the_input_sets_the_price() {
        let cost = model(
            r#"{"cost":{"input":1,"tiers":[{"inputTokensAbove":200,"input":3},{"inputTokensAbove":100,"input":2}]}}"#,
        )
        .cost;
        for (tokens, price) in [(100.0, 1.0), (101.0, 2.0), (200.0, 2.0), (201.0, 3.0)] {
            assert_eq!(cost.rates(tokens).input, price, "{tokens}");
        }
    }

    #[test]
    fn members_of_a_wrong_type_count_as_absent() {
        let odd = model(r#"{"id":7,"reasoning":"yes","maxTokens":"9","input":"image","cost":null,"headers":[1]}"#);
        assert_eq!((odd.id.as_ref(), odd.reasoning, odd.max_tokens, odd.images), ("", false, 0.0, false));
    }
}
