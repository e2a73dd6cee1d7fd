//! The project's own scenarios (`fixtures/scenarios`; the format is described there), played against the Rust shell.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::{Rc, Weak};

use futures::executor::{LocalPool, LocalSpawner};
use futures::future::{pending, FutureExt, LocalBoxFuture};
use futures::task::LocalSpawnExt;
use steersman::abort::Abort;
use steersman::agent::Agent;
use steersman::error::Error;
use steersman::native::{
    AgentEvent, AgentMessage, AssistantMessage, Content, Cost, Limits, Listener, Request, ResponseEvent, ResponseSink,
    StopReason, StreamFn, Tool, ToolCall, ToolContext, ToolDeclaration, ToolOutput, Usage,
};
use steersman::queue::QueueMode;
use steersman_wire::json::{parse, to_text, Object, Value};

use crate::clock::Clock;
use crate::json::Look;
use crate::values::model;
use crate::world::pause;

/// What happened, line by line.
type Log = Rc<RefCell<Vec<String>>>;

/// Plays every file; gives how many were played.
pub fn play_all(folder: &Path) -> usize {
    let mut played = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let scenario = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        // Without a reply the stream function of JavaScript throws, which one of Rust cannot.
        if scenario.list("replies").is_empty() {
            continue;
        }
        let expected: Vec<&str> = scenario.list("expect").iter().filter_map(Value::as_str).collect();
        let log = play(&scenario);
        for index in 0..log.len().max(expected.len()) {
            let got = log.get(index).map(String::as_str);
            assert_eq!(got, expected.get(index).copied(), "{} line {}\n{log:#?}", path.display(), index + 1);
        }
        played += 1;
    }
    played
}

fn play(scenario: &Value) -> Vec<String> {
    let mut pool = LocalPool::new();
    let log = Log::default();
    let replies = scenario.list("replies").to_vec();
    let mut builder = Agent::builder().model(model("m@scripted")).stream_fn(Scripted {
        replies,
        next: Cell::new(0),
        log: log.clone(),
    });
    let option = |name| scenario.get("agent").and_then(|agent| agent.text(name));
    if option("steeringMode") == Some("all") {
        builder = builder.steering_mode(QueueMode::All);
    }
    if option("toolExecution") == Some("sequential") {
        builder = builder.sequential_tools();
    }
    if option("steering") == Some("tool-boundary") {
        builder = builder.steer_at_tool_boundary();
    }
    for (name, spec) in scenario.get("tools").and_then(Value::as_object).into_iter().flat_map(Object::iter) {
        builder = builder.tool(OwnTool::new(name, spec));
    }
    let clock = Rc::new(Clock::default());
    let (now, timer) = (clock.clone(), clock.clone());
    builder = builder.clock(move || now.now()).timer(move |ms| timer.sleep(ms)).limits(limits(scenario));
    let number = |name| scenario.get("agent").and_then(|agent| agent.number(name));
    if let Some(ms) = number("toolAbortGraceMs") {
        builder = builder.tool_abort_grace_ms(ms as u32);
    }
    if let Some(most) = number("toolConcurrency") {
        builder = builder.tool_concurrency(most as usize);
    }
    let agent = builder.build().unwrap();
    let player = Rc::new(Player {
        agent: agent.clone(),
        log: log.clone(),
        waiting: RefCell::new(scenario.list("on").to_vec()),
        spawner: pool.spawner(),
    });
    let subscription = agent.subscribe(Watch(Rc::downgrade(&player)));
    let main = scenario.list("main").to_vec();
    let worker = player.clone();
    let over = Rc::new(Cell::new(false));
    let done = over.clone();
    let play = async move {
        for action in main {
            worker.attempt(action).await;
        }
        worker.agent.wait_for_idle().await;
        done.set(true);
    };
    pool.spawner().spawn_local(play).unwrap();
    loop {
        pool.run_until_stalled();
        if over.get() || !clock.fire_next() {
            break;
        }
    }
    assert!(over.get(), "the scenario never ends\n{:#?}", log.borrow());
    assert!(player.waiting.borrow().is_empty(), "an event never came");
    drop(subscription);
    let others = agent.messages().into_iter().filter(|message| message.role() != "system");
    log.borrow_mut().extend(others.map(|message| line(&message)));
    log.take()
}

fn limits(scenario: &Value) -> Limits {
    let limit = |name| scenario.get("agent")?.get("limits")?.number(name);
    let whole = |name| limit(name).map(|limit| limit as u32);
    Limits {
        idle_ms: whole("idleMs"),
        tool_ms: whole("toolMs"),
        max_turns: whole("maxTurns"),
        max_tool_calls: whole("maxToolCalls"),
        max_tokens: limit("maxTokens").map(|limit| limit as u64),
        max_cost: limit("maxCost"),
    }
}

