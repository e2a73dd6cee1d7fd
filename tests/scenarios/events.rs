//! Events as trace entries, the recording listener with its rules, further listeners.

use std::rc::{Rc, Weak};

use futures::future::{join_all, FutureExt, LocalBoxFuture};
use steersman::abort::Abort;
use steersman::error::Error;
use steersman::native::{AgentEvent, Content, Listener, Live, ResponseEvent, ToolCall};
use steersman_wire::json::{parse, Object, Value};

use crate::hooks::briefs;
use crate::json::{object, set, Look};
use crate::normal::{brief, norm, text};
use crate::values::json_of;
use crate::world::{pause, signal, World};

/// What a listener gives back.
pub type Waiting = Option<LocalBoxFuture<'static, Result<(), Error>>>;

/// The listener that writes the trace.
pub struct Recorder(pub Weak<World>);

impl Listener for Recorder {
    fn on_event(&self, event: &AgentEvent, abort: &Abort) -> Waiting {
        self.0.upgrade()?.record(event, abort)
    }
}

/// A further listener.
pub struct Further {
    pub world: Weak<World>,
    pub spec: Value,
}

impl Listener for Further {
    fn on_event(&self, event: &AgentEvent, _abort: &Abort) -> Waiting {
        let world = self.world.upgrade()?;
        let (id, kind) = (self.spec.text("id").unwrap_or_default().to_owned(), event.name());
        let number = world.count(&format!("listener {id} {kind}"));
        if self.spec.flag("record") != Some(false) {
            world.put("listener", [("id", id.as_str().into()), ("type", kind.into())]);
        }
        let rules = self.spec.list("rules").iter().filter(|rule| {
            rule.text("event") == Some(kind) && rule.number("n").is_none_or(|wanted| wanted == number as f64)
        });
        let rules: Vec<Value> = rules.cloned().collect();
        let work = async move {
            for rule in rules {
                if rule.flag("block") == Some(true) {
                    world.ops(rule.list("do").to_vec()).await;
                } else {
                    world.start(rule.list("do"));
                }
                if let Some(ms) = rule.number("delay") {
                    world.clock.sleep(ms).await;
                    let done = [("id", id.as_str().into()), ("type", kind.into()), ("phase", "done".into())];
                    world.put("listener", done);
                }
                if let Some(message) = rule.text("throw") {
                    return Err(message.into());
                }
            }
            Ok(())
        };
        Some(work.boxed_local())
    }
}

impl World {
    /// Write an event down and do what the scenario's rules say.
    pub fn record(self: &Rc<Self>, event: &AgentEvent, abort: &Abort) -> Waiting {
        self.record_as(entry(event), event, abort)
    }

    /// The same with the event as it looked when it happened.
    pub fn record_as(self: &Rc<Self>, mut entry: Object, event: &AgentEvent, abort: &Abort) -> Waiting {
        let kind = event.name();
        if self.scenario.flag("stateOnEvents") == Some(true) {
            set(&mut entry, "s", self.summary());
        }
        if self.scenario.flag("signalOnEvents") == Some(true) {
            entry.insert("signal", signal(Some(abort)));
        }
        self.put_object("event", entry);
        let role = role(event);
        let mut waits: Vec<LocalBoxFuture<'static, Result<(), Error>>> = Vec::new();
        for (index, rule) in self.scenario.list("on").iter().enumerate() {
            let when = rule.get("when").unwrap();
            let fits = when.text("event") == Some(kind) && (!when.has("role") || when.text("role") == role.as_deref());
            if !fits {
                continue;
            }
            let seen = self.count(&format!("rule {index}"));
            if when.number("n").is_some_and(|wanted| wanted != seen as f64) {
                continue;
            }
            if rule.flag("block") == Some(true) {
                let (world, ops) = (self.clone(), rule.list("do").to_vec());
                waits.push(world.ops(ops).map(Ok).boxed_local());
            } else {
                self.start(rule.list("do"));
            }
            if let Some(message) = rule.text("throw") {
                let failed = Err(message.into());
                return Some(async move { failed }.boxed_local());
            }
        }
        if kind == "message_update" && waits.is_empty() {
            return None;
        }
        let work = async move {
            // The recorded listener was an asynchronous one.
            pause().await;
            join_all(waits).await.into_iter().collect()
        };
        Some(work.boxed_local())
    }

