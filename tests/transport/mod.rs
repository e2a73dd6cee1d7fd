//! The transport over `fetch` against a server that follows a script (`server.mjs`), whose address is given when this
//! is compiled. Each script is named by the path, with an id of the test's choice behind it.

use std::cell::Cell;
use std::rc::Rc;

use futures::future::{select, Either, FutureExt, LocalBoxFuture};
use js_sys::{Date, Function, Promise};
use steersman::agent::{Agent, AgentBuilder};
use steersman::model::Model;
use steersman::native::{tool_fn, AgentEvent, Limits, ResponseEvent, StopReason, ToolOutput, Wires};
use steersman::web::{self, Fetch};
use steersman_wire::json::{parse, to_text, Value};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{spawn_local, JsFuture};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::{difference, Once};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch)]
    fn get(url: &str) -> Promise;
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &Function, ms: f64) -> JsValue;
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now() -> f64;
}

fn address(path: &str) -> String {
    let server = option_env!("STEERSMAN_SCRIPTS").unwrap_or_default();
    [server, "/", path].concat()
}

/// An id that no other test run has.
fn id() -> String {
    format!("{}-{}", Date::now(), js_sys::Math::random())
}

fn describe(script: &str, id: &str) -> AgentBuilder {
    let model = Model::openai_compatible(&address(&format!("{script}/{id}")), "m");
    web::agent().model(model).api_key("sk-0123456789")
}

fn agent(script: &str) -> Agent {
    describe(script, &id()).build().unwrap()
}

/// Text of the answer, and what went wrong with it.
async fn ask(agent: &Agent) -> (String, String) {
    agent.prompt("Hello?").await.unwrap();
    (agent.messages().last().unwrap().text(), agent.error_message().unwrap_or_default())
}

/// The text of a GET.
async fn text_of(path: &str) -> String {
    let response = JsFuture::from(get(&address(path))).await.unwrap().unchecked_into::<web_sys::Response>();
    let text = js_sys::Reflect::get(&response, &"text".into()).unwrap().unchecked_into::<Function>();
    let text = text.call0(&response).unwrap().unchecked_into::<Promise>();
    JsFuture::from(text).await.unwrap().as_string().unwrap()
}

fn is_text(event: &AgentEvent) -> bool {
    matches!(event, AgentEvent::MessageUpdate { update: ResponseEvent::TextDelta { .. }, .. })
}

#[wasm_bindgen_test]
async fn an_answer_arrives() {
    let agent = agent("answer");
    assert_eq!(ask(&agent).await, ("You said: Hello?".into(), String::new()));
    let answer = agent.messages().last().unwrap().as_assistant().unwrap().clone();
    assert_eq!(answer.stop_reason, StopReason::Stop);
    assert!((Date::now() - answer.timestamp).abs() < 86_400_000.0, "the clock is that of the browser");
}

#[wasm_bindgen_test]
async fn what_is_no_answer_ends_as_an_error_and_keeps_what_came() {
    for (script, came, code, words) in [
        ("key", "", "auth", "no such key"),
        ("page", "", "protocol", "Please log in"),
        ("lost", "so far", "network", "The connection was lost: "),
        ("unfinished", "so far", "stream_truncated", "Stream ended without finish_reason"),
        ("redirect", "", "invalid_request", " answered with a redirect."),
    ] {
        let id = id();
        let agent = describe(script, &id).build().unwrap();
        let tell = address(&format!("tell/{id}"));
        let _told = agent.subscribe(move |event: &AgentEvent| {
            if is_text(event) {
                drop(get(&tell));
            }
        });
        let (text, error) = ask(&agent).await;
        let answer = agent.messages().last().unwrap().as_assistant().unwrap().clone();
        assert_eq!((answer.stop_reason, text.as_str()), (StopReason::Error, came), "{script}: {error}");
        assert!(error.contains(words), "{script}: {error}");
        assert!(to_text(&Value::Object(answer.extra)).contains(&format!("\"code\":\"{code}\"")), "{script}");
    }
}

