//! A page without a front end: asks a model server on this machine, with one tool, and writes into the console.
//! `cargo build --example page --features web --target wasm32-unknown-unknown`, then `wasm-bindgen --target web`.

use std::error::Error;

use steersman::json::parse;
use steersman::model::Model;
use steersman::native::{tool_fn, AgentEvent, Limits, ResponseEvent, ToolOutput};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn log(text: &str);
}

async fn ask(question: &str) -> Result<(), Box<dyn Error>> {
    let clock = tool_fn("clock", "Tells the local time", parse(r#"{ "type": "object" }"#)?, |_, _| async {
        Ok(ToolOutput::text(String::from(js_sys::Date::new_0().to_string())))
    });
    let agent = steersman::web::agent()
        .model(Model::openai_compatible("http://localhost:8080/v1", "any"))
        .api_key("local")
        .tool(clock)
        .limits(Limits { idle_ms: Some(60_000), max_turns: Some(20), ..Limits::default() })
        .build()?;
    let _shown = agent.subscribe(|event: &AgentEvent| {
        if let AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { delta, .. }, .. } = event {
            log(delta);
        }
    });
    agent.prompt(question).await?;
    // A run that fails resolves like any other.
    agent.error_message().map_or(Ok(()), |error| Err(error.into()))
}

fn main() {
    spawn_local(async {
        if let Err(error) = ask("What time is it?").await {
            log(&error.to_string());
        }
    });
}
