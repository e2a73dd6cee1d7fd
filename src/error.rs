//! What went wrong: one list of kinds, the same words as the codes of the JavaScript API.

use std::fmt;

/// Kinds of failure; [`ErrorKind::code`] is the word that both APIs use.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The application stopped the run.
    Aborted,
    /// No answer came: DNS, CORS, offline, connection lost.
    Network,
    /// The provider answered with an error status that has no kind of its own.
    Http,
    /// The key is missing or refused.
    Auth,
    /// Too many requests.
    RateLimited,
    /// The provider is overloaded.
    Overloaded,
    /// The conversation is longer than the model's window.
    ContextOverflow,
    /// The model or a filter refused to answer.
    Refused,
    /// The answer broke the protocol.
    Protocol,
    /// The answer ended before its terminal marker.
    StreamTruncated,
    /// The answer fell silent for longer than a limit.
    StreamIdle,
    /// A tool took longer than a limit.
    ToolTimeout,
    /// The requests of the run are used up.
    LimitTurns,
    /// The tool calls of the run are used up.
    LimitToolCalls,
    /// The tokens of the run are used up.
    LimitTokens,
    /// The money of the run is used up.
    LimitCost,
    /// The request cannot be built from what was given.
    InvalidRequest,
    /// Not available here.
    Unsupported,
    /// Misuse: a run is in progress.
    Busy,
    /// Misuse: there is nothing to go on from.
    NothingToContinue,
    /// Code of the application failed: a hook, a listener, a tool.
    Application,
    /// A fault of this crate.
    Internal,
}

impl ErrorKind {
    /// The word for programs, as in the JavaScript API.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::Aborted => "aborted",
            ErrorKind::Network => "network",
            ErrorKind::Http => "http",
            ErrorKind::Auth => "auth",
            ErrorKind::RateLimited => "rate_limited",
            ErrorKind::Overloaded => "overloaded",
            ErrorKind::ContextOverflow => "context_overflow",
            ErrorKind::Refused => "refused",
            ErrorKind::Protocol => "protocol",
            ErrorKind::StreamTruncated => "stream_truncated",
            ErrorKind::StreamIdle => "stream_idle",
            ErrorKind::ToolTimeout => "tool_timeout",
            ErrorKind::LimitTurns => "limit_turns",
            ErrorKind::LimitToolCalls => "limit_tool_calls",
            ErrorKind::LimitTokens => "limit_tokens",
            ErrorKind::LimitCost => "limit_cost",
            ErrorKind::InvalidRequest | ErrorKind::NothingToContinue => "invalid_request",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Busy => "busy",
            ErrorKind::Application | ErrorKind::Internal => "internal",
        }
    }
}

/// A failure: its kind and a text for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What to tell the user or the model.
    pub message: String,
}

impl Error {
    /// A failure of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into() }
    }

    /// What a tool, hook or listener of the application fails with.
    pub fn application(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Application, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Error::application(message)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Error::application(message)
    }
}
