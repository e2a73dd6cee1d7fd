//! A chat in Leptos: a model server of your choice, a tool that changes the page, steering and stopping.

use std::error::Error;
use std::rc::Rc;

use leptos::mount::mount_to_body;
use leptos::prelude::*;
use leptos::task::spawn_local;
use steersman::agent::Agent;
use steersman::json::{parse, Value};
use steersman::model::Model;
use steersman::native::{tool_fn, AgentEvent, AgentMessage, ResponseEvent, Tool, ToolOutput};

/// A tool: the model chooses the colour of the page.
fn paint(colour: RwSignal<String>) -> Result<impl Tool, Box<dyn Error>> {
    let parameters = parse(
        r##"{
            "type": "object",
            "properties": { "colour": { "type": "string", "pattern": "^#[0-9a-f]{6}$" } },
            "required": ["colour"]
        }"##,
    )?;
    Ok(tool_fn("paint", "Paints the page in a colour like #ffeecc", parameters, move |args, _| {
        let wanted = args.get("colour").and_then(Value::as_str).unwrap_or_default().to_owned();
        colour.set(wanted.clone());
        async move { Ok(ToolOutput::text(format!("The page is {wanted} now."))) }
    }))
}

#[component]
fn Chat() -> impl IntoView {
    let lines = RwSignal::new(Vec::<(String, String)>::new());
    let live = RwSignal::new(String::new());
    let running = RwSignal::new(false);
    let server = RwSignal::new("http://localhost:8080/v1".to_owned());
    let typed = RwSignal::new(String::new());
    let colour = RwSignal::new("#ffffff".to_owned());

    let agent = paint(colour).and_then(|paint| Ok(steersman::web::agent().tool(paint).api_key("local").build()?));
    let agent: Agent = match agent {
        Ok(agent) => agent,
        Err(error) => return view! { <p>{error.to_string()}</p> }.into_any(),
    };
    let subscription = agent.subscribe(move |event: &AgentEvent| match event {
        AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { delta, .. }, .. } => {
            live.update(|text| text.push_str(delta));
        }
        AgentEvent::MessageEnd { message } => {
            live.set(String::new());
            let (role, text) = (message.role().to_owned(), message.text());
            if role != "system" && !text.is_empty() {
                lines.update(|lines| lines.push((role, text)));
            }
        }
        _ => {}
    });
    // What is not `Send` stays in this thread; the subscription ends with the component.
    let agent = StoredValue::new_local((agent, subscription));
    let agent = move || agent.with_value(|(agent, _)| agent.clone());

    let send = move || {
        let (agent, text) = (agent(), typed.get_untracked());
        typed.set(String::new());
        if agent.is_running() {
            // Enters the run after the current turn.
            return agent.steer(Rc::new(AgentMessage::user(text)));
        }
        agent.set_model(Model::openai_compatible(&server.get_untracked(), "any"));
        running.set(true);
        spawn_local(async move {
            let misuse = agent.prompt(text).await.err().map(|error| error.to_string());
            if let Some(error) = agent.error_message().or(misuse) {
                lines.update(|lines| lines.push(("error".to_owned(), error)));
            }
            running.set(false);
        });
    };

    view! {
        <main style:background-color=move || colour.get()>
            <label>"Server " <input id="server" bind:value=server/></label>
            <ol>
                <For each=move || lines.get().into_iter().enumerate() key=|(at, _)| *at let((_, (role, text)))>
                    <li><b>{role}</b> ": " {text}</li>
                </For>
            </ol>
            <p id="live">{live}</p>
            <form on:submit=move |event| {
                event.prevent_default();
                send();
            }>
                <input id="message" bind:value=typed/>
                <button id="send">{move || if running.get() { "Steer" } else { "Send" }}</button>
                <button id="stop" type="button" disabled=move || !running.get() on:click=move |_| agent().abort()>
                    "Stop"
                </button>
            </form>
        </main>
    }
    .into_any()
}

fn main() {
    mount_to_body(Chat);
}
