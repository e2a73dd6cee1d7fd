//! One run, from `agent_start` to `agent_end`: the double loop.
//!
//! The order of a turn: \[`prepareNextTurn`, second steering poll\] `turn_start`, pending messages, `prepareRequest`,
//! the request, tools, `finishTurn`, `turn_end`, `shouldStopAfterTurn`, steering poll. When nothing is left: follow-up
//! poll. An abort never ends a run by itself: the loop goes on to the next request, whose stream answers `aborted`.
//!
//! Dropping the future drops everything the run waits for.

use crate::event::Event;
use crate::host::{Decision, Host, Outcome, Turn};
use crate::profile::Profile;
use crate::schedule::{after_follow_ups, after_turn, poll_again, FollowUpFacts, Next, TurnFacts};
use crate::{respond, tool_batch};

/// Run with new prompts. Returns the messages that the run added, prompts included: one live list, seen by hooks and
/// by `agent_end` too.
///
/// # Errors
/// Whatever user code threw in a place where the contract says that it must not; events already emitted stay.
pub async fn run<H: Host>(host: &H, prompts: &H::List, context: &H::Context) -> Result<H::List, H::Failure> {
    start(host, Some(prompts), context).await
}

/// Go on from the context as it is: its last message is a user message or a tool result (the shell checks that).
/// Messages of the run are appended to the caller's own list.
///
/// # Errors
/// As [`run`].
pub async fn run_continue<H: Host>(host: &H, context: &H::Context) -> Result<H::List, H::Failure> {
    start(host, None, context).await
}

/// [`run`], or [`run_continue`] without prompts.
pub(crate) async fn start<H: Host>(
    host: &H,
    prompts: Option<&H::List>,
    context: &H::Context,
) -> Result<H::List, H::Failure> {
    let initial = match prompts {
        Some(prompts) => host.declared(context, None, prompts)?,
        None => host.list(),
    };
    let added = host.list();
    let context = match prompts {
        Some(_) => host.extended(context, &initial)?,
        None => host.shared(context)?,
    };
    for index in 0..host.len(&initial)? {
        host.push(&added, &host.item(&initial, index)?)?;
    }
    host.emit(Event::AgentStart).await?;
    host.emit(Event::TurnStart).await?;
    for index in 0..host.len(&initial)? {
        announce(host, &host.item(&initial, index)?).await?;
    }
    host.choose_stream_fn()?;
    turns(host, context, &added).await?;
    Ok(added)
}

/// `message_start` and `message_end` of a message that does not stream.
pub(crate) async fn announce<H: Host>(host: &H, message: &H::Message) -> Result<(), H::Failure> {
    host.emit(Event::MessageStart(message)).await?;
    host.emit(Event::MessageEnd(message)).await
}

async fn turns<H: Host>(host: &H, mut context: H::Context, added: &H::List) -> Result<(), H::Failure> {
    let mut last: Option<Turn<H>> = None;
    let mut pending = host.list();
    loop {
        let mut prepared = None;
        if let Some(turn) = &last {
            let update = host.prepare_next_turn(turn).await?;
            if let Some(replacement) = update.context {
                context = replacement;
            }
            prepared = update.messages;
        }
        if poll_again(host.len(&pending)? > 0) {
            pending = host.steering().await?;
        }
        if last.is_some() {
            host.emit(Event::TurnStart).await?;
        }
        let entering = host.declared(&context, prepared.as_ref(), &pending)?;
        for index in 0..host.len(&entering)? {
            let message = host.item(&entering, index)?;
            announce(host, &message).await?;
            host.append(&context, &message)?;
            host.push(added, &message)?;
        }
        if host.profile().has(Profile::PREPARE_REQUEST) {
            if let Some(replacement) = host.prepare_request(&context).await? {
                context = replacement;
            }
        }
        let Some(Asked { continue_asked, results_to_report }) = one_turn(host, &context, added, &mut last).await?
        else {
            break;
        };
        pending = host.steering().await?;
        let steering = host.len(&pending)? > 0;
        if after_turn(TurnFacts { results_to_report, steering }) == Next::Turn {
            continue;
        }
        pending = host.follow_ups().await?;
        let follow_ups = host.len(&pending)? > 0;
        if after_follow_ups(FollowUpFacts { follow_ups, continue_asked }) == Next::End {
            break;
        }
    }
    host.emit(Event::AgentEnd { messages: added }).await
}

/// What a turn asks for.
struct Asked {
    continue_asked: bool,
    results_to_report: bool,
}

/// One request, its tools, and the end of the turn, which becomes the `last`. Nothing is asked for when the run is over: a
/// failed answer, or a hook said so.
async fn one_turn<H: Host>(
    host: &H,
    context: &H::Context,
    added: &H::List,
    last: &mut Option<Turn<H>>,
) -> Result<Option<Asked>, H::Failure> {
    let finishes = host.profile().has(Profile::FINISH_TURN);
    let message = respond::respond(host, context).await?;
    host.push(added, &message)?;
    let outcome = host.outcome(&message)?;
    let failed = outcome == Outcome::Failed;
    let turn = Turn { message, results: host.list(), context: context.clone(), new_messages: added.clone() };
    let turn = &*last.insert(turn);
    let calls = if failed { Vec::new() } else { host.tool_calls(&turn.message)? };
    let mut results_to_report = false;
    if !calls.is_empty() {
        let batch = tool_batch::run(host, context, &turn.message, &calls, outcome == Outcome::Truncated).await?;
        results_to_report = !batch.terminate;
        for result in &batch.messages {
            host.push(&turn.results, result)?;
            host.append(context, result)?;
            host.push(added, result)?;
        }
    }
    let decision = if finishes { host.finish_turn(turn).await? } else { Decision::Normal };
    host.emit(Event::TurnEnd { message: &turn.message, results: &turn.results }).await?;
    let over = failed || decision == Decision::End || host.should_stop(turn).await?;
    Ok((!over).then_some(Asked { continue_asked: decision == Decision::Continue, results_to_report }))
}
