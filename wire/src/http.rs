//! HTTP as data: what a host has to send.

use crate::text::{around, before};
use crate::verdict::has_any;
use std::fmt;

/// A request, ready to be sent as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `POST`.
    pub method: &'static str,
    /// Absolute.
    pub url: String,
    /// Names in lower case, each once.
    pub headers: Vec<(String, String)>,
    /// JSON in UTF-8.
    pub body: Vec<u8>,
    /// What the response to this request needs to know, for [`Response::new`](crate::Response::new).
    pub reply: String,
}

/// Why no request could be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireError {
    /// `invalid_request` or `unsupported`.
    pub code: &'static str,
    /// For people; names the place.
    pub message: String,
}

impl WireError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { code: "invalid_request", message: message.into() }
    }

    /// No wire is for this API.
    pub(crate) fn no_wire(api: &str) -> Self {
        let known = "openai-completions, openai-responses, anthropic-messages, google-generative-ai, \
            mistral-conversations and pi-messages";
        Self::unsupported(["No built-in wire speaks api \"", api, "\"; there are ", known, "."].concat())
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self { code: "unsupported", message: message.into() }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WireError {}

/// An address without the slashes at its end.
pub(crate) fn base_of(url: &str) -> &str {
    let mut base = url;
    while let Some(shorter) = base.strip_suffix('/') {
        base = shorter;
    }
    base
}

/// Headers being put together; a later value replaces an earlier one of the same name.
#[derive(Default)]
pub(crate) struct Headers(Vec<(String, String)>);

impl Headers {
    pub fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.0.push((name.to_ascii_lowercase(), value.to_owned()));
    }

    pub fn remove(&mut self, name: &str) {
        if let Some(at) = self.0.iter().position(|header| header.0.eq_ignore_ascii_case(name)) {
            self.0.remove(at);
        }
    }

    pub fn into_list(self) -> Vec<(String, String)> {
        self.0
    }

    /// What must not be repeated in an error text: the words in headers that carry a credential, and what such a word
    /// gives a name to. The longer ones come first.
    pub fn secrets(&self) -> Vec<&str> {
        const MARKS: &str = "auth\nkey\ntoken\nsecret\ncookie\nsession\npassword";
        let mut secrets = Vec::new();
        for (name, value) in &self.0 {
            if !has_any(name, MARKS) {
                continue;
            }
            let mut rest = value.as_str();
            while !rest.is_empty() {
                let (word, after) = before(rest, b" ;,");
                for secret in [word, around(word, b'=', false).unwrap_or_default().1] {
                    // Anything shorter is no credential, and hiding it would garble ordinary words.
                    if secret.len() >= 8 {
                        secrets.push(secret);
                    }
                }
                rest = after.get(1..).unwrap_or_default();
            }
        }
        secrets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_null_removes() {
        let mut headers = Headers::default();
        headers.set("Authorization", "Bearer sk-0123456789");
        headers.set("X-Extra", "1");
        headers.set("x-EXTRA", "2");
        headers.remove("AUTHORIZATION");
        assert_eq!(headers.into_list(), [("x-extra".to_owned(), "2".to_owned())]);
    }

    #[test]
    fn only_credentials_are_secrets() {
        let mut headers = Headers::default();
        headers.set("authorization", "Bearer sk-0123456789");
        headers.set("x-api-key", "abc");
        headers.set("content-type", "application/json");
        headers.set("cookie", "theme=dark; session=c29tZXRoaW5n");
        let cookies = ["theme=dark", "session=c29tZXRoaW5n", "c29tZXRoaW5n"];
        assert_eq!(headers.secrets(), [["sk-0123456789"].as_slice(), cookies.as_slice()].concat());
    }
}
