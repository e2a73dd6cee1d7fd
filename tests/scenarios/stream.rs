//! Scripted answers: the n-th call plays the n-th response, step by step, as fast as the listeners take it.

use std::future::pending;
use std::rc::{Rc, Weak};

use futures::future::{FutureExt, LocalBoxFuture};
use steersman::error::Error;
use steersman::native::{
    AssistantMessage, Content, Request, ResponseEvent, ResponseSink, StopReason, StreamFn, ToolCall,
};
use steersman_wire::json::{parse, Object, Value};

use crate::json::{object, set, Look};
use crate::normal::brief;
use crate::values::{answer, json_of};
use crate::world::{signal, World};

pub struct ScriptedStream {
    pub world: Weak<World>,
    pub name: String,
}

impl StreamFn for ScriptedStream {
    fn stream<'a>(&'a self, request: Request, response: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        let world = self.world.upgrade().expect("the scenario is in play");
        let call = world.stream_calls.replace(world.stream_calls.get() + 1);
        let entry = self.entry(&request, call);
        world.put_object("stream", entry);
        let script = world.scenario.list("responses").get(call).cloned().unwrap_or_else(|| {
            parse(r#"{"message":{"content":[],"stopReason":"error","errorMessage":"scenario has no more responses"}}"#)
                .unwrap()
        });
        world.start(script.list("do"));
        let player = Player { world, script, request, response, call };
        async move { player.play().await.unwrap_or_else(|_| response.partial()) }.boxed_local()
    }
}

impl ScriptedStream {
    fn entry(&self, request: &Request, call: usize) -> Object {
        let mut entry = Object::new();
        entry.insert("call", call + 1);
        entry.insert("model", format!("{}@{}", request.model.text("id"), request.model.text("provider")));
        let messages: Vec<Value> = request.messages.iter().map(|message| brief(&json_of(message)).into()).collect();
        entry.insert("messages", messages);
        set(&mut entry, "systemPrompt", request.system_prompt.as_deref().map(Value::from));
        let names = |tools: &Vec<_>| {
            let name = |tool: &steersman::native::ToolDeclaration| Value::from(tool.name.as_str());
            tools.iter().map(name).collect::<Vec<_>>().into()
        };
        set(&mut entry, "tools", request.tools.as_ref().map(names));
        entry.insert("signal", signal(Some(&request.abort)));
        set(&mut entry, "apiKey", request.api_key.as_deref().map(Value::from));
        set(&mut entry, "sessionId", request.session_id.as_deref().map(Value::from));
        if &*request.thinking_level != "off" {
            entry.insert("reasoning", &*request.thinking_level);
        }
        if self.name != "main" {
            entry.insert("streamFn", self.name.as_str());
        }
        entry
    }
}

struct Player<'a> {
    world: Rc<World>,
    script: Value,
    request: Request,
    response: &'a ResponseSink,
    call: usize,
}

