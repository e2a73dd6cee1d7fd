//! The built-in wires in the Rust shell, over a transport that plays recorded bodies.
#![allow(clippy::disallowed_macros, clippy::print_stdout)]
#![allow(clippy::disallowed_types, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod support;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use futures::executor::block_on;
use futures::future::{pending, FutureExt, LocalBoxFuture};
use futures::stream::{self, StreamExt};
use steersman::abort::Abort;
use steersman::agent::Agent;
use steersman::error::{Error, ErrorKind};
use steersman::model::Model;
use steersman::native::{AgentEvent, HttpResponse, ResponseEvent, StopReason, Transport, Wires};
use steersman_wire::json::{parse, to_text, Value};
use steersman_wire::HttpRequest;
use support::{difference, Once};

/// Answers every request with one body in pieces; what the pieces end with is up to `end`.
#[derive(Clone)]
struct Played(Rc<Script>);

struct Script {
    status: u16,
    content_type: String,
    pieces: Vec<Vec<u8>>,
    end: End,
    requests: RefCell<Vec<HttpRequest>>,
    /// Bodies that are open now.
    open: Rc<Cell<usize>>,
}

#[derive(Clone, Copy)]
enum End {
    Complete,
    Reset,
    Hang,
    /// No response at all.
    Refused,
}

/// Counts the body as closed when it goes.
struct Opened(Rc<Cell<usize>>);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Transport for Played {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, Error>> {
        let script = self.0.clone();
        script.requests.borrow_mut().push(request);
        async move {
            if matches!(script.end, End::Refused) {
                return Err(Error::new(ErrorKind::Network, "connection refused"));
            }
            script.open.set(script.open.get() + 1);
            let opened = Opened(script.open.clone());
            let pieces = stream::iter(script.pieces.clone()).map(Ok);
            let end = match script.end {
                End::Reset => stream::iter([Err(Error::new(ErrorKind::Network, "connection reset"))]).boxed_local(),
                End::Hang => stream::once(pending()).boxed_local(),
                End::Complete | End::Refused => stream::empty().boxed_local(),
            };
            let body = pieces.chain(end).map(move |piece| {
                let _held = &opened;
                piece
            });
            let (status, content_type) = (script.status, script.content_type.clone());
            Ok(HttpResponse { status, status_text: String::new(), content_type, body: body.boxed_local() })
        }
        .boxed_local()
    }
}

fn played(body: &[u8], size: usize, end: End) -> Played {
    Played(Rc::new(Script {
        status: 200,
        content_type: "text/event-stream".into(),
        pieces: body.chunks(size).map(<[u8]>::to_vec).collect(),
        end,
        requests: RefCell::default(),
        open: Rc::default(),
    }))
}

fn agent(transport: &Played, model: Model) -> Agent {
    Agent::builder()
        .model(model)
        .stream_fn(Wires::new(transport.clone()).option("temperature", 0.5))
        .hooks(Once)
        .api_key("sk-0123456789")
        .session_id("s1")
        .system_prompt("Be brief.")
        .clock(|| 7.0)
        .build()
        .unwrap()
}

fn chat() -> Model {
    Model::openai_compatible("https://provider.example/v1", "m")
}

