//! What a finished message says about trying again (PROVIDERS 11.2 and 11.3). Providers only have words for it, so this
//! is a list of words.

use crate::ids::is_made_of;
use crate::text::{around, find, trim_start};

/// The parts of a message the verdicts look at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ended<'a> {
    /// `stopReason`.
    pub stop_reason: &'a str,
    /// `errorMessage`.
    pub error_message: &'a str,
    /// `provider`.
    pub provider: &'a str,
    /// `usage.input`, tokens.
    pub input: f64,
    /// `usage.cacheRead`, tokens.
    pub cache_read: f64,
    /// `usage.output`, tokens.
    pub output: f64,
}

/// Whether asking the same again may help: the failure is transient, and no quota is exhausted. Check
/// [`is_context_overflow`] first.
pub fn is_retryable(message: &Ended<'_>) -> bool {
    if message.stop_reason != "error" {
        return false;
    }
    let text = message.error_message.to_ascii_lowercase();
    let text = text.as_str();
    if has_any(text, QUOTA) || has_code_1308(text) {
        return false;
    }
    has_any(text, TRANSIENT) || any_line(TRANSIENT_WORDS, &|word| has_word(text, word))
}

/// Whether the input was too long for the model. `window` is its size in tokens, where known: some providers cut the
/// input silently and only the counts show it.
pub fn is_context_overflow(message: &Ended<'_>, window: Option<f64>) -> bool {
    let input = message.input + message.cache_read;
    match (message.stop_reason, window.filter(|window| *window > 0.0)) {
        ("error", _) => is_overflow_text(message.error_message, message.provider),
        ("stop", Some(window)) => input > window,
        ("length", Some(window)) => message.output == 0.0 && input >= window * 0.99,
        _ => false,
    }
}

/// [`is_context_overflow`] for an error text alone.
pub(crate) fn is_overflow_text(text: &str, provider: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let text = text.as_str();
    let throttled = text.starts_with("throttling error:") || text.starts_with("service unavailable:");
    if throttled || has_any(text, "rate limit\ntoo many requests") {
        return false;
    }
    has_any(text, OVERFLOW) || is_413(text) || (provider == "cerebras" && is_bodyless(text))
}

/// A request over a size limit, by its status: `413 …`, `413: …` or `NAME API error (413):`.
fn is_413(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("413") {
        return rest.bytes().next().is_none_or(|next| next == b':' || next.is_ascii_whitespace());
    }
    let name = find(text, " api error (413):").and_then(|at| text.get(..at)).unwrap_or_default();
    !name.is_empty() && is_made_of(name, b"_ -")
}

/// `400` or `413` without a body, which is all that Cerebras says about an overflow.
fn is_bodyless(text: &str) -> bool {
    let rest = text.strip_prefix("400").or_else(|| text.strip_prefix("413"));
    rest.is_some_and(|rest| {
        let rest = trim_start(rest);
        trim_start(rest.strip_prefix("status code").unwrap_or(rest)).starts_with("(no body)")
    })
}

/// z.ai's code for an exhausted plan: `"code": 1308`, the number in quotes or not.
fn has_code_1308(text: &str) -> bool {
    const KEY: &str = "\"code\"";
    let mut rest = text;
    while let Some(at) = find(rest, KEY) {
        rest = rest.get(at + KEY.len()..).unwrap_or_default();
        let value = trim_start(trim_start(rest).strip_prefix(':').unwrap_or_default());
        let value = value.strip_prefix('"').unwrap_or(value);
        if value.strip_prefix("1308").is_some_and(|after| !after.as_bytes().first().is_some_and(u8::is_ascii_digit)) {
            return true;
        }
    }
    false
}

/// Whether one of the patterns, each on its line, matches a part of `text`.
pub(crate) fn has_any(text: &str, patterns: &str) -> bool {
    any_line(patterns, &|pattern| contains(text.as_bytes(), pattern.as_bytes()))
}

fn any_line(lines: &str, fits: &dyn Fn(&str) -> bool) -> bool {
    let mut rest = lines;
    while let Some((line, more)) = around(rest, b'\n', false) {
        if fits(line) {
            return true;
        }
        rest = more;
    }
    fits(rest)
}

/// Whether `word` stands in `text` and is no part of a longer word or number.
fn has_word(text: &str, word: &str) -> bool {
    let inside = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| find(rest, word)).map(|at| from + at) {
        from = at + word.len();
        if !inside(at.checked_sub(1).and_then(|before| bytes.get(before))) && !inside(bytes.get(from)) {
            return true;
        }
    }
    false
}

/// Whether `text` has a part that matches `pattern`. Pattern bytes stand for themselves, but `~` is any character or
/// none, `#` digits with or without commas, and `*` anything on the same line.
fn contains(text: &[u8], pattern: &[u8]) -> bool {
    let first = pattern.first().copied().unwrap_or_default();
    memchr::memchr_iter(first, text).any(|at| matches(text.get(at..).unwrap_or_default(), pattern))
}

