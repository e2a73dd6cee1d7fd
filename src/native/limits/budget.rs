//! What a run has used of its turns, tool calls, tokens and money.

use super::price::spent_on;
use super::{digits, CallFailure, Limits};
use crate::error::{Error, ErrorKind};
use crate::native::message::AssistantMessage;
use crate::native::stream_fn::Request;
use crate::slot::Slot;

pub(crate) struct Budget {
    limits: Limits,
    requests: Slot<f64>,
    calls: Slot<f64>,
    tokens: Slot<f64>,
    cost: Slot<f64>,
}

impl Budget {
    pub fn new(limits: Limits) -> Self {
        let none = || Slot::new(0.0);
        Budget { limits, requests: none(), calls: none(), tokens: none(), cost: none() }
    }

    /// One more request.
    ///
    /// # Errors
    /// It would go beyond a limit. "Out of budget" also says that another try does not help.
    pub fn request(&self) -> Result<(), Error> {
        let Limits { max_turns, max_tool_calls, max_tokens, max_cost, .. } = self.limits;
        let over = |kind, used: f64, limit: f64, unit: &str, name: &str| {
            let of = [&digits(used), " of ", &digits(limit)].concat();
            Err(Error::new(kind, ["The run is out of budget: ", &of, unit, " (limits.", name, ")"].concat()))
        };
        let (requests, calls, tokens) = (self.requests.get(), self.calls.get(), self.tokens.get());
        // Without the noise that adding fractions leaves.
        let cost = (self.cost.get() * 1e12).round() / 1e12;
        if let Some(limit) = max_turns.map(f64::from).filter(|limit| requests >= *limit) {
            return over(ErrorKind::LimitTurns, requests, limit, " turns", "maxTurns");
        }
        if let Some(limit) = max_tool_calls.map(f64::from).filter(|limit| calls > *limit) {
            return over(ErrorKind::LimitToolCalls, calls, limit, " tool calls", "maxToolCalls");
        }
        if let Some(limit) = max_tokens.map(|limit| limit as f64).filter(|limit| tokens >= *limit) {
            return over(ErrorKind::LimitTokens, tokens, limit, " tokens", "maxTokens");
        }
        if let Some(limit) = max_cost.filter(|limit| cost >= *limit) {
            return over(ErrorKind::LimitCost, cost, limit, " dollars", "maxCost");
        }
        self.requests.replace(requests + 1.0);
        Ok(())
    }

    /// Whether it must know what a response has used.
    pub fn counts(&self) -> bool {
        self.limits.max_tokens.is_some() || self.limits.max_cost.is_some()
    }

    /// A response is over.
    pub fn count(&self, answer: &AssistantMessage, request: &Request) {
        let (tokens, cost) = spent_on(answer, request);
        self.tokens.replace(self.tokens.get() + tokens);
        self.cost.replace(self.cost.get() + cost);
    }

    /// One more tool call.
    ///
    /// # Errors
    /// It goes beyond the limit.
    pub fn call(&self) -> Result<(), CallFailure> {
        let Some(limit) = self.limits.max_tool_calls.map(f64::from) else { return Ok(()) };
        let calls = self.calls.get() + 1.0;
        self.calls.replace(calls);
        if calls <= limit {
            return Ok(());
        }
        let text = [
            "Not run: the tool calls of this run are used up, the limit is ",
            &digits(limit),
            " (limits.maxToolCalls)",
        ];
        Err(CallFailure::new(text.concat(), "code", ErrorKind::LimitToolCalls.code()))
    }
}