fn answer(agent: &Agent) -> Value {
    let messages = agent.messages();
    let answer = messages.iter().rfind(|message| message.as_assistant().is_some()).unwrap();
    parse(&answer.to_json()).unwrap()
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wires/openai-completions/streams");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

#[test]
fn recorded_bodies_give_the_message_written_down() {
    let mut plays = 0;
    for path in fixtures() {
        let case = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let body = std::fs::read(path.with_extension("sse")).unwrap();
        for size in [1, 7, usize::MAX] {
            let mut script = Rc::into_inner(played(&body, size.min(body.len().max(1)), End::Complete).0).unwrap();
            script.status = case.get("status").and_then(Value::as_f64).map_or(200, |status| status as u16);
            if let Some(given) = case.get("contentType").and_then(Value::as_str) {
                script.content_type = given.to_owned();
            }
            let transport = Played(Rc::new(script));
            let agent = agent(&transport, Model::from_json(&to_text(case.get("model").unwrap())).unwrap());
            block_on(agent.prompt("go")).unwrap();
            let found = difference(case.get("message").unwrap(), &answer(&agent), "message");
            assert_eq!(found, None, "{} in pieces of {size}\n{}", path.display(), to_text(&answer(&agent)));
            assert_eq!(transport.0.open.get(), 0, "{}: the connection stays open", path.display());
            plays += 1;
        }
    }
    assert!(plays >= 60, "{plays}");
}

const TWO_WORDS: &str =
    "data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one \"}}]}\n\n\
                         data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"two\"}}]}\n\n";

#[test]
fn the_request_says_what_the_agent_knows() {
    let transport = played(TWO_WORDS.as_bytes(), 1000, End::Complete);
    let agent = agent(&transport, chat());
    block_on(agent.prompt("Hello?")).unwrap();
    let requests = transport.0.requests.borrow();
    let [request] = requests.as_slice() else { panic!("one request") };
    assert_eq!(request.url, "https://provider.example/v1/chat/completions");
    assert!(request.headers.contains(&("authorization".into(), "Bearer sk-0123456789".into())));
    let body = parse(std::str::from_utf8(&request.body).unwrap()).unwrap();
    let messages = to_text(body.get("messages").unwrap());
    assert!(messages.contains("Be brief.") && messages.contains("Hello?"), "{messages}");
    assert_eq!(body.get("temperature").and_then(Value::as_f64), Some(0.5));
    assert!(to_text(&body).contains("16384"), "the answer may be as long as the model can make it");
}

#[test]
fn an_abort_between_two_deltas_keeps_what_was_delivered_and_closes_the_connection() {
    let transport = played(TWO_WORDS.as_bytes(), 1000, End::Hang);
    let agent = agent(&transport, chat());
    let handle = agent.clone();
    let _subscription = agent.subscribe(move |event: &AgentEvent| {
        if matches!(event, AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { .. }, .. }) {
            handle.abort();
        }
    });
    block_on(agent.prompt("go")).unwrap();
    let message = agent.messages().last().unwrap().clone();
    let said = message.as_assistant().unwrap();
    assert_eq!(message.text(), "one ");
    assert_eq!((said.stop_reason, said.error_message.as_deref()), (StopReason::Aborted, Some("Request was aborted")));
    assert_eq!(answer(&agent).get("responseId").and_then(Value::as_str), Some("c1"));
    assert_eq!(transport.0.open.get(), 0);
}

#[test]
fn an_abort_while_nothing_comes_ends_the_wait() {
    let transport = played(TWO_WORDS.as_bytes(), 1000, End::Hang);
    let agent = agent(&transport, chat());
    let waker = futures::task::noop_waker();
    let mut run = Box::pin(agent.prompt("go"));
    let mut cx = std::task::Context::from_waker(&waker);
    assert!(run.poll_unpin(&mut cx).is_pending());
    assert_eq!(transport.0.open.get(), 1);
    agent.abort();
    block_on(run).unwrap();
    assert_eq!(agent.messages().last().unwrap().text(), "one two");
    assert_eq!(transport.0.open.get(), 0);
}

fn code(agent: &Agent) -> String {
    let answer = answer(agent);
    let diagnostics = answer.get("diagnostics").and_then(Value::as_array).unwrap();
    diagnostics[0].get("code").and_then(Value::as_str).unwrap().to_owned()
}

#[test]
fn a_broken_connection_is_an_answer_with_an_error() {
    for (end, text) in [(End::Reset, "one two"), (End::Refused, "")] {
        let transport = played(TWO_WORDS.as_bytes(), 9, end);
        let agent = agent(&transport, chat());
        block_on(agent.prompt("go")).unwrap();
        let message = agent.messages().last().unwrap().clone();
        assert_eq!(message.as_assistant().unwrap().stop_reason, StopReason::Error);
        assert_eq!((message.text().as_str(), code(&agent).as_str()), (text, "network"));
    }
}

#[test]
fn what_cannot_be_asked_is_an_answer_with_an_error() {
    let transport = played(b"", 1, End::Complete);
    let unknown = agent(&transport, Model::unknown());
    block_on(unknown.prompt("go")).unwrap();
    assert_eq!(code(&unknown), "unsupported");
    let keyless = Agent::builder().model(chat()).stream_fn(Wires::new(transport.clone())).build().unwrap();
    block_on(keyless.prompt("go")).unwrap();
    assert_eq!(code(&keyless), "auth");
    assert_eq!(keyless.error_message().as_deref(), Some("No API key for provider: openai-compatible"));
    assert!(transport.0.requests.borrow().is_empty());
}

#[test]
fn a_listener_that_fails_ends_the_request() {
    struct Broken;
    impl steersman::native::Listener for Broken {
        fn on_event(&self, event: &AgentEvent, _abort: &Abort) -> Option<LocalBoxFuture<'static, Result<(), Error>>> {
            let fails = matches!(event, AgentEvent::MessageUpdate { .. });
            fails.then(|| async { Err(Error::application("no more")) }.boxed_local())
        }
    }
    let transport = played(TWO_WORDS.as_bytes(), 5, End::Hang);
    let agent = agent(&transport, chat());
    let _subscription = agent.subscribe(Broken);
    block_on(agent.prompt("go")).unwrap();
    assert_eq!(agent.error_message().as_deref(), Some("no more"));
    assert_eq!(transport.0.open.get(), 0);
}
