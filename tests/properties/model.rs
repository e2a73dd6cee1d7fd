//! The model: checks every request as a server would, and answers with anything a stream may be.

use std::rc::{Rc, Weak};

use futures::future::{FutureExt, LocalBoxFuture};
use steersman::error::Error;
use steersman::native::{
    AgentMessage, AssistantMessage, Content, Request, ResponseEvent, ResponseSink, StopReason, StreamFn, ToolCall,
};
use steersman_wire::json::{parse, to_text, Object, Value};

use crate::checker;
use crate::tools::NAMES;
use crate::world::World;

/// Most requests of a run; then the model wants no more tools.
const MOST_REQUESTS: usize = 8;

pub struct RandomModel(pub Weak<World>);

impl StreamFn for RandomModel {
    fn stream<'a>(&'a self, request: Request, response: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        let world = self.0.upgrade().expect("the schedule runs");
        world.requests.set(world.requests.get() + 1);
        world.say(|| format!("request {}", world.requests.get()));
        check(&world, &request);
        async move {
            let answer = Answer { world, request, sink: response };
            answer.play().await.unwrap_or_else(|_| response.partial())
        }
        .boxed_local()
    }
}

/// What the wire makes of the request must be acceptable.
fn check(world: &World, request: &Request) {
    let model: Object = request.model.fields().iter().map(|(key, value)| (key, value.clone())).collect();
    let model = Value::Object(model);
    let mut context = String::from("{\"messages\":[");
    for (index, message) in request.messages.iter().enumerate() {
        context.push_str(if index == 0 { "" } else { "," });
        context.push_str(&message.to_json());
    }
    context.push(']');
    if let (Some(prompt), Some(tools)) = (&request.system_prompt, &request.tools) {
        let tools: Vec<Value> = tools
            .iter()
            .map(|tool| {
                let members = [("name", tool.name.as_str()), ("description", &tool.description)];
                let mut tool_json: Object = members.into_iter().collect();
                tool_json.insert("parameters", tool.parameters.clone());
                tool_json.into()
            })
            .collect();
        let prompt = to_text(&Value::from(&**prompt));
        context.push_str(&format!(",\"systemPrompt\":{prompt},\"tools\":{}", to_text(&tools.into())));
    }
    context.push('}');
    let input = format!(r#"{{"model":{},"context":{context},"options":{{"apiKey":"k"}}}}"#, to_text(&model));
    let ends_open = ends_open(&request.messages);
    match steersman_wire::request(&input) {
        Err(error) => world.problem(format!("no request can be built: {error}")),
        Ok(made) => {
            let found = checker::problems(&made.body, &model, ends_open);
            for problem in found {
                world.problem(format!("request {}: {problem}", world.requests.get()));
            }
            world.say(|| format!("body {}", String::from_utf8_lossy(&made.body)));
        }
    }
}

/// Whether the application itself left a conversation that nothing can be asked about: it ends with an answer, or with
/// the result of a call that is not there any more, or it is empty.
fn ends_open(messages: &[Rc<AgentMessage>]) -> bool {
    let mut others = messages.iter().rev().filter(|message| message.role() != "system");
    let results = others.clone().take_while(|message| message.role() == "toolResult");
    let ids: Vec<_> = results
        .filter_map(|message| match &**message {
            AgentMessage::ToolResult(result) => Some(result.tool_call_id.clone()),
            _ => None,
        })
        .collect();
    let Some(before) = others.find(|message| message.role() != "toolResult") else { return true };
    if ids.is_empty() {
        return before.role() == "assistant";
    }
    let called = before.as_assistant().is_some_and(|answer| {
        let failed = matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
        let calls =
            answer.content.iter().any(|block| matches!(block, Content::ToolCall(call) if ids.contains(&call.id)));
        calls && !failed
    });
    !called
}

struct Answer<'a> {
    world: Rc<World>,
    request: Request,
    sink: &'a ResponseSink,
}

