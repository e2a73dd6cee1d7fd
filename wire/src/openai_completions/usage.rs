//! Token counts, wherever a host puts them (PROVIDERS 5.5).

use crate::source::{names, Source};
use crate::usage::{Usage, UNKNOWN};

const NAMES: &[u8] = names![
    "prompt_tokens",
    "completion_tokens",
    "prompt_tokens_details.cache_write_tokens",
    "completion_tokens_details.reasoning_tokens",
    "reasoning_tokens",
    "total_tokens",
    // What came from a cache, by preference.
    "prompt_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cached_tokens",
    "num_cached_tokens",
    "cost",
    "cost_details.upstream_inference_cost",
    "cost_details.upstream_inference_prompt_cost",
    "cost_details.upstream_inference_completions_cost",
];

/// Reads a `usage` object. `bills`: the host says what it billed (OpenRouter).
pub(super) fn read(source: &Source<'_>, bills: bool, usage: &mut Usage) {
    let mut numbers = [UNKNOWN; 14];
    numbers[..5].fill(0.0);
    source.numbers(NAMES, &mut numbers);
    let [prompt, completion, cache_write, thinking, thought, total, cached @ .., cost, whole, asked, answered] =
        numbers;
    let cache_read = cached.into_iter().find(|count| !count.is_nan()).unwrap_or_default();
    let reasoning = if thinking > 0.0 { thinking } else { thought };
    // Some hosts (xAI) count the thinking outside of the completion; only their total shows it.
    let outside = reasoning > 0.0 && prompt + completion != total && prompt + completion + reasoning == total;
    let output = if outside { completion + reasoning } else { completion };
    let input = (prompt - cache_read - cache_write).max(0.0);
    usage.counts = [input, output, cache_read, cache_write, UNKNOWN, reasoning, 0.0];
    if bills {
        // With the caller's own key upstream, what that costs too.
        usage.billed = valid(cost)
            + match source.member("is_byok").span {
                "false" => 0.0,
                "true" if whole.is_nan() => valid(asked) + valid(answered),
                "true" => valid(whole),
                _ => UNKNOWN,
            };
    }
}

/// An amount of money, where it can be one.
fn valid(cost: f64) -> f64 {
    if cost >= 0.0 {
        cost
    } else {
        UNKNOWN
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
            let mut usage = Usage::NONE;
            read(&Source { span: source }, false, &mut usage);
            let [uncached, written, cached, stored, ..] = usage.counts;
            let sum = uncached + written + cached + stored;
            assert_eq!((uncached, written, cached, sum), (input, output, cache_read, total), "{source}");
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
            let of = |bills| {
                let mut usage = Usage::NONE;
                read(&Source { span: source }, bills, &mut usage);
                Some(usage.billed).filter(|billed| !billed.is_nan())
            };
            assert_eq!((of(true), of(false)), (billed, None), "{source}");
        }
    }
}
