//! Agents that are asked nothing real, and what there is to see of them afterwards.

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use steersman::agent::{Agent, AgentBuilder};
use steersman::native::{
    AgentMessage, AssistantMessage, Content, Request, ResponseSink, StopReason, StreamFn, ToolCall,
};
use steersman_wire::json::{parse, to_text, Value};

use crate::time::Time;

pub type Turn = Rc<dyn for<'a> Fn(Request, &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage>>;

/// Plays one turn after the other, the last one again and again.
struct Turns(Vec<Turn>, Rc<Cell<usize>>);

impl StreamFn for Turns {
    fn stream<'a>(&'a self, request: Request, response: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        let turn = self.1.replace(self.1.get() + 1);
        self.0[turn.min(self.0.len() - 1)](request, response)
    }
}

pub fn turn(
    play: impl for<'a> Fn(Request, &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> + 'static,
) -> Turn {
    Rc::new(play)
}

pub fn answers(message: AssistantMessage) -> Turn {
    turn(move |_, _| Box::pin(std::future::ready(message.clone())))
}

pub fn says(text: &str) -> AssistantMessage {
    let stop_reason = StopReason::Stop;
    AssistantMessage { content: vec![Content::text(text)], stop_reason, ..AssistantMessage::default() }
}

pub fn calls(ids: &[&str]) -> AssistantMessage {
    let call = |id: &&str| {
        let arguments = parse("{}").unwrap();
        Content::ToolCall(Rc::new(ToolCall { id: (*id).into(), name: "t".into(), arguments, ..ToolCall::default() }))
    };
    let content = ids.iter().map(call).collect();
    AssistantMessage { content, stop_reason: StopReason::ToolUse, ..AssistantMessage::default() }
}

pub fn agent(turns: Vec<Turn>) -> (AgentBuilder, Rc<Cell<usize>>) {
    let asked = Rc::new(Cell::new(0));
    (Agent::builder().stream_fn(Turns(turns, asked.clone())), asked)
}

pub fn timed(builder: AgentBuilder, time: &Time) -> AgentBuilder {
    let (now, sleep) = (time.clone(), time.clone());
    builder.clock(move || now.now()).timer(move |ms| sleep.sleep(ms))
}

pub fn any() -> Value {
    parse(r#"{"type":"object"}"#).unwrap()
}

/// The last answer, and the code of what went wrong with it.
pub fn last(agent: &Agent) -> (AssistantMessage, String) {
    let messages = agent.messages();
    let answer = messages.iter().rev().find_map(|message| message.as_assistant()).unwrap().clone();
    let diagnostics = answer.extra.get("diagnostics").and_then(Value::as_array);
    let code = diagnostics.and_then(|list| list.first()).and_then(|first| first.get("code")).and_then(Value::as_str);
    let code = code.unwrap_or_default().to_owned();
    (answer, code)
}

pub fn results(agent: &Agent) -> Vec<(String, bool, String)> {
    let results = agent.messages().into_iter().filter_map(|message| match &*message {
        AgentMessage::ToolResult(result) => {
            let details = result.details.as_ref().map(to_text).unwrap_or_default();
            Some((message.text(), result.is_error, details))
        }
        _ => None,
    });
    results.collect()
}
