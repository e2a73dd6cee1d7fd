//! What a provider says about its failure, in the many shapes providers say it.

use crate::json::{parse, to_text, Value};
use crate::secrets::CUT;
use crate::sniff::{sniff, Body};
use crate::source::{names, Source};
use crate::sse::{Event, Sse};
use crate::text::{self, decimal, has, trim};
use crate::verdict::{has_any, is_overflow_text};
use crate::write::escaped;
use std::borrow::Cow;

/// Longest body text that goes into a message.
const SHOWN: usize = 4000;
/// Longest piece of something unreadable that goes into a message.
const GLIMPSE: usize = 200;

/// Why a response failed.
#[derive(Default)]
pub(crate) struct Failure {
    /// One of the codes of `AgentError.code`.
    pub code: &'static str,
    /// For people, and for the verdicts, which read the provider's words in it.
    pub message: String,
}

impl Failure {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Something arrived that is not what the protocol says. `glimpse` shows its beginning.
    pub fn protocol(what: &str, glimpse: &str) -> Self {
        Self::new("protocol", [what, cut(trim(glimpse), GLIMPSE).as_str()].concat())
    }

    /// An HTTP status that is no success, in the words of its body.
    pub fn of_status(status: u16, body: &str) -> Self {
        let number = decimal(status.into());
        let said = said_in_body(body);
        let words = if said.is_empty() { [" status code (no body)", ""] } else { [": ", &said] };
        let message = [&number, words[0], words[1]].concat();
        Self { code: code_of_status(status, &message), message }
    }

    /// The provider's own words, whose kind only they tell.
    pub fn in_words(message: String) -> Self {
        Self::new(code_of_status(0, &message), message)
    }

    /// An error inside a stream: the error itself, or an object that has one.
    fn in_band(source: &Source<'_>) -> Self {
        let inner = source.member("error");
        let error = inner.or(source);
        let [code, kind, status, metadata, ..] = &error.pick(names!["code", "type", "status_code", "metadata"]);
        let mut message = member_text(error).unwrap_or_else(|| shown(error));
        // The kind of error is what tells a transient one; it may stand beside the message only.
        let kind = if word(code).is_empty() { word(kind) } else { word(code) };
        if !kind.is_empty() && !has(&message, &kind) {
            message = [&kind, ": ", message.as_str()].concat();
        }
        append_upstream(&mut message, metadata);
        let status = code.or(status).count();
        let status = if (400.0..600.0).contains(&status) { status as u16 } else { 0 };
        Self::new(code_of_status(status, &message), message)
    }

    /// An error inside a stream, given as text of any form.
    pub fn in_band_text(text: &str) -> Self {
        let source = Source::whole(text);
        if source.is_absent() {
            return Self::new(code_of_status(0, text), cut(trim(text), SHOWN));
        }
        Self::in_band(&source)
    }

    /// A good status whose body is no event stream.
    pub fn not_a_stream(status: u16, content_type: &str, body: &str) -> Self {
        let source = first(Source::whole(body));
        if !source.member("error").is_absent() {
            return Self::in_band(&source);
        }
        if let Some(message) = member_text(&source) {
            return Self::in_words(message);
        }
        let kind = if content_type.is_empty() { "no content type" } else { content_type };
        let head = ["Expected an event stream, but HTTP ", &decimal(status.into()), " brought ", kind, ": "].concat();
        Self::protocol(&head, body)
    }
}

/// The error of an HTTP body: the JSON of its `error`, else the whole JSON, else the text; of an event stream, the same
/// for the data of its first event. Empty when nothing was said.
fn said_in_body(body: &str) -> String {
    let text = first_event(body).unwrap_or_else(|| trim(body).to_owned());
    let value = first(Source::whole(&text));
    if value.is_absent() {
        return cut(&text, SHOWN);
    }
    let error = value.member("error");
    let error = error.or(&value);
    let whole = shown(error);
    if whole == "{}" {
        return String::new();
    }
    let mut said = cut(&whole, SHOWN);
    append_upstream(&mut said, &error.member("metadata"));
    said
}

/// A string as what it says, anything else as JSON without white space.
fn shown(source: &Source<'_>) -> String {
    match parse(source.span).unwrap_or_default() {
        Value::String(text) => text,
        other => to_text(&other),
    }
}

/// Some gateways wrap an error in a list.
fn first(source: Source<'_>) -> Source<'_> {
    source.items().next().unwrap_or(source)
}

/// Data of the first event, if the body is an event stream.
fn first_event(body: &str) -> Option<String> {
    if sniff(body.as_bytes()) != Some(Body::EventStream) {
        return None;
    }
    let (mut sse, mut found) = (Sse::default(), None);
    let mut sink = |event: Event<'_>| {
        found.get_or_insert_with(|| event.data.to_owned());
    };
    // The line ends are for an event that was not completed.
    for piece in [body, "\n\n"] {
        sse.push(piece.as_bytes(), &mut sink).ok()?;
    }
    found
}

