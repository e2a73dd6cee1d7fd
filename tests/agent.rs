//! The Rust shell from outside: what an application sees of a run.
#![allow(clippy::disallowed_macros, clippy::print_stdout)]
#![allow(clippy::disallowed_types, clippy::indexing_slicing, clippy::unwrap_used)] // rules of the library

#[path = "support/yield_now.rs"]
mod yield_now;

use std::cell::Cell;
use std::rc::Rc;

use futures::executor::block_on;
use futures::future::LocalBoxFuture;
use steersman::agent::Agent;
use steersman::error::Error;
use steersman::model::Model;
use steersman::native::{
    tool_fn, AgentEvent, AgentMessage, AssistantMessage, Content, Request, ResponseEvent, ResponseSink, StopReason,
    StreamFn, ToolCall, ToolOutput,
};
use steersman::queue::QueueMode;
use steersman_wire::json::{self, Value};
use yield_now::yield_now;

type Answer = Box<dyn Fn(&Request) -> AssistantMessage>;

/// Answers in order; the last one again and again. Streams text word by word.
struct Scripted(Vec<Answer>, Cell<usize>);

impl Scripted {
    fn new(answers: Vec<Answer>) -> Self {
        Scripted(answers, Cell::new(0))
    }
}

impl StreamFn for Scripted {
    fn stream<'a>(&'a self, request: Request, response: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        Box::pin(async move {
            let turn = self.1.get();
            self.1.set(turn + 1);
            let answer = self.0[turn.min(self.0.len() - 1)](&request);
            if response.push(ResponseEvent::Start).await.is_err() {
                return answer;
            }
            for (index, block) in answer.content.iter().enumerate() {
                if let Content::Text { text, .. } = block {
                    let _ = response.push(ResponseEvent::TextStart { index }).await;
                    for delta in text.split_inclusive(' ') {
                        let _ = response.push(ResponseEvent::TextDelta { index, delta: delta.into() }).await;
                    }
                    let _ = response.push(ResponseEvent::TextEnd { index }).await;
                }
            }
            if request.abort.aborted() {
                let error_message = Some("Request was aborted".into());
                return AssistantMessage { stop_reason: StopReason::Aborted, error_message, ..response.partial() };
            }
            answer
        })
    }
}

fn says(text: &str) -> Answer {
    let message = AssistantMessage {
        content: vec![Content::text(text)],
        stop_reason: StopReason::Stop,
        ..AssistantMessage::default()
    };
    Box::new(move |_| message.clone())
}

fn calls(name: &str, arguments: &str) -> Answer {
    let call = ToolCall {
        id: "c1".into(),
        name: name.into(),
        arguments: json::parse(arguments).unwrap(),
        ..ToolCall::default()
    };
    let message = AssistantMessage {
        content: vec![Content::ToolCall(Rc::new(call))],
        stop_reason: StopReason::ToolUse,
        ..AssistantMessage::default()
    };
    Box::new(move |_| message.clone())
}

fn schema(text: &str) -> Value {
    json::parse(text).unwrap()
}

fn weather() -> impl steersman::native::Tool {
    let parameters = schema(
        r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}"#,
    );
    tool_fn("weather", "Weather of a city", parameters, |args, context| async move {
        context.update(ToolOutput::text("asking"));
        Ok(ToolOutput::text(format!("sunny: {}", json::to_text(&args))))
    })
}

fn texts(agent: &Agent) -> Vec<String> {
    agent.messages().iter().map(|message| format!("{}:{}", message.role(), message.text())).collect()
}

fn agent(answers: Vec<Answer>) -> Agent {
    Agent::builder().stream_fn(Scripted::new(answers)).tool(weather()).build().unwrap()
}

