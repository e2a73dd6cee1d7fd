//! Token counts of a response and what they cost (PROVIDERS 1.3).

use crate::doc::Doc;
use crate::json::{parse, Value};
use crate::model::rates;
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

    /// Writes the `usage` object of a message. `cost` is that of the model, as JSON.
    pub fn write(&self, out: &mut Writer, cost: &str) {
        let mut counts = self.counts;
        let [input, output, read, write, long, ..] = counts;
        if counts[TOTAL] == 0.0 {
            counts[TOTAL] = input + output + read + write;
        }
        out.open();
        write_known(out, &counts);
        let cost = Doc::of(cost);
        let rates = rates(cost.root(), input + read + write);
        let rate = |name| rates.count(name);
        let million = 1_000_000.0 / self.factor;
        let mut amounts = [input, output, read, write];
        for (amount, name) in amounts.iter_mut().zip(&NAMES) {
            *amount *= rate(name) / million;
        }
        if !long.is_nan() {
            amounts[3] = (rate("cacheWrite") * (write - long) + rate("input") * 2.0 * long) / million;
        }
        out.key("cost").open();
        write_known(out, &amounts);
        let is_billed = !self.billed.is_nan();
        let [input, output, read, write] = amounts;
        out.key("total").number(if is_billed { self.billed } else { input + output + read + write });
        out.key("totalFromProvider").bool(is_billed);
        out.close();
        out.close();
    }
}

/// What a response cost in US dollars. `counts`: input, output, input from a cache and into one, and the part of that
/// which is kept for an hour (NaN where nobody knows). `prices` is the `cost` of a model, as JSON.
pub fn total_cost(counts: [f64; 5], prices: &str) -> f64 {
    let [input, output, read, write, long] = counts;
    let usage = Usage { counts: [input, output, read, write, long, UNKNOWN, 0.0], ..Usage::NONE };
    let mut out = Writer::default();
    usage.write(&mut out, prices);
    let written = parse(&out.into_text()).unwrap_or_default();
    written.get("cost").and_then(|cost| cost.get("total")).and_then(Value::as_f64).unwrap_or_default()
}

/// Writes what is known of numbers in the order of [`NAMES`].
fn write_known(out: &mut Writer, numbers: &[f64]) {
    for (name, number) in NAMES.iter().zip(numbers) {
        if !number.is_nan() {
            out.key(name).number(*number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_cache_costs_twice_the_input() {
        let cost = r#"{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75}"#;
        let usage = Usage { counts: [10.0, 2.0, 100.0, 1000.0, 400.0, UNKNOWN, 0.0], ..Usage::NONE };
        let mut out = Writer::default();
        usage.write(&mut out, cost);
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
