//! How far a run may go: [`Limits`], and what holds a run to them.
//!
//! | file | what it holds |
//! |---|---|
//! | `budget` | turns, tool calls, tokens and money of a run |
//! | `price` | what a response has used |
//! | `silence` | how long a response says nothing |
//! | `slots` | how many tools run at the same time |
//! | `within` | the time of a tool, and what it has left after an abort |

mod budget;
mod price;
mod silence;
mod slots;
mod within;

pub(crate) use budget::Budget;
pub(crate) use silence::Silence;
pub(crate) use slots::{Place, Slots};
pub(crate) use within::{within, Bound, Cut};

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::context::Config;
use super::message::{AssistantMessage, Content, StopReason};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use steersman_wire::json::{number, Object, Value};

/// How far a run may go. A limit that is missing limits nothing; whole numbers of milliseconds.
///
/// A run that a limit ends has its normal closing events and an answer with
/// [`StopReason::Error`] whose text has the number and the limit, under its JavaScript name.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Limits {
    /// Longest silence of a response: from the request to the first step, and between two steps that carry something.
    /// The time that listeners take does not count. The request is dropped, what has arrived is kept, and the run ends
    /// with the code `stream_idle`. Needs a timer and a clock.
    pub idle_ms: Option<u32>,
    /// Longest time of one tool call, from its start. The abort that the tool got is aborted, its future is dropped, and
    /// the call gets an error result (`code` in its details is `tool_timeout`); the run goes on. Needs a timer.
    pub tool_ms: Option<u32>,
    /// Most requests of a run. Before one more it ends with the code `limit_turns`.
    pub max_turns: Option<u32>,
    /// Most tool calls of a run, counted when a call is valid and not blocked. Further calls get an error result, and the
    /// run ends before its next request with the code `limit_tool_calls`.
    pub max_tool_calls: Option<u32>,
    /// Most tokens of a run, input and output of all requests together. When they are used up, the run ends before its
    /// next request with the code `limit_tokens`. A response that does not report its usage is estimated: one token for
    /// every four characters of the JSON of request and response, 1200 for an image.
    pub max_tokens: Option<u64>,
    /// Most US dollars of a run. When they are used up, the run ends before its next request with the code `limit_cost`.
    /// What is not reported follows from the tokens and the prices of the model.
    pub max_cost: Option<f64>,
}

/// Waits some milliseconds.
pub(crate) type Timer = Rc<dyn Fn(f64) -> LocalBoxFuture<'static, ()>>;

/// What bounds a run.
#[derive(Clone, Default)]
pub(crate) struct Bounds {
    pub limits: Limits,
    pub tool_abort_grace_ms: Option<u32>,
    pub tool_concurrency: Option<usize>,
    pub timer: Option<Timer>,
    /// Whether the application gave one.
    pub clock: bool,
}

impl Bounds {
    /// # Errors
    /// Misuse, by the name of the limit: a number that makes no sense, a time that nobody measures.
    pub fn check(&self) -> Result<(), Error> {
        let Limits { idle_ms, tool_ms, max_cost, .. } = self.limits;
        let (timer, grace) = (self.timer.is_some(), self.tool_abort_grace_ms);
        let times = [("limits.idleMs", idle_ms), ("limits.toolMs", tool_ms)];
        let zero = times.iter().find(|(_, ms)| *ms == Some(0));
        let grace = ("toolAbortGraceMs", grace.filter(|ms| *ms > 0));
        let untimed = times.into_iter().chain([grace]).find(|(_, ms)| ms.is_some() && !timer);
        let text = if let Some((name, _)) = zero {
            [name, " must be a number of milliseconds above 0, not 0"].concat()
        } else if let Some((name, _)) = untimed {
            [name, " needs a timer: AgentBuilder::timer"].concat()
        } else if idle_ms.is_some() && !self.clock {
            "limits.idleMs needs a clock: AgentBuilder::clock".to_owned()
        } else if max_cost.is_some_and(f64::is_nan) {
            "limits.maxCost must be a number, not NaN".to_owned()
        } else if self.tool_concurrency == Some(0) {
            "toolConcurrency must be a number of at least 1, not 0".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::InvalidRequest, text))
    }

    /// How long a tool may take.
    pub fn tool_time(&self) -> Bound {
        Bound { timer: self.timer.clone(), ms: self.limits.tool_ms, grace_ms: self.tool_abort_grace_ms }
    }
}

/// What one run has used.
pub(crate) struct Limiter {
    pub budget: Budget,
    pub slots: Option<Rc<Slots>>,
}

impl Limiter {
    pub fn new(config: &Config) -> Rc<Self> {
        let bounds = &config.bounds;
        Rc::new(Limiter { budget: Budget::new(bounds.limits), slots: bounds.tool_concurrency.map(Slots::new) })
    }
}

/// Why a call has no result of its tool; becomes the error result.
pub(crate) struct CallFailure {
    pub message: String,
    /// For programs; `details` of the result.
    pub details: Object,
}

impl CallFailure {
    /// With a word for programs in the details.
    pub fn new(message: String, name: &str, word: &str) -> Self {
        CallFailure { message, details: [(name, word)].into_iter().collect() }
    }

    /// In the words of every aborted call.
    pub fn aborted() -> Self {
        Error::new(ErrorKind::Aborted, "Operation aborted").into()
    }
}

impl From<Error> for CallFailure {
    fn from(error: Error) -> Self {
        CallFailure { message: error.message, details: Object::new() }
    }
}

/// The answer to a request that failed before anything of it came.
pub(super) fn failure_message(model: &Model, error: &Error, now: f64) -> AssistantMessage {
    let mut message = AssistantMessage {
        content: vec![Content::text("")],
        api: model.text("api").into(),
        provider: model.text("provider").into(),
        model: model.text("id").into(),
        timestamp: now,
        ..AssistantMessage::default()
    };
    fail(&mut message, error, now);
    message
}

/// Ends an answer with a failure. The diagnostics it has stay behind the one for this.
pub(super) fn fail(message: &mut AssistantMessage, error: &Error, now: f64) {
    let code = error.kind.code();
    message.stop_reason = if error.kind == ErrorKind::Aborted { StopReason::Aborted } else { StopReason::Error };
    message.error_message = Some(error.message.clone());
    let said: Object = [("message", error.message.as_str()), ("code", code)].into_iter().collect();
    let mut diagnostic: Object = [("type", "error"), ("code", code)].into_iter().collect();
    diagnostic.insert("timestamp", now);
    diagnostic.insert("error", said);
    let mut diagnostics = vec![Value::Object(diagnostic)];
    if let Some(Value::Array(before)) = message.extra.get("diagnostics") {
        diagnostics.extend(before.iter().cloned());
    }
    message.extra.insert("diagnostics", diagnostics);
}

/// The answer that was left because it fell silent: what `came` of it, and what its stream function said at the `last`.
pub(super) fn cut_off(
    model: &Model,
    came: Option<AssistantMessage>,
    last: Option<AssistantMessage>,
    idle: &Error,
    now: f64,
) -> AssistantMessage {
    let last = last.map(|mut last| {
        // Not of a request that was aborted by the application.
        last.extra.remove("diagnostics");
        if let Some(came) = &came {
            last.content.clone_from(&came.content);
        }
        last
    });
    let Some(mut message) = last.or(came) else { return failure_message(model, idle, now) };
    fail(&mut message, idle, now);
    message
}

/// A number as JavaScript writes it.
fn digits(value: f64) -> String {
    let mut out = String::new();
    number::write_f64(&mut out, value);
    out
}