impl Player<'_> {
    async fn play(&self) -> Result<AssistantMessage, Error> {
        if let Some(ms) = self.script.number("asyncDelay") {
            self.world.clock.sleep(ms).await;
        }
        self.response.set(self.base());
        let abortable = self.script.flag("abortable") != Some(false);
        for mut step in steps(&self.script) {
            if let Some(ms) = step.number("delay") {
                if abortable {
                    self.world.clock.sleep_unless(ms, &self.request.abort).await;
                } else {
                    self.world.clock.sleep(ms).await;
                }
                let cut = abortable && self.request.abort.aborted();
                if !step.has("type") && !cut {
                    continue;
                }
            }
            if abortable && self.request.abort.aborted() && !step.has("do") {
                let text = self.script.text("abortMessage").unwrap_or("Request was aborted");
                step = object([("type", "error".into()), ("reason", "aborted".into()), ("errorMessage", text.into())]);
            }
            self.world.start(step.list("do"));
            if step.flag("end") == Some(true) {
                return Ok(match step.get("result") {
                    Some(Value::String(_)) => pending().await,
                    Some(message) => self.answer(message),
                    None => self.response.partial(),
                });
            }
            match step.text("type") {
                None => {}
                Some("done") => return Ok(self.last(&step, "done")),
                Some("error") => return Ok(self.last(&step, "error")),
                Some(kind) => self.push(kind, &step).await?,
            }
        }
        Ok(self.response.partial())
    }

    fn base(&self) -> AssistantMessage {
        self.answer(&object([("content", Vec::new().into()), ("stopReason", "stop".into())]))
    }

    fn answer(&self, spec: &Value) -> AssistantMessage {
        answer(spec, &self.request.model, self.call)
    }

    /// The final message: given, or what has grown.
    fn last(&self, step: &Value, kind: &str) -> AssistantMessage {
        if let Some(result) = step.get("resultMessage") {
            return self.answer(result);
        }
        let grown = self.response.partial();
        let calls = grown.content.iter().any(|block| matches!(block, Content::ToolCall(_)));
        let given = step.get("message");
        let usual = match (kind, calls) {
            ("error", _) => "error",
            (_, true) => "toolUse",
            _ => "stop",
        };
        let reason = step.text("reason").or(given.and_then(|given| given.text("stopReason"))).unwrap_or(usual);
        if let Some(Value::Object(given)) = given {
            let mut given = given.clone();
            if !given.contains_key("stopReason") {
                given.insert("stopReason", reason);
            }
            return self.answer(&given.into());
        }
        let stop_reason = StopReason::of(reason).unwrap();
        let error_message = step.text("errorMessage").map(str::to_owned).or(grown.error_message.clone());
        AssistantMessage { stop_reason, error_message, ..grown }
    }

    /// Apply and deliver one event.
    async fn push(&self, kind: &str, step: &Value) -> Result<(), Error> {
        let text = |key| step.text(key).unwrap_or_default().into();
        let blocks = self.response.live().len();
        let last = blocks.saturating_sub(1);
        if kind == "start" {
            let mut base = self.base();
            if step.has("content") {
                base.content = self.answer(step).content;
            }
            return self.response.begin(base).await;
        }
        if let (Some(arguments), "toolcall_delta" | "toolcall_end") = (step.get("arguments"), kind) {
            self.set_arguments(arguments);
        }
        let event = match kind {
            "text_start" => ResponseEvent::TextStart { index: blocks },
            "text_delta" => ResponseEvent::TextDelta { index: last, delta: text("delta") },
            "text_end" => ResponseEvent::TextEnd { index: last },
            "thinking_start" => ResponseEvent::ThinkingStart { index: blocks },
            "thinking_delta" => ResponseEvent::ThinkingDelta { index: last, delta: text("delta") },
            "thinking_end" => ResponseEvent::ThinkingEnd { index: last },
            "toolcall_start" => ResponseEvent::ToolCallStart { index: blocks, id: text("id"), name: text("name") },
            "toolcall_delta" => {
                // The script says what can be read of the arguments by now, not their text.
                self.response.set(self.response.partial());
                ResponseEvent::ToolCallDelta { index: last, delta: text("delta") }
            }
            "toolcall_end" => ResponseEvent::ToolCallEnd { index: last },
            _ => return Ok(()),
        };
        self.response.push(event).await
    }

    fn set_arguments(&self, arguments: &Value) {
        let mut grown = self.response.partial();
        if let Some(Content::ToolCall(call)) = grown.content.last_mut() {
            *call = Rc::new(ToolCall { arguments: arguments.clone(), ..(**call).clone() });
        }
        self.response.set(grown);
    }
}

/// The steps of a response, spelled out.
fn steps(script: &Value) -> Vec<Value> {
    if script.has("steps") {
        return script.list("steps").to_vec();
    }
    let none = object([]);
    let spec = script.get("message").unwrap_or(&none);
    let mut content = spec.list("content").to_vec();
    if let Some(text) = script.text("say") {
        content.push(object([("type", "text".into()), ("text", text.into())]));
    }
    for call in script.list("calls") {
        let mut block: Object = [("type", Value::from("toolCall"))].into_iter().collect();
        call.as_object().unwrap().iter().for_each(|(key, value)| drop(block.insert(key, value.clone())));
        content.push(block.into());
    }
    let calls = content.iter().any(|block| block.text("type") == Some("toolCall"));
    let reason = script.text("stopReason").or(spec.text("stopReason"));
    let reason = reason.unwrap_or(if calls { "toolUse" } else { "stop" });
    if script.flag("full") != Some(true) {
        let mut message = spec.as_object().unwrap().clone();
        message.insert("content", content);
        message.insert("stopReason", reason);
        return vec![object([("type", "done".into()), ("message", message.into())])];
    }
    let mut steps = vec![object([("type", "start".into())])];
    for block in &content {
        let kind = block.text("type").unwrap();
        let step = |end: &str, members: &[(&str, Value)]| {
            let prefix = if kind == "toolCall" { "toolcall" } else { kind };
            let mut step: Object = members.iter().cloned().collect();
            step.insert("type", format!("{prefix}_{end}"));
            Value::Object(step)
        };
        let member = |key| block.get(key).cloned().unwrap_or_default();
        if kind == "toolCall" {
            let arguments = member("arguments");
            let delta = steersman_wire::json::to_text(&arguments);
            steps.push(step("start", &[("id", member("id")), ("name", member("name"))]));
            steps.push(step("delta", &[("delta", delta.into())]));
            steps.push(step("end", &[("arguments", arguments)]));
        } else {
            steps.push(step("start", &[]));
            steps.push(step("delta", &[("delta", member(kind))]));
            steps.push(step("end", &[]));
        }
    }
    steps.push(object([("type", "done".into()), ("reason", reason.into())]));
    steps
}
