//! Token counts, wherever a host puts them (PROVIDERS 5.5).

use crate::json::Reader;
use crate::read::{self, Read};
use crate::usage::Usage;

/// What is found in a `usage` object.
#[derive(Default)]
struct Counts {
    prompt: f64,
    completion: f64,
    total: Option<f64>,
    cached: [Option<f64>; 3],
    cache_write: f64,
    reasoning: [f64; 2],
    cost: Option<f64>,
    own_key: Option<bool>,
    /// Whether there are cost details, and what is in them.
    upstream: Option<Upstream>,
}

#[derive(Default)]
struct Upstream {
    /// `None` for null, which asks for the two parts.
    whole: Option<f64>,
    prompt: Option<f64>,
    completion: Option<f64>,
}

/// Reads a `usage` object. `bills`: the host says what it billed (OpenRouter).
pub(super) fn read(source: &str, bills: bool) -> Read<Usage> {
    let mut reader = Reader::new(source);
    let mut counts = Counts::default();
    read::members(&mut reader, |key, reader| counts.member(key, reader))?;
    Ok(counts.usage(bills))
}

impl Counts {
    fn member(&mut self, key: &str, reader: &mut Reader<'_>) -> Read<()> {
        match key {
            "prompt_tokens" => read::set(&mut self.prompt, reader)?,
            "completion_tokens" => read::set(&mut self.completion, reader)?,
            "total_tokens" => read::set(&mut self.total, reader)?,
            "prompt_cache_hit_tokens" => read::set(&mut self.cached[1], reader)?,
            "cached_tokens" | "num_cached_tokens" => read::set(&mut self.cached[2], reader)?,
            "reasoning_tokens" => read::set(&mut self.reasoning[1], reader)?,
            "cost" => read::set(&mut self.cost, reader)?,
            "is_byok" => read::set(&mut self.own_key, reader)?,
            "prompt_tokens_details" => read::members(reader, |key, reader| {
                match key {
                    "cached_tokens" => read::set(&mut self.cached[0], reader)?,
                    "cache_write_tokens" => read::set(&mut self.cache_write, reader)?,
                    _ => reader.skip()?,
                }
                Ok(())
            })?,
            "completion_tokens_details" => read::members(reader, |key, reader| {
                match key {
                    "reasoning_tokens" => read::set(&mut self.reasoning[0], reader)?,
                    _ => reader.skip()?,
                }
                Ok(())
            })?,
            "cost_details" => {
                let mut upstream = Upstream::default();
                read::members(reader, |key, reader| {
                    match key {
                        "upstream_inference_cost" => read::set(&mut upstream.whole, reader)?,
                        "upstream_inference_prompt_cost" => read::set(&mut upstream.prompt, reader)?,
                        "upstream_inference_completions_cost" => read::set(&mut upstream.completion, reader)?,
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?;
                self.upstream = Some(upstream);
            }
            _ => reader.skip()?,
        }
        Ok(())
    }

    fn usage(&self, bills: bool) -> Usage {
        let cache_read = self.cached.iter().find_map(|count| *count).unwrap_or_default();
        let reasoning = if self.reasoning[0] > 0.0 { self.reasoning[0] } else { self.reasoning[1] };
        // Some hosts (xAI) count the thinking outside of the completion; only their total shows it.
        let outside = self.total.is_some_and(|total| {
            reasoning > 0.0
                && self.prompt + self.completion != total
                && self.prompt + self.completion + reasoning == total
        });
        let mut usage = Usage {
            input: (self.prompt - cache_read - self.cache_write).max(0.0),
            output: if outside { self.completion + reasoning } else { self.completion },
            cache_read,
            cache_write: self.cache_write,
            reasoning: Some(reasoning),
            billed: self.billed().filter(|_| bills),
            ..Usage::default()
        };
        usage.total = usage.sum();
        usage
    }

    /// What was billed, with the caller's own upstream key too; `None` when a part is missing.
    fn billed(&self) -> Option<f64> {
        let valid = |cost: Option<f64>| cost.filter(|cost| *cost >= 0.0);
        let cost = valid(self.cost)?;
        if !self.own_key? {
            return Some(cost);
        }
        let upstream = self.upstream.as_ref()?;
        let whole = match upstream.whole {
            None => valid(upstream.prompt)? + valid(upstream.completion)?,
            whole => valid(whole)?,
        };
        Some(cost + whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_counts_in_its_own_way() {
        for (source, input, output, cache_read, total) in [
            (r#"{"prompt_tokens":9,"completion_tokens":4}"#, 9.0, 4.0, 0.0, 13.0),
            (
                r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":1}}"#,
                3.0,
                0.0,
                5.0,
                9.0,
            ),
            (r#"{"prompt_tokens":100,"prompt_cache_hit_tokens":80,"completion_tokens":5}"#, 20.0, 5.0, 80.0, 105.0),
            (r#"{"prompt_tokens":2,"cached_tokens":7}"#, 0.0, 0.0, 7.0, 7.0),
            (r#"{"prompt_tokens":9,"num_cached_tokens":7}"#, 2.0, 0.0, 7.0, 9.0),
            (
                r#"{"prompt_tokens":12,"completion_tokens":1,"total_tokens":303,"completion_tokens_details":{"reasoning_tokens":290}}"#,
                12.0,
                291.0,
                0.0,
                303.0,
            ),
            (
                r#"{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"reasoning_tokens":9}"#,
                100.0,
                5.0,
                0.0,
                105.0,
            ),
            (r#"{"prompt_tokens":null,"completion_tokens":"5"}"#, 0.0, 0.0, 0.0, 0.0),
        ] {
            let usage = read(source, false).unwrap();
            assert_eq!(
                (usage.input, usage.output, usage.cache_read, usage.total),
                (input, output, cache_read, total),
                "{source}"
            );
        }
    }

    #[test]
    fn a_bill_counts_only_when_it_is_complete() {
        for (source, billed) in [
            (r#"{"cost":0.5,"is_byok":false}"#, Some(0.5)),
            (r#"{"cost":0.5}"#, None),
            (r#"{"cost":0.5,"is_byok":true}"#, None),
            (r#"{"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":1}}"#, Some(1.5)),
            (
                r#"{"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":null,"upstream_inference_prompt_cost":1,"upstream_inference_completions_cost":2}}"#,
                Some(3.5),
            ),
            (r#"{"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":null}}"#, None),
        ] {
            assert_eq!(read(source, true).unwrap().billed, billed, "{source}");
            assert_eq!(read(source, false).unwrap().billed, None, "{source}");
        }
    }
}
