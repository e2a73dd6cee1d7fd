//! A chat in Yew: a model server of your choice, a tool that changes the page, steering and stopping.

use std::error::Error;
use std::rc::Rc;

use steersman::agent::Agent;
use steersman::json::{parse, Value};
use steersman::model::Model;
use steersman::native::{tool_fn, AgentEvent, AgentMessage, ResponseEvent, Subscription, Tool, ToolOutput};
use web_sys::HtmlInputElement;
use yew::html::Scope;
use yew::prelude::*;

enum Msg {
    /// The answer grew.
    Delta(Rc<str>),
    /// A message is complete: its role and text.
    Said(String, String),
    Paint(String),
    Server(String),
    Send,
    Stop,
    /// The run ended, perhaps with an error.
    Over(Option<String>),
}

struct Chat {
    agent: Result<(Agent, Subscription), String>,
    lines: Vec<(String, String)>,
    live: String,
    colour: String,
    server: String,
    typed: NodeRef,
}

/// A tool: the model chooses the colour of the page.
fn paint(link: Scope<Chat>) -> Result<impl Tool, Box<dyn Error>> {
    let parameters = parse(
        r##"{
            "type": "object",
            "properties": { "colour": { "type": "string", "pattern": "^#[0-9a-f]{6}$" } },
            "required": ["colour"]
        }"##,
    )?;
    Ok(tool_fn("paint", "Paints the page in a colour like #ffeecc", parameters, move |args, _| {
        let wanted = args.get("colour").and_then(Value::as_str).unwrap_or_default().to_owned();
        link.send_message(Msg::Paint(wanted.clone()));
        async move { Ok(ToolOutput::text(format!("The page is {wanted} now."))) }
    }))
}

fn agent(link: &Scope<Chat>) -> Result<(Agent, Subscription), Box<dyn Error>> {
    let agent = steersman::web::agent().tool(paint(link.clone())?).api_key("local").build()?;
    let link = link.clone();
    let subscription = agent.subscribe(move |event: &AgentEvent| match event {
        AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { delta, .. }, .. } => {
            link.send_message(Msg::Delta(delta.clone()));
        }
        AgentEvent::MessageEnd { message } => {
            link.send_message(Msg::Said(message.role().to_owned(), message.text()));
        }
        _ => {}
    });
    Ok((agent, subscription))
}

impl Chat {
    fn send(&mut self, context: &Context<Self>) {
        let (Ok((agent, _)), Some(typed)) = (&self.agent, self.typed.cast::<HtmlInputElement>()) else {
            return;
        };
        let text = typed.value();
        typed.set_value("");
        if agent.is_running() {
            // Enters the run after the current turn.
            return agent.steer(Rc::new(AgentMessage::user(text)));
        }
        agent.set_model(Model::openai_compatible(&self.server, "any"));
        let agent = agent.clone();
        context.link().send_future(async move {
            let misuse = agent.prompt(text).await.err().map(|error| error.to_string());
            Msg::Over(agent.error_message().or(misuse))
        });
    }
}

impl Component for Chat {
    type Message = Msg;
    type Properties = ();

    fn create(context: &Context<Self>) -> Self {
        Chat {
            agent: agent(context.link()).map_err(|error| error.to_string()),
            lines: Vec::new(),
            live: String::new(),
            colour: "#ffffff".to_owned(),
            server: "http://localhost:8080/v1".to_owned(),
            typed: NodeRef::default(),
        }
    }

    fn update(&mut self, context: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Delta(delta) => self.live.push_str(&delta),
            Msg::Said(role, text) => {
                self.live.clear();
                if role != "system" && !text.is_empty() {
                    self.lines.push((role, text));
                }
            }
            Msg::Paint(colour) => self.colour = colour,
            Msg::Server(server) => self.server = server,
            Msg::Send => self.send(context),
            Msg::Stop => {
                if let Ok((agent, _)) = &self.agent {
                    agent.abort();
                }
            }
            Msg::Over(error) => self.lines.extend(error.map(|error| ("error".to_owned(), error))),
        }
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let running = match &self.agent {
            Ok((agent, _)) => agent.is_running(),
            Err(error) => return html! { <p>{error.clone()}</p> },
        };
        let send = context.link().callback(|event: SubmitEvent| {
            event.prevent_default();
            Msg::Send
        });
        let server = context
            .link()
            .callback(|event: InputEvent| Msg::Server(event.target_unchecked_into::<HtmlInputElement>().value()));
        let stop = context.link().callback(|_| Msg::Stop);
        html! {
            <main style={format!("background-color: {}", self.colour)}>
                <label>{"Server "}<input id="server" value={self.server.clone()} oninput={server}/></label>
                <ol>
                    { for self.lines.iter().map(|(role, text)| html! { <li><b>{role}</b>{": "}{text}</li> }) }
                </ol>
                <p id="live">{&self.live}</p>
                <form onsubmit={send}>
                    <input id="message" ref={&self.typed}/>
                    <button id="send">{ if running { "Steer" } else { "Send" } }</button>
                    <button id="stop" type="button" disabled={!running} onclick={stop}>{"Stop"}</button>
                </form>
            </main>
        }
    }
}

fn main() {
    yew::Renderer::<Chat>::new().render();
}