/// What OpenRouter's upstream said, unless it is in the text already.
fn append_upstream(message: &mut String, metadata: &Source<'_>) {
    let raw = metadata.member("raw");
    let raw = word(&raw);
    if !raw.is_empty() && !has(message, &raw) && !has(message, &escaped(&raw)) {
        message.push('\n');
        message.push_str(&cut(&raw, SHOWN));
    }
}

/// The message of an error object.
fn member_text(error: &Source<'_>) -> Option<String> {
    let [message, detail, error, ..] = &error.pick(names!["message", "detail", "error"]);
    let text = message.only(b'"').or(detail.only(b'"')).or(error.only(b'"'));
    (!text.is_absent()).then(|| text.string().into_owned())
}

/// A string, or a number as written.
fn word<'a>(source: &Source<'a>) -> Cow<'a, str> {
    match source.number() {
        Some(_) => source.span.into(),
        None => source.string(),
    }
}

/// The code for a status, 0 where there is none, and for what was said.
fn code_of_status(status: u16, message: &str) -> &'static str {
    match status {
        429 => "rate_limited",
        529 => "overloaded",
        413 => "context_overflow",
        401 | 403 => "auth",
        _ => match code_of_text(message) {
            "" if (400..500).contains(&status) && status != 408 && status != 409 => "invalid_request",
            "" => "http",
            code => code,
        },
    }
}

/// The code for what was said, empty where it does not tell.
fn code_of_text(text: &str) -> &'static str {
    if is_overflow_text(text, "") {
        return "context_overflow";
    }
    let text = text.to_ascii_lowercase();
    if has_any(&text, "rate limit\nrate_limit\nrate-limit\ntoo many requests") {
        return "rate_limited";
    }
    if has_any(&text, "overloaded\nserver_busy\nat capacity") {
        return "overloaded";
    }
    ""
}

/// The text, or its beginning and how much is missing. Counts characters.
fn cut(text: &str, most: usize) -> String {
    let (shown, rest) = text::first(text, most);
    if rest.is_empty() {
        return text.to_owned();
    }
    [shown, CUT, &decimal(text::length(rest) as u64), " chars]"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_told_in_the_words_of_its_body() {
        for (status, body, code, message) in [
            (400, r#"{"error":{"message":"bad tool"}}"#, "invalid_request", r#"400: {"message":"bad tool"}"#),
            (401, r#"{"error":"no key"}"#, "auth", "401: no key"),
            (400, r#"[{"error":{"message":"bad field"}}]"#, "invalid_request", r#"400: {"message":"bad field"}"#),
            (422, r#"{"detail":"wrong"}"#, "invalid_request", r#"422: {"detail":"wrong"}"#),
            (
                429,
                "event: error\ndata: {\"error\":{\"message\":\"slow down\"}}\n\n",
                "rate_limited",
                r#"429: {"message":"slow down"}"#,
            ),
            (400, " ", "invalid_request", "400 status code (no body)"),
            (502, "<html>Bad gateway</html>", "http", "502: <html>Bad gateway</html>"),
            (
                400,
                r#"{"error":{"message":"prompt is too long"}}"#,
                "context_overflow",
                r#"400: {"message":"prompt is too long"}"#,
            ),
            (408, "", "http", "408 status code (no body)"),
            (409, "try again", "http", "409: try again"),
            (
                502,
                r#"{"error":{"message":"x","metadata":{"raw":"y"}}}"#,
                "http",
                r#"502: {"message":"x","metadata":{"raw":"y"}}"#,
            ),
            (
                502,
                r#"{"error":{"message":"x","metadata":{"raw":"say \"y\""}}}"#,
                "http",
                r#"502: {"message":"x","metadata":{"raw":"say \"y\""}}"#,
            ),
        ] {
            let failure = Failure::of_status(status, body);
            assert_eq!((failure.code, failure.message.as_str()), (code, message), "{body}");
        }
    }

    #[test]
    fn an_error_in_the_stream_keeps_its_kind() {
        for (error, code, message) in [
            (r#"{"error":{"message":"failed","type":"server_error","code":null}}"#, "http", "server_error: failed"),
            (
                r#"{"error":{"message":"slow","code":"rate_limit_exceeded"}}"#,
                "rate_limited",
                "rate_limit_exceeded: slow",
            ),
            (
                r#"{"error":{"message":"rate_limit_exceeded: slow","code":"rate_limit_exceeded"}}"#,
                "rate_limited",
                "rate_limit_exceeded: slow",
            ),
            (r#"{"message":"up","code":502,"metadata":{"raw":"why"}}"#, "http", "502: up\nwhy"),
            (r#""plain""#, "http", "plain"),
            (r#"{"error":"text"}"#, "http", "text"),
            ("not json", "http", "not json"),
        ] {
            let failure = Failure::in_band_text(error);
            assert_eq!((failure.code, failure.message.as_str()), (code, message), "{error}");
        }
    }

    #[test]
    fn long_bodies_are_cut_between_characters() {
        let failure = Failure::of_status(500, &"é".repeat(5000));
        assert!(failure.message.ends_with("é... [truncated 1000 chars]"));
    }
}