#[test]
fn a_tool_round_trip_with_coerced_arguments() {
    let agent = agent(vec![calls("weather", r#"{"city":"Bonn","days":"3"}"#), says("It is sunny.")]);
    let log = Rc::new(std::cell::RefCell::new(Vec::new()));
    let seen = log.clone();
    let _subscription = agent.subscribe(move |event: &AgentEvent| seen.borrow_mut().push(event.name()));
    block_on(agent.prompt("Weather?")).unwrap();
    assert_eq!(
        texts(&agent),
        [
            "system:",
            "user:Weather?",
            "assistant:",
            r#"toolResult:sunny: {"city":"Bonn","days":3}"#,
            "assistant:It is sunny."
        ]
    );
    let expected = "agent_start turn_start message_start message_end message_start message_end tool_execution_start \
                    tool_execution_update tool_execution_end message_start message_end turn_end turn_start \
                    message_start message_update message_update message_update message_update message_update \
                    message_end turn_end agent_end";
    assert_eq!(log.borrow().join(" "), expected);
    assert!(!agent.is_running());
}

#[test]
fn bad_arguments_and_unknown_tools_become_results_the_model_sees() {
    let agent = agent(vec![calls("weather", r#"{"days":"soon"}"#), calls("nothing", "{}"), says("done")]);
    block_on(agent.prompt("x")).unwrap();
    let texts = texts(&agent);
    assert!(texts[3].starts_with("toolResult:Validation failed for tool \"weather\":\n  - "), "{}", texts[3]);
    assert!(texts[3].ends_with("\n\nReceived arguments:\n{\n  \"days\": \"soon\"\n}"), "{}", texts[3]);
    assert_eq!(texts[5], "toolResult:Tool nothing not found");
    assert_eq!(texts[6], "assistant:done");
}

#[test]
fn steering_enters_after_the_turn_and_a_follow_up_when_the_run_would_end() {
    let agent = agent(vec![calls("weather", r#"{"city":"Bonn"}"#), says("one"), says("two")]);
    let handle = agent.clone();
    let _subscription = agent.subscribe(move |event: &AgentEvent| {
        if let AgentEvent::ToolExecutionStart { .. } = event {
            handle.steer(Rc::new(AgentMessage::user("steer")));
            handle.follow_up(Rc::new(AgentMessage::user("later")));
        }
    });
    block_on(agent.prompt("x")).unwrap();
    let roles: Vec<_> = texts(&agent).into_iter().skip(4).collect();
    assert_eq!(roles, ["user:steer", "assistant:one", "user:later", "assistant:two"]);
}

#[test]
fn an_abort_ends_the_run_in_order_and_keeps_what_was_said() {
    let agent = agent(vec![says("a b c d")]);
    let handle = agent.clone();
    let _subscription = agent.subscribe(move |event: &AgentEvent| {
        if let AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { .. }, .. } = event {
            handle.abort();
        }
    });
    block_on(agent.prompt("x")).unwrap();
    let messages = agent.messages();
    let last = messages.last().unwrap().as_assistant().unwrap();
    assert_eq!(last.stop_reason, StopReason::Aborted);
    assert_eq!(messages.last().unwrap().text(), "a b c d");
    assert_eq!(agent.error_message().as_deref(), Some("Request was aborted"));
    block_on(agent.wait_for_idle());
}

#[test]
fn a_listener_that_fails_ends_the_run_with_every_closing_event() {
    struct Broken(Rc<Cell<bool>>);
    impl steersman::native::Listener for Broken {
        fn on_event(
            &self,
            event: &AgentEvent,
            _abort: &steersman::abort::Abort,
        ) -> Option<LocalBoxFuture<'static, Result<(), Error>>> {
            let fails = matches!(event, AgentEvent::MessageUpdate { .. }) && !self.0.replace(true);
            fails.then(|| Box::pin(async { Err(Error::application("listener broke")) }) as LocalBoxFuture<'static, _>)
        }
    }
    let agent = agent(vec![says("a b")]);
    let mut events = agent.events();
    let _subscription = agent.subscribe(Broken(Rc::new(Cell::new(false))));
    block_on(agent.prompt("x")).unwrap();
    assert_eq!(agent.error_message().as_deref(), Some("listener broke"));
    drop(_subscription);
    let mut names = Vec::new();
    drop(agent);
    while let Some(event) = block_on(events.next()) {
        names.push(event.name());
    }
    assert_eq!(names.last(), Some(&"agent_end"));
    assert_eq!(names.iter().filter(|name| **name == "agent_end").count(), 1);
}

#[test]
fn a_second_prompt_is_refused_while_one_runs_and_a_dropped_run_is_over() {
    let agent = agent(vec![says("a")]);
    let mut first = Box::pin(agent.prompt("x"));
    let waker = futures::task::noop_waker();
    // Not polled: nothing runs.
    assert!(!agent.is_running());
    let gate = agent.subscribe(Gate);
    assert!(first.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending());
    let refused = block_on(agent.prompt("y")).unwrap_err();
    assert!(refused.message.starts_with("Agent is already processing a prompt."));
    assert!(agent.reset().is_err());
    drop(first);
    drop(gate);
    assert!(!agent.is_running());
    block_on(agent.prompt("z")).unwrap();
    assert_eq!(texts(&agent).last().unwrap(), "assistant:a");
}

#[test]
fn who_waits_for_the_end_of_a_run_is_kept_once_however_often_it_asks() {
    struct Task;
    impl std::task::Wake for Task {
        fn wake(self: std::sync::Arc<Self>) {}
    }
    let agent = agent(vec![says("a")]);
    agent.subscribe(Gate).forever();
    let task = std::sync::Arc::new(Task);
    let waker = task.clone().into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut run = Box::pin(agent.prompt("x"));
    assert!(run.as_mut().poll(&mut context).is_pending());
    let before = std::sync::Arc::strong_count(&task);
    let mut idle = Box::pin(agent.wait_for_idle());
    for _ in 0..100 {
        assert!(idle.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(std::sync::Arc::strong_count(&task), before + 1);
    drop(run);
    assert!(idle.as_mut().poll(&mut context).is_ready());
}

/// Never lets anything pass.
struct Gate;

impl steersman::native::Listener for Gate {
    fn on_event(
        &self,
        _event: &AgentEvent,
        _abort: &steersman::abort::Abort,
    ) -> Option<LocalBoxFuture<'static, Result<(), Error>>> {
        Some(Box::pin(futures::future::pending()))
    }
}

use std::future::Future;

#[test]
fn calls_of_an_answer_run_together_and_results_keep_their_order() {
    assert_eq!(order_of_ends(false), ["fast", "slow"]);
}

#[test]
fn a_tool_that_wants_to_be_alone_makes_its_batch_run_one_by_one() {
    assert_eq!(order_of_ends(true), ["slow", "fast"]);
}

/// Two calls of one answer, the slow one first; `alone`: the fast tool runs one at a time.
fn order_of_ends(alone: bool) -> Vec<&'static str> {
    let order = Rc::new(std::cell::RefCell::new(Vec::new()));
    let two_calls: Answer = Box::new(|_| {
        let call = |id: &str, name: &str| {
            let arguments = json::parse("{}").unwrap();
            Content::ToolCall(Rc::new(ToolCall { id: id.into(), name: name.into(), arguments, ..ToolCall::default() }))
        };
        AssistantMessage {
            content: vec![call("1", "slow"), call("2", "fast")],
            stop_reason: StopReason::ToolUse,
            ..AssistantMessage::default()
        }
    });
    let tool = |name: &'static str, yields: u32| {
        let order = order.clone();
        tool_fn(name, "", schema(r#"{"type":"object"}"#), move |_, _| {
            let order = order.clone();
            async move {
                for _ in 0..yields {
                    yield_now().await;
                }
                order.borrow_mut().push(name);
                Ok(ToolOutput::text(name))
            }
        })
    };
    let agent = Agent::builder().stream_fn(Scripted::new(vec![two_calls, says("end")])).tool(tool("slow", 5));
    let fast = tool("fast", 1);
    let agent = agent.tool(if alone { fast.one_at_a_time() } else { fast }).build().unwrap();
    block_on(agent.prompt("x")).unwrap();
    assert_eq!(texts(&agent)[3..5], ["toolResult:slow", "toolResult:fast"]);
    order.take()
}

#[test]
fn what_is_changed_counts_from_the_next_request_on() {
    let seen = Rc::new(std::cell::RefCell::new(Vec::new()));
    let log = seen.clone();
    let answer: Answer = Box::new(move |request| {
        let Request { model, thinking_level, session_id, api_key, .. } = request;
        let words =
            [model.text("id"), thinking_level, session_id.as_deref().unwrap_or("-"), api_key.as_deref().unwrap()];
        log.borrow_mut().push(words.join(" "));
        AssistantMessage { stop_reason: StopReason::Stop, ..AssistantMessage::default() }
    });
    let agent = Agent::builder()
        .stream_fn(Scripted::new(vec![answer]))
        .model(Model::openai_compatible("https://host/v1", "first"))
        .api_key("key")
        .session_id("one")
        .build()
        .unwrap();
    block_on(agent.prompt("x")).unwrap();
    agent.set_model(Model::openai_compatible("https://host/v1", "second"));
    agent.set_thinking_level("high");
    agent.set_session_id(Some("two"));
    block_on(agent.prompt("y")).unwrap();
    agent.set_session_id(None);
    block_on(agent.prompt("z")).unwrap();
    assert_eq!(*seen.borrow(), ["first off one key", "second high two key", "second high - key"]);
}

#[test]
fn queues_give_one_message_at_a_time_unless_all_are_asked_for() {
    let agent = agent(vec![says("done")]);
    assert_eq!((agent.steering_mode(), agent.follow_up_mode()), (QueueMode::OneAtATime, QueueMode::OneAtATime));
    agent.set_follow_up_mode(QueueMode::All);
    for text in ["a", "b"] {
        agent.steer(Rc::new(AgentMessage::user(text)));
        agent.follow_up(Rc::new(AgentMessage::user(text.to_uppercase())));
    }
    block_on(agent.prompt("x")).unwrap();
    let expected = "system: user:x user:a assistant:done user:b assistant:done user:A user:B assistant:done";
    assert_eq!(texts(&agent).join(" "), expected);
}

#[test]
fn what_comes_as_an_aborted_run_ends_stays_queued() {
    let agent = agent(vec![says("done")]);
    let handle = agent.clone();
    let subscription = agent.subscribe(move |event: &AgentEvent| {
        if let AgentEvent::AgentEnd { .. } = event {
            handle.follow_up(Rc::new(AgentMessage::user("later")));
            handle.abort();
        }
    });
    block_on(agent.prompt("x")).unwrap();
    drop(subscription);
    assert_eq!(texts(&agent).join(" "), "system: user:x assistant:done");
    block_on(agent.continue_run()).unwrap();
    assert_eq!(texts(&agent).join(" "), "system: user:x assistant:done user:later assistant:done");
}

#[test]
fn a_listener_hears_as_long_as_it_is_subscribed() {
    let agent = agent(vec![says("done")]);
    let heard = Rc::new(Cell::new((0, 0)));
    let (short, long) = (heard.clone(), heard.clone());
    let is_end = |event: &AgentEvent| u32::from(matches!(event, AgentEvent::AgentEnd { .. }));
    let subscription = agent.subscribe(move |event: &AgentEvent| {
        let (first, second) = short.get();
        short.set((first + is_end(event), second));
    });
    agent
        .subscribe(move |event: &AgentEvent| {
            let (first, second) = long.get();
            long.set((first, second + is_end(event)));
        })
        .forever();
    block_on(agent.prompt("x")).unwrap();
    drop(subscription);
    block_on(agent.prompt("y")).unwrap();
    assert_eq!(heard.get(), (1, 2));
}