struct Player {
    agent: Agent,
    log: Log,
    waiting: RefCell<Vec<Value>>,
    spawner: LocalSpawner,
}

impl Player {
    async fn attempt(&self, action: Value) {
        let (name, argument) = action.as_object().and_then(|action| action.iter().next()).unwrap();
        let text = argument.as_str().unwrap_or_default().to_owned();
        let message = || {
            let mut message = AgentMessage::user(text.clone());
            if let AgentMessage::User(user) = &mut message {
                user.timestamp = 1.0;
            }
            Rc::new(message)
        };
        let outcome = match name {
            "prompt" => self.agent.prompt(text.clone()).await,
            "continue" => self.agent.continue_run().await,
            "steer" => {
                self.agent.steer(message());
                Ok(())
            }
            "followUp" => {
                self.agent.follow_up(message());
                Ok(())
            }
            "abort" => {
                self.agent.abort();
                Ok(())
            }
            "reset" => self.agent.reset(),
            other => panic!("unknown action {other}"),
        };
        if let Err(error) = outcome {
            self.log.borrow_mut().push(format!("rejected: {}", error.message));
        }
    }
}

struct Watch(Weak<Player>);

impl Listener for Watch {
    fn on_event(&self, event: &AgentEvent, _abort: &Abort) -> Option<LocalBoxFuture<'static, Result<(), Error>>> {
        let player = self.0.upgrade()?;
        let text = event_line(event);
        player.log.borrow_mut().push(text.clone());
        let mut waiting = player.waiting.borrow_mut();
        let wanted = |rule: &Value| text.starts_with(rule.text("event").unwrap());
        if let Some(index) = waiting.iter().position(wanted) {
            let action = waiting.remove(index).get("do").cloned().unwrap();
            let doer = player.clone();
            let mut work = async move { doer.attempt(action).await }.boxed_local();
            // What it does at once is done at once.
            drop(waiting);
            if (&mut work).now_or_never().is_none() {
                player.spawner.spawn_local(work).unwrap();
            }
        }
        Some(pause().map(Ok).boxed_local())
    }
}

struct Scripted {
    replies: Vec<Value>,
    next: Cell<usize>,
    log: Log,
}

impl StreamFn for Scripted {
    fn stream<'a>(&'a self, request: Request, sink: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        async move {
            let reply = &self.replies[self.next.replace(self.next.get() + 1)];
            let others = request.messages.iter().filter(|message| message.role() != "system").count();
            self.log.borrow_mut().push(format!("request {}: {others} messages", self.next.get()));
            // A listener that fails ends the run; nobody hears what comes then.
            if reply.flag("silent") != Some(true) {
                let _ = stream(reply, sink).await;
            }
            if reply.flag("silent") == Some(true) || reply.flag("deaf") == Some(true) {
                pending::<()>().await;
            }
            if reply.flag("hang") == Some(true) {
                request.abort.cancelled().await;
            }
            let partial = sink.partial();
            let failed = |stop_reason, text: &str| {
                let error_message = Some(text.to_owned());
                AssistantMessage { stop_reason, error_message, ..partial.clone() }
            };
            if request.abort.aborted() {
                return failed(StopReason::Aborted, "Request was aborted");
            }
            if let Some(text) = reply.text("error") {
                return failed(StopReason::Error, text);
            }
            let calls = !reply.list("calls").is_empty();
            let reason = reply.text("stop").unwrap_or(if calls { "toolUse" } else { "stop" });
            let usage = reply.get("usage").map(usage).unwrap_or_default();
            AssistantMessage { stop_reason: StopReason::of(reason).unwrap(), usage, ..partial }
        }
        .boxed_local()
    }
}

fn usage(said: &Value) -> Usage {
    let count = |name| said.number(name).unwrap_or_default();
    let total_tokens = count("input") + count("output");
    let cost = Cost { total: count("cost"), ..Cost::default() };
    Usage { input: count("input"), output: count("output"), total_tokens, cost, ..Usage::default() }
}

async fn stream(reply: &Value, sink: &ResponseSink) -> Result<(), Error> {
    sink.push(ResponseEvent::Start).await?;
    let mut index = 0;
    if let Some(thought) = reply.text("think") {
        sink.push(ResponseEvent::ThinkingStart { index }).await?;
        sink.push(ResponseEvent::ThinkingDelta { index, delta: thought.into() }).await?;
        sink.push(ResponseEvent::ThinkingEnd { index }).await?;
        index += 1;
    }
    if let Some(text) = reply.text("say") {
        sink.push(ResponseEvent::TextStart { index }).await?;
        sink.push(ResponseEvent::TextDelta { index, delta: text.into() }).await?;
        sink.push(ResponseEvent::TextEnd { index }).await?;
        index += 1;
    }
    for call in reply.list("calls") {
        let (id, name) = (call.text("id").unwrap().into(), call.text("name").unwrap().into());
        sink.push(ResponseEvent::ToolCallStart { index, id, name }).await?;
        let delta = call.get("arguments").map_or_else(|| "{}".to_owned(), to_text);
        sink.push(ResponseEvent::ToolCallDelta { index, delta: delta.into() }).await?;
        sink.push(ResponseEvent::ToolCallEnd { index }).await?;
        index += 1;
    }
    Ok(())
}