#[wasm_bindgen_test]
async fn a_server_that_is_not_there_is_named() {
    // A port that browsers never connect to.
    let agent =
        web::agent().model(Model::openai_compatible("http://127.0.0.1:9/v1", "m")).api_key("k").build().unwrap();
    let (_, error) = ask(&agent).await;
    assert!(error.starts_with("Could not reach 127.0.0.1:9: "), "{error}");
}

#[wasm_bindgen_test]
async fn an_impossible_request_is_not_taken_for_a_failure_of_the_network() {
    for (url, key, words) in [
        ("localhost:8080/v1", "k", "baseUrl makes no valid URL: localhost:8080/v1"),
        ("http://[", "k", "baseUrl makes no valid URL: http://["),
        ("https://models.example/v1", "sk-\u{2019}0123456789", "The header authorization has a name or value"),
    ] {
        let agent = web::agent().model(Model::openai_compatible(url, "m")).api_key(key).build().unwrap();
        let (_, error) = ask(&agent).await;
        assert!(error.contains(words) && !error.contains("0123456789"), "{error}");
    }
}

#[wasm_bindgen_test]
async fn an_abort_closes_the_connection_and_keeps_what_came() {
    let id = id();
    let agent = describe("endless", &id).build().unwrap();
    let handle = agent.clone();
    let _stop = agent.subscribe(move |event: &AgentEvent| {
        if is_text(event) {
            handle.abort();
        }
    });
    let (text, error) = ask(&agent).await;
    assert_eq!((text.as_str(), error.as_str()), ("so far", "Request was aborted"));
    text_of(&format!("closed/{id}")).await;
}

/// Drops a run once `until` is done, and waits for the server to see it.
async fn drop_when(id: &str, agent: &Agent, until: LocalBoxFuture<'_, ()>) {
    match select(agent.prompt("Hello?").boxed_local(), until).await {
        Either::Left(_) => panic!("the run ended by itself"),
        Either::Right(((), run)) => drop(run),
    }
    assert!(!agent.is_running());
    text_of(&format!("closed/{id}")).await;
}

#[wasm_bindgen_test]
async fn a_run_that_is_dropped_before_the_answer_closes_the_connection() {
    let id = id();
    let asked = format!("asked/{id}");
    let until = text_of(&asked).map(drop).boxed_local();
    drop_when(&id, &describe("silent", &id).build().unwrap(), until).await;
}

#[wasm_bindgen_test]
async fn a_run_that_is_dropped_inside_of_an_answer_closes_the_connection() {
    let id = id();
    let agent = describe("endless", &id).build().unwrap();
    let mut events = agent.events();
    let until = async move {
        while !is_text(&events.next().await.unwrap()) {}
        // Some tasks later the next piece is being waited for.
        for _ in 0..3 {
            next_task().await;
        }
    };
    drop_when(&id, &agent, until.boxed_local()).await;
}

/// Its connection would serve nobody again, so it does not stay open.
#[wasm_bindgen_test]
async fn an_answer_whose_body_does_not_end_closes_its_connection() {
    let id = id();
    assert_eq!(ask(&describe("lingering", &id).build().unwrap()).await, ("all".into(), String::new()));
    text_of(&format!("closed/{id}")).await;
}

/// The timer and the clock are those of the page; the connection is closed with the silence.
#[wasm_bindgen_test]
async fn an_answer_that_falls_silent_ends_and_closes_its_connection() {
    for (script, came) in [("silent", ""), ("endless", "so far")] {
        let id = id();
        let limits = Limits { idle_ms: Some(50), ..Limits::default() };
        let (text, error) = ask(&describe(script, &id).limits(limits).build().unwrap()).await;
        assert_eq!(text, came);
        assert_eq!(error, "The response timed out: nothing came for 50 ms (limits.idleMs)");
        text_of(&format!("closed/{id}")).await;
    }
}

async fn next_task() {
    JsFuture::from(Promise::new(&mut |resolve, _| drop(set_timeout(&resolve, 0.0)))).await.unwrap();
}

