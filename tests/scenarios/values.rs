//! Messages, models and outputs as a scenario writes them.

use std::rc::Rc;

use steersman::model::Model;
use steersman::native::{AgentMessage, AssistantMessage, ToolOutput};
use steersman_wire::json::{parse, Object, Value};

use crate::json::{object, Look};
use crate::world::World;

const NO_USAGE: &str = r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#;

/// `id` or `id@provider`.
pub fn model(spec: &str) -> Model {
    let (id, provider) = spec.split_once('@').unwrap_or((spec, "mock"));
    let text = format!(
        r#"{{"id":"{id}","name":"{id}","api":"mock-api","provider":"{provider}","baseUrl":"http://model.invalid","reasoning":true,"input":["text","image"],"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}},"contextWindow":1000,"maxTokens":100}}"#
    );
    Model::from_json(&text).unwrap()
}

/// The JSON of a message.
pub fn json_of(message: &AgentMessage) -> Value {
    parse(&message.to_json()).unwrap()
}

/// A text block in a list.
pub fn text_content(text: &str) -> Value {
    vec![object([("type", "text".into()), ("text", text.into())])].into()
}

/// A tool's result: a text alone stands for its content.
pub fn output(value: &Value) -> ToolOutput {
    let value = match value {
        Value::String(text) => object([("content", text_content(text)), ("details", Object::new().into())]),
        other => other.clone(),
    };
    ToolOutput::from_json(&value).unwrap()
}

impl World {
    /// A message with its defaults; timestamps count up.
    pub fn message(&self, spec: &Value) -> Rc<AgentMessage> {
        Rc::new(AgentMessage::from_json(&self.message_json(spec)).unwrap())
    }

    fn message_json(&self, spec: &Value) -> Value {
        let mut members: Object = match spec {
            Value::Object(members) => members.clone(),
            text => [("role", "user".into()), ("content", text_content(text.as_str().unwrap()))].into_iter().collect(),
        };
        members.remove("$as");
        let mut default = |key: &str, value: Value| {
            if !members.contains_key(key) {
                members.insert(key, value);
            }
        };
        if spec.text("role") == Some("assistant") {
            for (key, value) in [("api", "mock-api"), ("provider", "mock"), ("model", "m1"), ("stopReason", "stop")] {
                default(key, value.into());
            }
            default("usage", parse(NO_USAGE).unwrap());
        }
        if !members.contains_key("timestamp") {
            members.insert("timestamp", self.next_timestamp());
        }
        Value::Object(members)
    }

    pub fn messages(&self, list: &[Value]) -> Vec<Rc<AgentMessage>> {
        list.iter().map(|spec| self.message(spec)).collect()
    }
}

/// The final message of a response, with the defaults of a scripted stream.
pub fn answer(spec: &Value, model: &Model, call: usize) -> AssistantMessage {
    let calls = spec.list("content").iter().any(|block| block.text("type") == Some("toolCall"));
    let reason = spec.text("stopReason").unwrap_or(if calls { "toolUse" } else { "stop" });
    let mut members: Object = [
        ("role", "assistant".into()),
        ("content", spec.list("content").to_vec().into()),
        ("api", model.text("api").into()),
        ("provider", model.text("provider").into()),
        ("model", model.text("id").into()),
        ("usage", spec.get("usage").cloned().unwrap_or_else(|| parse(NO_USAGE).unwrap())),
        ("stopReason", reason.into()),
        ("timestamp", spec.number("timestamp").unwrap_or(5000.0 + call as f64).into()),
    ]
    .into_iter()
    .collect::<Object>();
    if let Some(error) = spec.get("errorMessage") {
        members.insert("errorMessage", error.clone());
    }
    for (key, value) in spec.get("extra").and_then(Value::as_object).into_iter().flat_map(Object::iter) {
        members.insert(key, value.clone());
    }
    match AgentMessage::from_json(&members.into()).unwrap() {
        AgentMessage::Assistant(message) => message,
        _ => unreachable!("the role is assistant"),
    }
}
