//! One tool call: refuse or prepare, execute, let the hook change the result.

use crate::host::{Before, CallFacts, Finished, Host, Problem};
use crate::profile::Profile;

/// A call after preparation.
pub(crate) enum Preparation<H: Host> {
    /// Its tool may run.
    Ready(H::Tool, H::Args),
    /// It has its result already.
    Refused(H::Output),
}

/// Check a call up to the point where its tool may run. Never fails because of the call: a refusal is a result.
pub(crate) async fn prepare<H: Host>(
    host: &H,
    context: &H::Context,
    message: &H::Message,
    call: &H::Call,
) -> Result<Preparation<H>, H::Failure> {
    let thrown;
    let mut terminates = false;
    let problem = 'refused: {
        let abort_first = host.profile().has(Profile::RECORD_EVERY_ABORTED_CALL);
        if abort_first && host.aborted()? {
            break 'refused Problem::Aborted;
        }
        let Some(tool) = host.find_tool(context, call)? else {
            break 'refused Problem::UnknownTool(call);
        };
        let args = match host.arguments(&tool, call).await {
            Ok(args) => args,
            Err(error) => {
                thrown = error;
                break 'refused Problem::Thrown(&thrown);
            }
        };
        let facts = CallFacts { context, message, call, args: &args };
        let before = match host.before_tool_call(&facts).await {
            Ok(before) => before,
            Err(error) => {
                thrown = error;
                break 'refused Problem::Thrown(&thrown);
            }
        };
        // An abort during the hook wins over what the hook said.
        if (!abort_first || !matches!(before, Before::Absent)) && host.aborted()? {
            break 'refused Problem::Aborted;
        }
        if let Before::Block { reason, terminate } = before {
            terminates = terminate;
            break 'refused Problem::Blocked(reason);
        }
        return Ok(Preparation::Ready(tool, args));
    };
    host.error_result(problem, terminates).map(Preparation::Refused)
}

/// Execute a prepared call and let `afterToolCall` change what came out. A refused one is finished as it is.
pub(crate) async fn execute<H: Host>(
    host: &H,
    context: &H::Context,
    message: &H::Message,
    call: &H::Call,
    preparation: Preparation<H>,
) -> Result<Finished<H>, H::Failure> {
    let (tool, args) = match preparation {
        Preparation::Ready(tool, args) => (tool, args),
        Preparation::Refused(result) => {
            return Ok(Finished { call: call.clone(), result, is_error: true, duration: H::Duration::default() });
        }
    };
    let executed = host.execute(&tool, call, &args).await?;
    let outcome = executed.outcome.and_then(|result| {
        let failed = host.profile().has(Profile::HONOUR_IS_ERROR) && host.reports_error(&result)?;
        Ok((result, failed))
    });
    let (mut result, mut is_error) = match outcome {
        Ok(done) => done,
        Err(thrown) => (host.error_result(Problem::Thrown(&thrown), false)?, true),
    };
    let facts = CallFacts { context, message, call, args: &args };
    match host.after_tool_call(&facts, &result, is_error).await {
        Ok(Some((changed, flag))) => (result, is_error) = (changed, flag),
        Ok(None) => {}
        Err(thrown) => (result, is_error) = (host.error_result(Problem::Thrown(&thrown), false)?, true),
    }
    Ok(Finished { call: call.clone(), result, is_error, duration: executed.duration })
}

/// One call from outside a batch (a tool that calls tools): same steps and hooks, no events, no messages.
///
/// # Errors
/// Only what the host itself failed with; tool failures are results.
pub async fn run_tool_call<H: Host>(
    host: &H,
    context: &H::Context,
    message: &H::Message,
    call: &H::Call,
) -> Result<Finished<H>, H::Failure> {
    let preparation = prepare(host, context, message, call).await?;
    execute(host, context, message, call, preparation).await
}
