//! An agent with one tool, in plain Rust and without a network: `cargo run --example weather`.
//!
//! The model is scripted here. With a server, `Wires::new(transport)` takes its place, and a `Transport` that sends HTTP
//! requests is all that is missing.
#![allow(clippy::disallowed_macros, clippy::print_stdout)] // an example may print

use std::error::Error;

use futures::executor::block_on;
use futures::future::LocalBoxFuture;
use steersman::agent::Agent;
use steersman::json::{parse, Value};
use steersman::model::Model;
use steersman::native::{
    tool_fn, AgentEvent, AgentMessage, AssistantMessage, Request, ResponseEvent, ResponseSink, StopReason, StreamFn,
    Tool, ToolOutput,
};

/// A tool: what the model is told about it, and an async function. Arguments arrive checked against the schema, with
/// the conversions models need (`"3"` is the integer 3). What the function fails with, the model gets to read.
fn weather() -> Result<impl Tool, Box<dyn Error>> {
    let parameters = parse(
        r#"{
            "type": "object",
            "properties": { "city": { "type": "string" }, "days": { "type": "integer", "minimum": 1 } },
            "required": ["city"]
        }"#,
    )?;
    Ok(tool_fn("weather", "Forecast for a city", parameters, |args, call| async move {
        call.update(ToolOutput::text("asking the station"));
        let city = args.get("city").and_then(Value::as_str).unwrap_or_default();
        let days = args.get("days").and_then(Value::as_f64).unwrap_or(1.0);
        Ok(ToolOutput::text(format!("{city}: sunny for {days} days")))
    }))
}

/// A model that wants the weather first and talks about it then.
struct Scripted;

impl StreamFn for Scripted {
    fn stream<'a>(&'a self, request: Request, answer: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        Box::pin(async move {
            let result = match request.messages.last().map(|message| &**message) {
                Some(result @ AgentMessage::ToolResult(_)) => Some(result.text()),
                _ => None,
            };
            // A failure of a listener ends the run; what this function says then is not heard.
            let said = match &result {
                None => ask(answer).await,
                Some(result) => tell(answer, result).await,
            };
            let stop_reason = match (said, result) {
                (Err(_), _) => StopReason::Error,
                (Ok(()), None) => StopReason::ToolUse,
                (Ok(()), Some(_)) => StopReason::Stop,
            };
            AssistantMessage { stop_reason, ..answer.partial() }
        })
    }
}

async fn ask(answer: &ResponseSink) -> Result<(), steersman::error::Error> {
    answer.push(ResponseEvent::Start).await?;
    answer.push(ResponseEvent::ToolCallStart { index: 0, id: "call_1".into(), name: "weather".into() }).await?;
    // Models send arguments piece by piece, and numbers as text now and then.
    for delta in [r#"{"city": "Bo"#, r#"nn", "days": "3"}"#] {
        answer.push(ResponseEvent::ToolCallDelta { index: 0, delta: delta.into() }).await?;
    }
    answer.push(ResponseEvent::ToolCallEnd { index: 0 }).await
}

async fn tell(answer: &ResponseSink, result: &str) -> Result<(), steersman::error::Error> {
    answer.push(ResponseEvent::Start).await?;
    answer.push(ResponseEvent::TextStart { index: 0 }).await?;
    for word in ["The station says: ", result, "."] {
        answer.push(ResponseEvent::TextDelta { index: 0, delta: word.into() }).await?;
    }
    answer.push(ResponseEvent::TextEnd { index: 0 }).await
}

fn main() -> Result<(), Box<dyn Error>> {
    let agent = Agent::builder()
        .system_prompt("Be brief.")
        .model(Model::openai_compatible("http://localhost:8080/v1", "scripted"))
        .stream_fn(Scripted)
        .tool(weather()?)
        .build()?;

    // The run waits for its listeners, so what they show is never behind. Dropping the subscription ends it.
    let _subscription = agent.subscribe(|event: &AgentEvent| match event {
        AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { delta, .. }, .. } => println!("  ... {delta}"),
        AgentEvent::ToolExecutionStart { call } => println!("calls {}", call.name),
        AgentEvent::ToolExecutionUpdate { partial, .. } => println!("  {}", partial.to_json()),
        AgentEvent::ToolExecutionEnd { output, .. } => println!("gets {}", output.to_json()),
        other => println!("{}", other.name()),
    });

    // Nothing is spawned: the run goes on while this future is polled, by whatever executor the application has.
    block_on(agent.prompt("What will the weather in Bonn be like?"))?;

    // A run that fails resolves like any other; the failure is in the transcript and here.
    if let Some(error) = agent.error_message() {
        return Err(error.into());
    }
    for message in agent.messages() {
        println!("{}: {}", message.role(), message.text());
    }
    Ok(())
}