/// Everything comes at once, and every delta costs a millisecond. Others must have their turn all the same.
#[wasm_bindgen_test]
async fn a_burst_leaves_turns_to_others() {
    let agent = agent("burst");
    let (deltas, since, most) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let others = since.clone();
    let over = Rc::new(Cell::new(false));
    let stop = over.clone();
    spawn_local(async move {
        while !stop.get() {
            others.set(0);
            next_task().await;
        }
    });
    let (count, longest) = (deltas.clone(), most.clone());
    let _busy = agent.subscribe(move |event: &AgentEvent| {
        if is_text(event) {
            count.set(count.get() + 1);
            since.set(since.get() + 1);
            longest.set(longest.get().max(since.get()));
            let begun = now();
            while now() - begun < 1.0 {}
        }
    });
    let (text, error) = ask(&agent).await;
    over.set(true);
    assert_eq!((text, error), ("word ".repeat(600), String::new()));
    assert_eq!(deltas.get(), 600);
    assert!(most.get() <= 200, "{} deltas without a turn for others", most.get());
}

#[wasm_bindgen_test]
async fn what_may_pass_is_repeated_where_it_is_asked_for() {
    let id = id();
    let described = describe("busy", &id).stream_fn(Wires::new(Fetch::default().retries(2)));
    assert_eq!(ask(&described.build().unwrap()).await, ("You said: Hello?".into(), String::new()));

    let (_, error) = ask(&agent("busy")).await;
    assert!(error.contains("overloaded"), "{error}");
}

#[wasm_bindgen_test]
async fn a_server_is_waited_for_as_it_asks_and_not_too_long() {
    let repeating =
        |script| describe(script, &id()).stream_fn(Wires::new(Fetch::default().retries(1))).build().unwrap();
    let (_, error) = ask(&repeating("tomorrow")).await;
    assert!(error.contains("come back later"), "{error}");
    assert_eq!(ask(&repeating("vague")).await, ("You said: Hello?".into(), String::new()));
}

/// The first address is no address, which only a regular expression says: the model is told, and tries again.
#[wasm_bindgen_test]
async fn a_tool_is_called_with_arguments_that_the_browser_has_checked() {
    let sent = Rc::new(Cell::new(0));
    let count = sent.clone();
    let parameters = r#"{"type": "object", "properties": {"to": {"type": "string", "format": "email"}}}"#;
    let send = tool_fn("send", "Sends", parse(parameters).unwrap(), move |args, _| {
        count.set(count.get() + 1);
        async move { Ok(ToolOutput::text(format!("sent to {}", args.get("to").and_then(Value::as_str).unwrap()))) }
    });
    let agent = describe("tool", &id()).tool(send).build().unwrap();
    assert_eq!(ask(&agent).await, ("sent to nobody@mail.example".into(), String::new()));
    assert_eq!(sent.get(), 1);
    let results = agent.messages().iter().filter(|message| message.role() == "toolResult").cloned().collect::<Vec<_>>();
    assert!(results[0].text().contains("an email address"), "{}", results[0].text());
}

#[wasm_bindgen_test]
async fn recorded_bodies_of_all_families_give_the_message_written_down() {
    let fixtures = parse(&text_of("fixtures").await).unwrap();
    let Value::Array(fixtures) = fixtures else { panic!("a list") };
    let mut families = std::collections::BTreeSet::new();
    for fixture in &fixtures {
        let (family, name) = (fixture.get("family").unwrap(), fixture.get("name").unwrap());
        let (family, name) = (family.as_str().unwrap(), name.as_str().unwrap());
        let case = fixture.get("case").unwrap();
        let model = Model::from_json(&to_text(case.get("model").unwrap())).unwrap();
        let model = model.with("baseUrl", address(&format!("fixtures/{family}/{name}")).as_str());
        let agent = web::agent().model(model).hooks(Once).api_key("sk-0123456789").build().unwrap();
        agent.prompt("go").await.unwrap();
        let messages = agent.messages();
        let answer = messages.iter().rfind(|message| message.as_assistant().is_some()).unwrap();
        let found = difference(case.get("message").unwrap(), &parse(&answer.to_json()).unwrap(), "message");
        assert_eq!(found, None, "{family}/{name}\n{}", answer.to_json());
        families.insert(family.to_owned());
    }
    assert!(families.len() >= 6 && fixtures.len() >= 100, "{families:?}, {} bodies", fixtures.len());
}