impl Answer<'_> {
    async fn play(&self) -> Result<AssistantMessage, Error> {
        let random = &self.world.random;
        self.world.wait().await;
        if random.one_in(10) {
            // Everything at once, or nothing: no event at all.
            return Ok(self.end(self.whole()));
        }
        if random.one_in(20) {
            self.sink.push(ResponseEvent::TextStart { index: 0 }).await?;
        }
        self.sink.push(ResponseEvent::Start).await?;
        if random.one_in(30) {
            self.sink.push(ResponseEvent::Start).await?;
        }
        for index in 0..random.below(5) {
            if self.cut().await {
                break;
            }
            match random.below(if self.wants_tools() { 4 } else { 2 }) {
                0 => {
                    self.sink.push(ResponseEvent::TextStart { index }).await?;
                    self.sink.push(ResponseEvent::TextDelta { index, delta: "words ".into() }).await?;
                    if !self.cut().await {
                        self.sink.push(ResponseEvent::TextEnd { index }).await?;
                    }
                }
                1 => {
                    self.sink.push(ResponseEvent::ThinkingStart { index }).await?;
                    self.sink.push(ResponseEvent::ThinkingDelta { index, delta: "hm".into() }).await?;
                    self.sink.push(ResponseEvent::ThinkingEnd { index }).await?;
                }
                _ => {
                    let call = self.call();
                    let (id, name) = (call.id.as_str().into(), call.name.as_str().into());
                    self.sink.push(ResponseEvent::ToolCallStart { index, id, name }).await?;
                    let text = if random.one_in(6) { r#"{"n": 1, "s": "cu"#.into() } else { to_text(&call.arguments) };
                    self.sink.push(ResponseEvent::ToolCallDelta { index, delta: text.into() }).await?;
                    if !self.cut().await {
                        self.sink.push(ResponseEvent::ToolCallEnd { index }).await?;
                    }
                }
            }
        }
        Ok(self.end(self.sink.partial()))
    }

    /// Wait; says whether the stream breaks off here.
    async fn cut(&self) -> bool {
        self.world.wait().await;
        self.world.meddle("a stream");
        self.request.abort.aborted() && !self.world.random.one_in(4)
    }

    fn wants_tools(&self) -> bool {
        self.world.requests.get() < MOST_REQUESTS
    }

    fn whole(&self) -> AssistantMessage {
        let mut message = self.sink.partial();
        if self.world.random.one_in(2) {
            message.content.push(Content::text("at once"));
        }
        if self.wants_tools() && self.world.random.one_in(2) {
            message.content.push(Content::ToolCall(Rc::new(self.call())));
        }
        message
    }

    fn end(&self, mut message: AssistantMessage) -> AssistantMessage {
        let calls = message.content.iter().any(|block| matches!(block, Content::ToolCall(_)));
        let failed = self.world.random.below(12);
        message.stop_reason = match (self.request.abort.aborted(), failed) {
            (true, 1..) => StopReason::Aborted,
            (_, 0) => StopReason::Error,
            (_, 1) => StopReason::Length,
            _ if calls => StopReason::ToolUse,
            _ => StopReason::Stop,
        };
        if !self.wants_tools() && message.stop_reason == StopReason::Length {
            message.stop_reason = StopReason::Stop;
        }
        if matches!(message.stop_reason, StopReason::Error | StopReason::Aborted) {
            message.error_message = Some("the stream broke".into());
        }
        message
    }

    /// A call of a tool that may not exist, with an id that may be odd or in use, and arguments that may be wrong.
    fn call(&self) -> ToolCall {
        let random = &self.world.random;
        let id = match random.below(12) {
            0 => String::new(),
            1 => "same".into(),
            2 => "call|item".into(),
            3 => "späte Idee".into(),
            4 => "long_".repeat(20),
            _ => format!("call_{}", random.below(1_000_000)),
        };
        let name = if random.one_in(8) { "unknown" } else { random.pick(&NAMES) };
        let arguments = random.pick(&[r#"{"n":1}"#, r#"{"n":"2","s":"x"}"#, r#"{"n":"soon"}"#, "{}", r#"{"n":null}"#]);
        ToolCall { id, name: name.into(), arguments: parse(arguments).unwrap(), ..ToolCall::default() }
    }
}