    fn summary(&self) -> Option<Value> {
        let agent = self.agent.borrow().clone()?;
        let streaming = agent.streaming_message().map(|message| brief(&json_of(&message)).into());
        let mut summary = object([
            ("isStreaming", agent.is_running().into()),
            ("n", agent.messages().len().into()),
            ("streaming", streaming.unwrap_or(Value::Null)),
            ("pending", agent.pending_tool_calls().into_iter().map(Value::from).collect::<Vec<_>>().into()),
        ]);
        if let Value::Object(summary) = &mut summary {
            set(summary, "error", agent.error_message().map(|error| text(&error).into()));
        }
        Some(summary)
    }
}

fn role(event: &AgentEvent) -> Option<String> {
    match event {
        AgentEvent::MessageStart { message }
        | AgentEvent::MessageEnd { message }
        | AgentEvent::TurnEnd { message, .. } => Some(message.role().to_owned()),
        AgentEvent::MessageUpdate { .. } => Some("assistant".to_owned()),
        _ => None,
    }
}

/// An event as it stands in the trace.
pub fn entry(event: &AgentEvent) -> Object {
    let mut entry = Object::new();
    entry.insert("type", event.name());
    match event {
        AgentEvent::AgentStart | AgentEvent::TurnStart => {}
        AgentEvent::MessageStart { message } | AgentEvent::MessageEnd { message } => {
            entry.insert("message", norm(&json_of(message)));
        }
        AgentEvent::MessageUpdate { message, update } => {
            let now = steersman::native::AgentMessage::Partial(message.clone());
            entry.insert("message", norm(&json_of(&now)));
            entry.insert("update", update_entry(message, update));
        }
        AgentEvent::ToolExecutionStart { call } => call_entry(&mut entry, call),
        AgentEvent::ToolExecutionUpdate { call, partial } => {
            call_entry(&mut entry, call);
            entry.insert("partialResult", norm(&parse(&partial.to_json()).unwrap()));
        }
        AgentEvent::ToolExecutionEnd { call, output, is_error, duration_ms } => {
            call_entry(&mut entry, call);
            entry.remove("args");
            entry.insert("result", norm(&parse(&output.to_json()).unwrap()));
            entry.insert("isError", *is_error);
            set(&mut entry, "durationMs", duration_ms.map(|_| "<ms>".into()));
        }
        AgentEvent::TurnEnd { message, tool_results } => {
            entry.insert("message", brief(&json_of(message)));
            entry.insert("toolResults", briefs(tool_results));
        }
        AgentEvent::AgentEnd { messages } => drop(entry.insert("messages", briefs(messages))),
    }
    entry
}

fn call_entry(entry: &mut Object, call: &ToolCall) {
    entry.insert("toolCallId", call.id.as_str());
    entry.insert("toolName", call.name.as_str());
    entry.insert("args", norm(&call.arguments));
}

fn update_entry(message: &Live, update: &ResponseEvent) -> Value {
    let block = |index: usize| message.snapshot().content.get(index).cloned();
    let said = |index: usize| match block(index) {
        Some(Content::Text { text, .. } | Content::Thinking { thinking: text, .. }) => text,
        _ => String::new(),
    };
    let plain = |kind: &str, index: usize| [("type", Value::from(kind)), ("contentIndex", index.into())];
    let with = |kind: &str, index: usize, key: &str, value: Value| {
        let [kind, index] = plain(kind, index);
        object([kind, index, (key, value)])
    };
    match update {
        ResponseEvent::Start => object([("type", "start".into())]),
        ResponseEvent::TextStart { index } => object(plain("text_start", *index)),
        ResponseEvent::ThinkingStart { index } => object(plain("thinking_start", *index)),
        ResponseEvent::ToolCallStart { index, .. } => object(plain("toolcall_start", *index)),
        ResponseEvent::TextDelta { index, delta } => with("text_delta", *index, "delta", (&**delta).into()),
        ResponseEvent::ThinkingDelta { index, delta } => with("thinking_delta", *index, "delta", (&**delta).into()),
        ResponseEvent::ToolCallDelta { index, delta } => with("toolcall_delta", *index, "delta", (&**delta).into()),
        ResponseEvent::TextEnd { index } => with("text_end", *index, "content", said(*index).into()),
        ResponseEvent::ThinkingEnd { index } => with("thinking_end", *index, "content", said(*index).into()),
        ResponseEvent::ToolCallEnd { index } => {
            let call = match block(*index) {
                Some(Content::ToolCall(call)) => norm(&parse(&call.to_json()).unwrap()),
                _ => Value::Null,
            };
            with("toolcall_end", *index, "toolCall", call)
        }
    }
}
