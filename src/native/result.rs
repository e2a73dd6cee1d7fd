//! Results of tool calls: the engine's own error texts, what an after hook changes, the message in the transcript.

use std::rc::Rc;

use steersman_wire::json::Object;

use super::hooks::AfterToolCall;
use super::host::Native;
use super::message::ToolResultMessage;
use super::tool::ToolOutput;
use crate::host::{Finished, Problem};
use crate::profile::Profile;

/// What the model reads of a call that steering skipped.
const SKIPPED: &str = "Tool call skipped: the user sent a message before it ran.";

/// What the model reads of a call that failed or was refused.
pub(super) fn problem_text(problem: &Problem<'_, Native>) -> String {
    match problem {
        Problem::Aborted => "Operation aborted".to_owned(),
        Problem::UnknownTool(call) => ["Tool ", &call.name, " not found"].concat(),
        Problem::Truncated(call) => [
            "Tool call \"",
            &call.name,
            "\" was not executed: the response hit the output token limit, so its arguments may be truncated. \
             Re-issue the tool call with complete arguments.",
        ]
        .concat(),
        Problem::Skipped => SKIPPED.to_owned(),
        Problem::Blocked(reason) => match reason {
            Some(reason) if !reason.is_empty() => reason.clone(),
            _ => "Tool execution was blocked".to_owned(),
        },
        Problem::Thrown(failure) => failure.message.clone(),
    }
}

/// The result and its error flag after `afterToolCall`.
pub(super) fn merged(
    result: &ToolOutput,
    is_error: bool,
    said: AfterToolCall,
    profile: Profile,
) -> (Rc<ToolOutput>, bool) {
    let AfterToolCall { content, details, structured_content, is_error: flag, usage, terminate } = said;
    let before = result.clone();
    let structured_content = if profile.has(Profile::DROP_STALE_STRUCTURED_CONTENT) {
        // What was not replaced together with the content may no longer say the same.
        structured_content.or_else(|| before.structured_content.filter(|_| content.is_none()))
    } else {
        before.structured_content
    };
    let changed = ToolOutput {
        content: content.unwrap_or(before.content),
        details: details.or(before.details),
        structured_content,
        is_error: before.is_error,
        terminate: terminate.unwrap_or(before.terminate),
        usage: usage.or(before.usage),
        extra: before.extra,
    };
    (Rc::new(changed), flag.unwrap_or(is_error))
}

/// The transcript message of a finished call.
pub(super) fn message(done: &Finished<Native>, now: f64, profile: Profile) -> ToolResultMessage {
    const ADDED: &str = "addedToolNames";
    let mut extra = Object::new();
    if let Some(names) = done.result.extra.get(ADDED).filter(|_| profile.has(Profile::ADDED_TOOL_NAMES)) {
        if names.as_array().is_some_and(|names| !names.is_empty()) {
            extra.insert(ADDED, names.clone());
        }
    }
    ToolResultMessage {
        tool_call_id: done.call.id.clone(),
        tool_name: done.call.name.clone(),
        content: done.result.content.clone(),
        details: done.result.details.clone(),
        usage: done.result.usage,
        is_error: done.is_error,
        duration_ms: done.duration,
        timestamp: now,
        extra,
    }
}
