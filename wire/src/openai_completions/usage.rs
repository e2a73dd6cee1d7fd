//! Token counts, wherever a host puts them (PROVIDERS 5.5).

use crate::source::Source;
use crate::usage::Usage;

/// Reads a `usage` object. `bills`: the host says what it billed (OpenRouter).
pub(super) fn read(source: Source<'_>, bills: bool) -> Usage {
    let [prompt, completion, total, hit, cached, cached_too, thought, bill, own_key, input, output, costs] = source
        .pick(&[
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "prompt_cache_hit_tokens",
            "cached_tokens",
            "num_cached_tokens",
            "reasoning_tokens",
            "cost",
            "is_byok",
            "prompt_tokens_details",
            "completion_tokens_details",
            "cost_details",
        ]);
    let [cached_input, cache_write] = input.pick(&["cached_tokens", "cache_write_tokens"]);
    let [thinking] = output.pick(&["reasoning_tokens"]);
    let (prompt, completion, cache_write) = (prompt.count(), completion.count(), cache_write.count());
    let cached = [cached_input, hit, cached, cached_too].iter().find_map(|count| count.number());
    let cache_read = cached.unwrap_or_default();
    let reasoning = if thinking.count() > 0.0 { thinking.count() } else { thought.count() };
    // Some hosts (xAI) count the thinking outside of the completion; only their total shows it.
    let total = total.number();
    let outside = reasoning > 0.0
        && total.is_some_and(|total| prompt + completion != total && prompt + completion + reasoning == total);
    let mut usage = Usage {
        input: (prompt - cache_read - cache_write).max(0.0),
        output: if outside { completion + reasoning } else { completion },
        cache_read,
        cache_write,
        reasoning: Some(reasoning),
        billed: if bills { billed(bill, own_key, costs) } else { None },
        ..Usage::default()
    };
    usage.total = usage.sum();
    usage
}

/// What was billed, with the caller's own upstream key too; `None` when a part is missing.
fn billed(cost: Source<'_>, own_key: Source<'_>, details: Source<'_>) -> Option<f64> {
    let valid = |cost: Source<'_>| cost.number().filter(|cost| *cost >= 0.0);
    let cost = valid(cost)?;
    match own_key.span {
        "false" => return Some(cost),
        "true" => {}
        _ => return None,
    }
    let [whole, prompt, completion] = details.pick(&[
        "upstream_inference_cost",
        "upstream_inference_prompt_cost",
        "upstream_inference_completions_cost",
    ]);
    if whole.number().is_some() {
        return Some(cost + valid(whole)?);
    }
    Some(cost + valid(prompt)? + valid(completion)?)
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
            let usage = read(Source { span: source }, false);
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
            let span = Source { span: source };
            assert_eq!(read(span, true).billed, billed, "{source}");
            assert_eq!(read(span, false).billed, None, "{source}");
        }
    }
}
