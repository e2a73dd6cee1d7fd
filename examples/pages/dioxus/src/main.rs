//! A chat in Dioxus: a model server of your choice, a tool that changes the page, steering and stopping.

use std::error::Error;
use std::rc::Rc;

use dioxus::prelude::*;
use steersman::agent::Agent;
use steersman::json::{parse, Value};
use steersman::model::Model;
use steersman::native::{tool_fn, AgentEvent, AgentMessage, ResponseEvent, Subscription, Tool, ToolOutput};

/// A tool: the model chooses the colour of the page.
fn paint(colour: Signal<String>) -> Result<impl Tool, Box<dyn Error>> {
    let parameters = parse(
        r##"{
            "type": "object",
            "properties": { "colour": { "type": "string", "pattern": "^#[0-9a-f]{6}$" } },
            "required": ["colour"]
        }"##,
    )?;
    Ok(tool_fn("paint", "Paints the page in a colour like #ffeecc", parameters, move |args, _| {
        let wanted = args.get("colour").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut colour = colour;
        colour.set(wanted.clone());
        async move { Ok(ToolOutput::text(format!("The page is {wanted} now."))) }
    }))
}

type Lines = Signal<Vec<(String, String)>>;

/// The agent, and what shows its events as long as it is kept.
fn agent(lines: Lines, live: Signal<String>, colour: Signal<String>) -> Result<(Agent, Subscription), Box<dyn Error>> {
    let agent = steersman::web::agent().tool(paint(colour)?).api_key("local").build()?;
    let subscription = agent.subscribe(move |event: &AgentEvent| {
        let (mut lines, mut live) = (lines, live);
        match event {
            AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { delta, .. }, .. } => {
                live.write().push_str(delta);
            }
            AgentEvent::MessageEnd { message } => {
                live.set(String::new());
                let (role, text) = (message.role().to_owned(), message.text());
                if role != "system" && !text.is_empty() {
                    lines.write().push((role, text));
                }
            }
            _ => {}
        }
    });
    Ok((agent, subscription))
}

#[component]
fn Chat() -> Element {
    let mut lines: Lines = use_signal(Vec::new);
    let live = use_signal(String::new);
    let mut running = use_signal(|| false);
    let mut server = use_signal(|| "http://localhost:8080/v1".to_owned());
    let mut typed = use_signal(String::new);
    let colour = use_signal(|| "#ffffff".to_owned());
    let made = use_hook(|| Rc::new(agent(lines, live, colour).map_err(|error| error.to_string())));
    let agent = match &*made {
        Ok((agent, _)) => agent.clone(),
        Err(error) => return rsx! { p { "{error}" } },
    };
    let stopped = agent.clone();

    let mut send = move || {
        let (agent, text) = (agent.clone(), typed.take());
        if agent.is_running() {
            // Enters the run after the current turn.
            return agent.steer(Rc::new(AgentMessage::user(text)));
        }
        agent.set_model(Model::openai_compatible(&server.peek(), "any"));
        running.set(true);
        spawn(async move {
            let misuse = agent.prompt(text).await.err().map(|error| error.to_string());
            if let Some(error) = agent.error_message().or(misuse) {
                lines.write().push(("error".to_owned(), error));
            }
            running.set(false);
        });
    };

    rsx! {
        main { background_color: "{colour}",
            label {
                "Server "
                input { id: "server", value: "{server}", oninput: move |event| server.set(event.value()) }
            }
            ol {
                for (role, text) in lines.iter().map(|line| line.clone()) {
                    li { b { "{role}" } ": {text}" }
                }
            }
            p { id: "live", "{live}" }
            form {
                onsubmit: move |event| {
                    event.prevent_default();
                    send();
                },
                input { id: "message", value: "{typed}", oninput: move |event| typed.set(event.value()) }
                button { id: "send", if running() { "Steer" } else { "Send" } }
                button { id: "stop", r#type: "button", disabled: !running(), onclick: move |_| stopped.abort(), "Stop" }
            }
        }
    }
}

fn main() {
    dioxus::launch(Chat);
}
