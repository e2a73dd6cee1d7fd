//! The tool calls of one answer.
//!
//! Parallel (the default): prepare in source order, run together, report ends in completion order, record results in
//! source order at the very end. Sequential: one call after the other, each with its result message at once. One tool
//! that asks for sequential makes the whole batch so.

use crate::agent_loop::announce;
use crate::event::Event;
use crate::host::{Finished, Host, Problem};
use crate::profile::Profile;
use crate::together::Together;
use crate::tool_call::{execute, prepare, Preparation};

/// A batch that is over.
pub(crate) struct Batch<H: Host> {
    /// Result messages in source order.
    pub messages: Vec<H::Message>,
    /// Every result asked to end the run.
    pub terminate: bool,
}

/// Run the calls of an answer; there is at least one. When the output limit cut the answer (`truncated`) all of them are
/// refused, one after the other: arguments that parse may still be incomplete.
pub(crate) async fn run<H: Host>(
    host: &H,
    context: &H::Context,
    message: &H::Message,
    calls: &[H::Call],
    truncated: bool,
) -> Result<Batch<H>, H::Failure> {
    let sequential = truncated || host.sequential()? || forces_sequence(host, context, calls)?;
    let mut finished: Vec<Option<Finished<H>>> = Vec::with_capacity(calls.len());
    let mut messages = Vec::with_capacity(calls.len());
    let mut interrupted = false;
    let mut running = Together::new();
    for call in calls {
        host.emit(Event::ToolStart(call)).await?;
        let preparation = if truncated {
            Preparation::Refused(host.error_result(Problem::Truncated(call), false)?)
        } else if interrupted {
            Preparation::Refused(host.error_result(Problem::Skipped, false)?)
        } else {
            prepare(host, context, message, call).await?
        };
        let index = finished.len();
        let runs = matches!(preparation, Preparation::Ready(..));
        let work = async move {
            let preparation = if runs && !sequential && host.aborted()? {
                Preparation::Refused(host.error_result(Problem::Aborted, false)?)
            } else {
                preparation
            };
            let done = execute(host, context, message, call, preparation).await?;
            let Finished { call, result, is_error, duration } = &done;
            host.emit(Event::ToolEnd { call, result, is_error: *is_error, duration }).await?;
            Ok((index, done))
        };
        if runs {
            finished.push(None);
            running.add(work);
        } else {
            finished.push(Some(work.await?.1));
        }
        let over = finished.len() == calls.len() || (!sequential && drops_the_rest(host)?);
        if sequential || over {
            while let Some(ended) = running.next().await {
                let (index, done) = ended?;
                if let Some(slot) = finished.get_mut(index) {
                    *slot = Some(done);
                }
            }
            while let Some(Some(done)) = finished.get(messages.len()) {
                let message = host.result_message(done)?;
                announce(host, &message).await?;
                messages.push(message);
            }
        }
        if sequential && !truncated {
            if drops_the_rest(host)? {
                break;
            }
            interrupted = interrupted || host.interrupted()?;
        } else if over {
            break;
        }
    }
    Ok(Batch { messages, terminate: !truncated && terminates(host, &finished)? })
}

/// A batch ends the run only when every one of its results says so.
fn terminates<H: Host>(host: &H, finished: &[Option<Finished<H>>]) -> Result<bool, H::Failure> {
    for done in finished.iter().flatten() {
        if !host.terminates(&done.result)? {
            return Ok(false);
        }
    }
    Ok(!finished.is_empty())
}

fn forces_sequence<H: Host>(host: &H, context: &H::Context, calls: &[H::Call]) -> Result<bool, H::Failure> {
    for call in calls {
        if let Some(tool) = host.find_tool(context, call)? {
            if host.tool_sequential(&tool)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The older rule: after an abort the remaining calls of a batch are not taken up.
fn drops_the_rest<H: Host>(host: &H) -> Result<bool, H::Failure> {
    Ok(!host.profile().has(Profile::RECORD_EVERY_ABORTED_CALL) && host.aborted()?)
}
