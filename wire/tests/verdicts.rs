//! May a failed request be repeated, and was its input too long: the words of providers, and the recordings.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)] // counts and differences are what a test has to say

mod support;

use std::collections::BTreeMap;
use std::fs;
use steersman_wire::{is_context_overflow, is_retryable, Ended};
use support::{files, read, shared};

fn failed(text: &str) -> Ended<'_> {
    Ended { stop_reason: "error", error_message: text, ..Ended::default() }
}

#[test]
fn transient_failures_may_be_repeated() {
    for text in [
        "429: slow down",
        "overloaded_error",
        "529 {\"type\":\"overloaded\"}",
        "HTTP 529",
        "Rate limit reached",
        "rate-limited upstream",
        "The service is temporarily unavailable",
        "Service Unavailable",
        "Internal server error",
        "server_error: it broke",
        "Provider returned error",
        "Could not reach example.org: Failed to fetch",
        "NetworkError when attempting to fetch resource.",
        "Load failed",
        "The network connection was lost.",
        "fetch failed: connect ECONNREFUSED 127.0.0.1:1",
        "read ECONNRESET",
        "terminated",
        "Stream ended without finish_reason",
        "Anthropic stream ended before message_stop",
        "Connection closed by proxy server before the response completed",
        "Request timed out.",
        "Server requested 90s retry delay (max: 60s).",
    ] {
        assert!(is_retryable(&failed(text)), "{text}");
    }
}

#[test]
fn lasting_failures_may_not() {
    for text in [
        "",
        "400: {\"message\":\"bad tool\"}",
        "401: no key",
        "insufficient_quota: You exceeded your current quota",
        "429: {\"code\":\"1308\",\"message\":\"Usage limit reached\"}",
        "429: {\"code\": 1308}",
        "429: check your billing details",
        "request 1429 of 5002 bytes a429b",
        "Unterminated string in JSON",
        "Provider finish_reason: content_filter",
        "Provider stopped with: SAFETY",
    ] {
        assert!(!is_retryable(&failed(text)), "{text}");
    }
    assert!(is_retryable(&failed("429: {\"code\": 13081}")));
    assert!(!is_retryable(&Ended { stop_reason: "aborted", ..failed("429") }));
    assert!(!is_retryable(&Ended { stop_reason: "stop", ..failed("429") }));
}

#[test]
fn an_input_that_was_too_long_is_told_by_its_words() {
    for text in [
        "prompt is too long: 213462 tokens > 200000 maximum",
        "413 {\"error\":{\"type\":\"request_too_large\"}}",
        "413: request too large",
        "413",
        "github-copilot API error (413): {}",
        "Your input exceeds the context window of this model",
        "Requested token count exceeds the model's maximum context length of 131,072 tokens",
        "Input length (265330) exceeds model's maximum context length (262144).",
        "This model's maximum context length (8192) is exceeded",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
        "Please reduce the length of the messages or completion",
        "This endpoint's maximum context length is 200000 tokens.",
        "Input length 9 exceeds the maximum allowed input length of 8 tokens.",
        "The input (9 tokens) is longer than the model's context length (8 tokens).",
        "prompt token count of 9 exceeds the limit of 8",
        "the request exceeds the available context size, try increasing it",
        "tokens to keep from the initial prompt is greater than the context length",
        "invalid params, context window exceeds limit",
        "Your request exceeded model token limit: 8 (requested: 9)",
        "Prompt contains 9 tokens, too large for model with 8 maximum context length",
        "Prompt has 9 tokens, but the configured context size is 8 tokens",
        "finish_reason:model_context_window_exceeded",
        "prompt too long; exceeded max context length by 7 tokens",
        "Range of input length should be [1, 8]",
        "CONTEXT_LENGTH_EXCEEDED: no",
    ] {
        assert!(is_context_overflow(&failed(text), None), "{text}");
    }
    for text in [
        "rate limit: too many tokens per minute",
        "Too many requests, too many tokens",
        "Throttling error: Too many tokens, please wait",
        "exceeds the limit of requests",
        "4130: x",
        "error 413",
        "the tool said: API error (413): no",
        " API error (413): no",
        "400 status code (no body)",
        "",
    ] {
        assert!(!is_context_overflow(&failed(text), None), "{text}");
    }
    let cerebras = |text| Ended { provider: "cerebras", ..failed(text) };
    assert!(is_context_overflow(&cerebras("400 status code (no body)"), None));
    assert!(is_context_overflow(&cerebras("413 (no body)"), None));
    assert!(!is_context_overflow(&cerebras("401 status code (no body)"), None));
}

#[test]
fn a_silent_overflow_shows_in_the_counts() {
    let counts =
        |stop_reason, input, cache_read, output| Ended { stop_reason, input, cache_read, output, ..Ended::default() };
    assert!(is_context_overflow(&counts("stop", 60.0, 41.0, 1.0), Some(100.0)));
    assert!(!is_context_overflow(&counts("stop", 60.0, 40.0, 1.0), Some(100.0)));
    assert!(is_context_overflow(&counts("length", 99.0, 0.0, 0.0), Some(100.0)));
    assert!(!is_context_overflow(&counts("length", 99.0, 0.0, 1.0), Some(100.0)));
    assert!(!is_context_overflow(&counts("stop", 200.0, 0.0, 1.0), None));
}

#[test]
fn recorded_messages_are_judged_alike() {
    let Some(folder) = shared().map(|folder| folder.join("expected")) else {
        return;
    };
    let all = read(&folder.join("corrections.json"));
    let corrections = all["corrections"].as_array().unwrap().iter();
    let right: BTreeMap<&str, _> =
        corrections.map(|entry| (entry["fixture"].as_str().unwrap(), &entry["right"])).collect();
    let mut count = 0;
    for family in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in files(&family, "json") {
            let case = read(&file);
            let (Some(name), message) = (case["fixture"].as_str(), &case["message"]) else {
                continue;
            };
            let usage = |name: &str| message["usage"][name].as_f64().unwrap_or_default();
            let text = |name: &str| message[name].as_str().unwrap_or_default();
            let ended = Ended {
                stop_reason: text("stopReason"),
                error_message: text("errorMessage"),
                provider: text("provider"),
                input: usage("input"),
                cache_read: usage("cacheRead"),
                output: usage("output"),
            };
            if right.get(name).is_some_and(|right| right.get("same").is_none()) {
                continue;
            }
            assert_eq!(is_retryable(&ended), case["isRetryable"] == true, "{name}: {}", ended.error_message);
            assert_eq!(is_context_overflow(&ended, Some(200_000.0)), case["isContextOverflow"] == true, "{name}");
            count += 1;
        }
    }
    println!("{count} recorded messages");
    assert!(count > 150);
}
