//! Token counts of a response and what they cost (PROVIDERS 1.3).

use crate::model::Cost;
use crate::write::Writer;

/// Tokens of one response. The four counts do not overlap; `reasoning` is part of `output`.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub(crate) struct Usage {
    /// Input that came from no cache.
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    /// The part of `cache_write` that is kept for an hour and costs more, where the provider says so.
    pub cache_write_1h: Option<f64>,
    pub reasoning: Option<f64>,
    pub total: f64,
    /// What the provider billed, where it says so.
    pub billed: Option<f64>,
    /// What a tier of service makes of the prices, where it changes them.
    pub factor: Option<f64>,
}

impl Usage {
    /// The sum of the four counts.
    pub fn sum(&self) -> f64 {
        self.input + self.output + self.cache_read + self.cache_write
    }

    /// Writes the `usage` object of a message.
    pub fn write(&self, out: &mut Writer, cost: &Cost) {
        out.object(|out| {
            out.key("input").number(self.input);
            out.key("output").number(self.output);
            out.key("cacheRead").number(self.cache_read);
            out.key("cacheWrite").number(self.cache_write);
            if let Some(tokens) = self.cache_write_1h {
                out.key("cacheWrite1h").number(tokens);
            }
            if let Some(tokens) = self.reasoning {
                out.key("reasoning").number(tokens);
            }
            out.key("totalTokens").number(self.total);
            out.key("cost").object(|out| self.write_cost(out, cost));
        });
    }

    fn write_cost(&self, out: &mut Writer, cost: &Cost) {
        let rates = cost.rates(self.input + self.cache_read + self.cache_write);
        let long = self.cache_write_1h.unwrap_or_default();
        let million = 1_000_000.0 / self.factor.unwrap_or(1.0);
        let input = rates.input / million * self.input;
        let output = rates.output / million * self.output;
        let read = rates.cache_read / million * self.cache_read;
        let write = (rates.cache_write * (self.cache_write - long) + rates.input * 2.0 * long) / million;
        out.key("input").number(input);
        out.key("output").number(output);
        out.key("cacheRead").number(read);
        out.key("cacheWrite").number(write);
        out.key("total").number(self.billed.unwrap_or(input + output + read + write));
        out.key("totalFromProvider").bool(self.billed.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, Value};
    use crate::model::Rates;

    #[test]
    fn an_hour_of_cache_costs_twice_the_input() {
        let cost = Cost { base: Rates { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 }, tiers: vec![] };
        let usage = Usage {
            input: 10.0,
            output: 2.0,
            cache_read: 100.0,
            cache_write: 1000.0,
            cache_write_1h: Some(400.0),
            reasoning: None,
            total: 1112.0,
            billed: None,
            factor: None,
        };
        let mut out = Writer::default();
        usage.write(&mut out, &cost);
        let written = parse(&out.into_text()).unwrap();
        let number = |name| written.get("cost").and_then(|cost| cost.get(name)).and_then(Value::as_f64).unwrap();
        for (name, dollars) in
            [("input", 3e-5), ("output", 3e-5), ("cacheRead", 3e-5), ("cacheWrite", 4.65e-3), ("total", 4.74e-3)]
        {
            assert!((number(name) - dollars).abs() < 1e-12, "{name}: {}", number(name));
        }
        assert_eq!(written.get("cacheWrite1h").and_then(Value::as_f64), Some(400.0));
        assert_eq!(written.get("totalTokens").and_then(Value::as_f64), Some(1112.0));
        assert!(written.get("reasoning").is_none());
    }
}
