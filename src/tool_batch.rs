//! The tool calls of one answer.
//!
//! Parallel (the default): prepare in source order, run together, report ends in completion order, record results in
//! source order at the very end. Sequential: one call after the other, each with its result message at once. One tool
//! that asks for sequential makes the whole batch so.

use futures::stream::{FuturesUnordered, StreamExt};

use crate::agent_loop::announce;
use crate::event::Event;
use crate::host::{Finished, Host, Problem};
use crate::profile::Profile;
use crate::tool_call::{execute, prepare, refused, Preparation};

/// A batch that is over.
pub(crate) struct Batch<H: Host> {
    /// Result messages in source order.
    pub messages: Vec<H::Message>,
    /// Every result asked to end the run.
    pub terminate: bool,
}

/// Run the calls of an answer.
pub(crate) async fn run<H: Host>(
    host: &H,
    context: &H::Context,
    message: &H::Message,
    calls: Vec<H::Call>,
) -> Result<Batch<H>, H::Thrown> {
    if host.sequential()? || forces_sequence(host, context, &calls)? {
        sequential(host, context, message, calls).await
    } else {
        parallel(host, context, message, calls).await
    }
}

/// Refuse every call of an answer that the output limit cut: arguments that parse may still be incomplete.
pub(crate) async fn refuse_truncated<H: Host>(host: &H, calls: Vec<H::Call>) -> Result<Batch<H>, H::Thrown> {
    let mut messages = Vec::with_capacity(calls.len());
    for call in &calls {
        host.emit(Event::ToolStart(call)).await?;
        let finished = refused(host, call, Problem::Truncated(call), false)?;
        report(host, &finished).await?;
        messages.push(record(host, &finished).await?);
    }
    Ok(Batch { messages, terminate: false })
}

async fn sequential<H: Host>(
    host: &H,
    context: &H::Context,
    message: &H::Message,
    calls: Vec<H::Call>,
) -> Result<Batch<H>, H::Thrown> {
    let mut finished = Vec::with_capacity(calls.len());
    let mut messages = Vec::with_capacity(calls.len());
    let mut interrupted = false;
    for call in &calls {
        host.emit(Event::ToolStart(call)).await?;
        let preparation = if interrupted {
            Preparation::Refused(refused(host, call, Problem::Skipped, false)?)
        } else {
            prepare(host, context, message, call).await?
        };
        let done = match preparation {
            Preparation::Refused(done) => done,
            Preparation::Ready(prepared) => execute(host, context, message, prepared).await?,
        };
        report(host, &done).await?;
        messages.push(record(host, &done).await?);
        finished.push(done);
        if drops_the_rest(host)? {
            break;
        }
        interrupted = interrupted || host.interrupted()?;
    }
    Ok(Batch { messages, terminate: terminates(host, &finished)? })
}

async fn parallel<H: Host>(
    host: &H,
    context: &H::Context,
    message: &H::Message,
    calls: Vec<H::Call>,
) -> Result<Batch<H>, H::Thrown> {
    let mut finished: Vec<Option<Finished<H>>> = Vec::with_capacity(calls.len());
    // Wakes in completion order, so tools that end in the same tick are reported in the order in which they ended.
    let mut running = FuturesUnordered::new();
    for call in &calls {
        host.emit(Event::ToolStart(call)).await?;
        let preparation = prepare(host, context, message, call).await?;
        let index = finished.len();
        match preparation {
            Preparation::Refused(done) => {
                report(host, &done).await?;
                finished.push(Some(done));
            }
            Preparation::Ready(prepared) => {
                finished.push(None);
                running.push(async move {
                    let done = if host.aborted()? {
                        refused(host, &prepared.call, Problem::Aborted, false)?
                    } else {
                        execute(host, context, message, prepared).await?
                    };
                    report(host, &done).await?;
                    Ok((index, done))
                });
            }
        }
        if drops_the_rest(host)? {
            break;
        }
    }
    while let Some(ended) = running.next().await {
        let (index, done) = ended?;
        if let Some(slot) = finished.get_mut(index) {
            *slot = Some(done);
        }
    }
    let finished: Vec<Finished<H>> = finished.into_iter().flatten().collect();
    let mut messages = Vec::with_capacity(finished.len());
    for done in &finished {
        messages.push(record(host, done).await?);
    }
    Ok(Batch { messages, terminate: terminates(host, &finished)? })
}

/// A batch ends the run only when every one of its results says so.
fn terminates<H: Host>(host: &H, finished: &[Finished<H>]) -> Result<bool, H::Thrown> {
    for done in finished {
        if !host.terminates(&done.result)? {
            return Ok(false);
        }
    }
    Ok(!finished.is_empty())
}

fn forces_sequence<H: Host>(host: &H, context: &H::Context, calls: &[H::Call]) -> Result<bool, H::Thrown> {
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
fn drops_the_rest<H: Host>(host: &H) -> Result<bool, H::Thrown> {
    Ok(!host.profile().has(Profile::RECORD_EVERY_ABORTED_CALL) && host.aborted()?)
}

async fn report<H: Host>(host: &H, done: &Finished<H>) -> Result<(), H::Thrown> {
    let Finished { call, result, is_error, duration_ms } = done;
    host.emit(Event::ToolEnd { call, result, is_error: *is_error, duration_ms: *duration_ms }).await
}

async fn record<H: Host>(host: &H, done: &Finished<H>) -> Result<H::Message, H::Thrown> {
    let message = host.result_message(done)?;
    announce(host, &message).await?;
    Ok(message)
}
