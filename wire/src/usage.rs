//! Token counts of a response and what they cost (PROVIDERS 1.3).

use crate::model::Cost;
use crate::write::Writer;

/// Members of `usage`, in the order of [`Usage::counts`].
const NAMES: [&str; 7] = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens"];

/// Where [`Usage::counts`] has them. The first four do not overlap; what was thought is a part of the output.
pub(crate) const CACHE_WRITE_1H: usize = 4;
pub(crate) const REASONING: usize = 5;
const TOTAL: usize = 6;

/// No number: what a provider does not say.
pub(crate) const UNKNOWN: f64 = f64::NAN;

/// Tokens of one response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Input that came from no cache, output, input that came from a cache, input that went into one, the part of that
    /// which is kept for an hour and costs more, the part of the output that was thought, and the total, which is the
    /// sum of the first four where it is 0.
    pub counts: [f64; 7],
    /// What the provider billed, where it says so.
    pub billed: f64,
    /// What a tier of service makes of the prices.
    pub factor: f64,
}

impl Usage {
    /// Nothing yet. What is kept for an hour is not known.
    pub const NONE: Usage = Usage { counts: [0.0, 0.0, 0.0, 0.0, UNKNOWN, 0.0, 0.0], billed: UNKNOWN, factor: 1.0 };

    /// Writes the `usage` object of a message.
    pub fn write(&self, out: &mut Writer, cost: &Cost) {
        let mut counts = self.counts;
        let [input, output, read, write, ..] = counts;
        if counts[TOTAL] == 0.0 {
            counts[TOTAL] = input + output + read + write;
        }
        out.open();
        write_known(out, &NAMES, &counts);
        out.key("cost").open();
        self.write_cost(out, cost);
        out.close();
        out.close();
    }

    fn write_cost(&self, out: &mut Writer, cost: &Cost) {
        let [input, output, read, write, long, ..] = self.counts;
        let rates = cost.rates(input + read + write);
        let long = if long.is_nan() { 0.0 } else { long };
        let million = 1_000_000.0 / self.factor;
        let input = rates.input / million * input;
        let output = rates.output / million * output;
        let read = rates.cache_read / million * read;
        let write = (rates.cache_write * (write - long) + rates.input * 2.0 * long) / million;
        write_known(out, &NAMES, &[input, output, read, write]);
        let is_billed = !self.billed.is_nan();
        out.key("total").number(if is_billed { self.billed } else { input + output + read + write });
        out.key("totalFromProvider").bool(is_billed);
    }
}

fn write_known(out: &mut Writer, names: &[&str], numbers: &[f64]) {
    for (name, number) in names.iter().zip(numbers) {
        if !number.is_nan() {
            out.key(name).number(*number);
        }
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
        let usage = Usage { counts: [10.0, 2.0, 100.0, 1000.0, 400.0, UNKNOWN, 0.0], ..Usage::NONE };
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