struct OwnTool {
    declaration: ToolDeclaration,
    spec: Value,
}

impl OwnTool {
    fn new(name: &str, spec: &Value) -> Self {
        let object = || parse(r#"{"type":"object","properties":{}}"#).unwrap();
        let declaration = ToolDeclaration {
            name: name.into(),
            description: name.into(),
            parameters: spec.get("parameters").cloned().unwrap_or_else(object),
            ..ToolDeclaration::default()
        };
        OwnTool { declaration, spec: spec.clone() }
    }
}

impl Tool for OwnTool {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn sequential(&self) -> bool {
        self.spec.text("executionMode") == Some("sequential")
    }

    fn execute<'a>(&'a self, args: Value, _context: ToolContext) -> LocalBoxFuture<'a, Result<ToolOutput, Error>> {
        let outcome = match (self.spec.text("throws"), self.spec.text("returns")) {
            (Some(message), _) => Err(message.into()),
            (None, Some(text)) => Ok(ToolOutput::text(text)),
            (None, None) => Ok(ToolOutput::text(to_text(&args))),
        };
        let hangs = self.spec.flag("hangs") == Some(true);
        async move {
            if hangs {
                pending::<()>().await;
            }
            outcome
        }
        .boxed_local()
    }
}

fn event_line(event: &AgentEvent) -> String {
    let name = event.name();
    match event {
        AgentEvent::MessageStart { message } | AgentEvent::MessageEnd { message } => {
            format!("{name} {}", line(message))
        }
        AgentEvent::MessageUpdate { update, .. } => format!("{name} {}", update_name(update)),
        AgentEvent::ToolExecutionStart { call } => format!("{name} {} {}", call.id, to_text(&call.arguments)),
        AgentEvent::ToolExecutionEnd { call, is_error, .. } => {
            format!("{name} {}{}", call.id, if *is_error { " failed" } else { "" })
        }
        AgentEvent::TurnEnd { tool_results, .. } => format!("{name} with {} results", tool_results.len()),
        AgentEvent::AgentEnd { messages } => format!("{name} with {} messages", messages.len()),
        _ => name.to_owned(),
    }
}

fn update_name(update: &ResponseEvent) -> &'static str {
    match update {
        ResponseEvent::Start => "start",
        ResponseEvent::TextStart { .. } => "text_start",
        ResponseEvent::TextDelta { .. } => "text_delta",
        ResponseEvent::TextEnd { .. } => "text_end",
        ResponseEvent::ThinkingStart { .. } => "thinking_start",
        ResponseEvent::ThinkingDelta { .. } => "thinking_delta",
        ResponseEvent::ThinkingEnd { .. } => "thinking_end",
        ResponseEvent::ToolCallStart { .. } => "toolcall_start",
        ResponseEvent::ToolCallDelta { .. } => "toolcall_delta",
        ResponseEvent::ToolCallEnd { .. } => "toolcall_end",
    }
}

fn block_line(block: &Content) -> String {
    match block {
        Content::Text { text, .. } => text.clone(),
        Content::Thinking { thinking, .. } => format!("<{thinking}>"),
        Content::Image { .. } => "[image]".to_owned(),
        Content::ToolCall(call) => {
            let ToolCall { id, name, arguments, .. } = &**call;
            format!("call({id} {name} {})", to_text(arguments))
        }
    }
}

/// A message in one line: role, blocks, then what is not normal about it.
fn line(message: &AgentMessage) -> String {
    let blocks = |content: &[Content]| content.iter().map(block_line).collect::<Vec<_>>().join("|");
    let answer = |message: &AssistantMessage| {
        let mut line = format!("assistant: {}", blocks(&message.content));
        if matches!(message.stop_reason, StopReason::Error | StopReason::Aborted | StopReason::Length) {
            line += &format!(" !{}", message.stop_reason.name());
        }
        match &message.error_message {
            Some(error) => line + &format!(" ({error})"),
            None => line,
        }
    };
    match message {
        AgentMessage::System(message) => format!("system: {}", message.content),
        AgentMessage::User(message) => format!("user: {}", blocks(&message.content)),
        AgentMessage::Assistant(message) => answer(message),
        AgentMessage::Partial(live) => answer(&live.snapshot()),
        AgentMessage::ToolResult(message) => {
            let failed = if message.is_error { " failed" } else { "" };
            format!("toolResult: {} of {}{failed}", blocks(&message.content), message.tool_call_id)
        }
        AgentMessage::Custom(message) => format!("{}: ", message.role),
    }
}