fn matches(text: &[u8], pattern: &[u8]) -> bool {
    let (mut text, mut pattern) = (text, pattern);
    loop {
        match (pattern, text) {
            ([], _) => return true,
            // Patterns are ours and short: at most three levels deep.
            ([b'~', rest @ ..], _) => {
                return matches(text, rest) || text.split_first().is_some_and(|(_, after)| matches(after, rest));
            }
            ([b'#', rest @ ..], _) => {
                let digits = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b',').count();
                if digits == 0 {
                    return false;
                }
                text = text.get(digits..).unwrap_or_default();
                pattern = rest;
            }
            ([b'*', rest @ ..], _) => {
                let line = text.iter().take_while(|byte| **byte != b'\n').count();
                return contains(text.get(..line).unwrap_or_default(), rest);
            }
            ([want, rest @ ..], [byte, after @ ..]) if want == byte => {
                text = after;
                pattern = rest;
            }
            _ => return false,
        }
    }
}

/// Never worth a retry: quotas, budgets, bills.
const QUOTA: &str = "\
    gousagelimiterror\n\
    freeusagelimiterror\n\
    monthly usage limit reached\n\
    available balance\n\
    insufficient_quota\n\
    out of budget\n\
    quota exceeded\n\
    exceeded your current quota\n\
    billing\n\
    subscription_sharing_usage_limit_exceeded\n\
    subscription_sharing_workplace_individual_usage_limit_exceeded";

/// Load, server faults, and connections that broke.
const TRANSIENT: &str = "\
    overloaded\n\
    server_busy\n\
    servers are currently busy\n\
    currently experiencing high demand\n\
    model is at capacity\n\
    capacity exceeded\n\
    rate~limit\n\
    too many requests\n\
    service~unavailable\n\
    service~temporarily~unavailable\n\
    service~is~unavailable\n\
    service~is~temporarily~unavailable\n\
    server~error\n\
    internal~error\n\
    provider~returned~error\n\
    provider~returned~an~error\n\
    exceeded request buffer limit while retrying upstream\n\
    unable to forward upstream\n\
    upstream~request~failed\n\
    upstream_stream_read_error\n\
    upstream~connect\n\
    stream was interrupted\n\
    http2 stream failed\n\
    http/2 stream failed\n\
    network~error\n\
    network connection was lost\n\
    connection~error\n\
    connection~refused\n\
    connection~lost\n\
    connection~closed\n\
    other side closed\n\
    fetch failed\n\
    failed to fetch\n\
    load failed\n\
    request to * failed, reason:\n\
    getaddrinfo\n\
    connection reset by peer\n\
    enotfound\n\
    eai_again\n\
    reset before headers\n\
    socket hang up\n\
    socket connection was closed\n\
    time out\n\
    timed out\n\
    timeout\n\
    websocket~closed\n\
    websocket~error\n\
    websocket~connection~limit~reached\n\
    ended without\n\
    stream ended before\n\
    http2 request did not get a response\n\
    stream disconnected before completion\n\
    before the response completed\n\
    cut short after the reply had begun\n\
    pending stream has been canceled\n\
    retry delay\n\
    you can retry your request\n\
    try your request again\n\
    please retry your request\n\
    resourceexhausted\n\
    subscription_sharing_usage_unavailable\n\
    subscription_sharing_user_unavailable";

/// The same, where only the whole word counts.
const TRANSIENT_WORDS: &str = "\
    429\n\
    500\n\
    502\n\
    503\n\
    504\n\
    520\n\
    524\n\
    529\n\
    terminated\n\
    econnreset\n\
    econnaborted\n\
    econnrefused\n\
    etimedout\n\
    epipe";

/// Who says it: see PROVIDERS 11.2.
const OVERFLOW: &str = "\
    prompt is too long\n\
    prompt too long\n\
    prompt exceeds max length\n\
    request_too_large\n\
    input is too long for requested model\n\
    exceeds the context window\n\
    exceeds maximum context length of # token\n\
    exceeds the maximum context length of # token\n\
    exceeds model~s maximum context length of # token\n\
    exceeds the model~s maximum context length of # token\n\
    exceeds maximum context length~(#)\n\
    exceeds the maximum context length~(#)\n\
    exceeds model~s maximum context length~(#)\n\
    exceeds the model~s maximum context length~(#)\n\
    context window exceeded\n\
    input token count*exceeds the maximum\n\
    maximum prompt length is #\n\
    reduce the length of the messages\n\
    maximum context length is # tokens\n\
    maximum context length (#) is exceeded\n\
    exceeds maximum allowed input length of # token\n\
    exceeds the maximum allowed input length of # token\n\
    input (# tokens) is longer than the model~s context length (# tokens)\n\
    exceeds the limit of #\n\
    exceeds the available context size\n\
    greater than the context length\n\
    context window exceeds limit\n\
    exceeded model token limit\n\
    too large for model with # maximum context length\n\
    prompt has # token~, but the configured context size is # token\n\
    model_context_window_exceeded\n\
    range of input length should be\n\
    context~length~exceeded\n\
    too many tokens\n\
    token limit exceeded";
