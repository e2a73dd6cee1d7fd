//! The JS layer in a browser, with a JavaScript side made for the test (`tests/web/host.js`): when tasks are polled,
//! whose objects come out, and how a run ends when JavaScript throws.
#![allow(clippy::disallowed_macros, clippy::print_stdout)]
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::cell::Cell;

use js_sys::{Array, Object, Promise};
use steersman::js;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(module = "/tests/web/host.js")]
extern "C" {
    #[wasm_bindgen(js_name = makeEnv)]
    fn make_env(settle: &Closure<dyn Fn(f64, bool, JsValue)>) -> JsValue;
    #[wasm_bindgen(js_name = readOperations)]
    fn read_operations(source: &str);
    #[wasm_bindgen(js_name = thoroughRun)]
    fn thorough_run() -> JsValue;
    #[wasm_bindgen(js_name = brokenRun)]
    fn broken_run(method: &str, thrown: &JsValue, later: bool) -> JsValue;
    #[wasm_bindgen(js_name = nestingRun)]
    fn nesting_run(begin: &Closure<dyn Fn()>) -> JsValue;
    #[wasm_bindgen(js_name = racingRun)]
    fn racing_run() -> JsValue;
    #[wasm_bindgen(variadic)]
    fn context(messages: &Array) -> JsValue;
    #[wasm_bindgen(js_name = logOf)]
    fn log_of(run: &JsValue) -> String;
    #[wasm_bindgen(js_name = doneOf)]
    fn done_of(run: &JsValue) -> Promise;
    #[wasm_bindgen(catch)]
    fn field(object: &JsValue, path: &str) -> Result<JsValue, JsValue>;
}

/// Every rule of the default profile.
const PROFILE: u32 = 15;

thread_local! {
    static INSTALLED: Cell<bool> = const { Cell::new(false) };
}

/// Give the module its environment, once for all tests of the page.
fn install() {
    if !INSTALLED.replace(true) {
        let settle = Closure::<dyn Fn(f64, bool, JsValue)>::new(js::settle);
        js::install(make_env(&settle).unchecked_into());
        settle.forget();
        read_operations(include_str!("../src/js/host.rs"));
    }
}

fn start(run: &JsValue, prompts: &Array) {
    let none = JsValue::UNDEFINED;
    js::start_run(run.clone().unchecked_into(), prompts.into(), context(&Array::new()), none, PROFILE);
}

/// What `finish` was told: whether the run went well, and the value.
async fn end_of(run: &JsValue) -> (bool, JsValue) {
    let end = done_of(run).await.unwrap();
    (field(&end, "ok").unwrap().is_truthy(), field(&end, "value").unwrap())
}

fn prompts() -> Array {
    Array::of1(&Object::new())
}

#[wasm_bindgen_test]
fn a_run_is_polled_once_inside_the_call() {
    install();
    let run = thorough_run();
    start(&run, &prompts());
    assert_eq!(log_of(&run), "agent_start");
}

#[wasm_bindgen_test]
async fn a_run_goes_through_all_its_steps() {
    install();
    let run = thorough_run();
    start(&run, &prompts());
    assert!(end_of(&run).await.0);
    let steps = [
        "agent_start, turn_start, message_start, message_end, request",
        "tool_start c1, tool_start c2, tool_end c2 failed, tool_end c1",
        "message_start, message_end, message_start, message_end, turn_end",
        "turn_start, request, turn_end, agent_end, finished",
    ];
    assert_eq!(log_of(&run), steps.join(", "));
}

#[wasm_bindgen_test]
async fn objects_keep_their_identity() {
    install();
    let run = thorough_run();
    let prompts = prompts();
    start(&run, &prompts);
    let (_, added) = end_of(&run).await;
    // The prompt that went in is the message of the events and of the result.
    assert!(Object::is(&field(&run, "seen.messages.0").unwrap(), &prompts.get(0)));
    assert!(Object::is(&field(&added, "0").unwrap(), &prompts.get(0)));
    // The list that `agent_end` carries is the list the run resolves with.
    assert!(Object::is(&field(&run, "seen.added").unwrap(), &added));
    // The tool returned its arguments: the very object of the call in the answer.
    let arguments = field(&added, "1.calls.0.arguments").unwrap();
    assert!(Object::is(&field(&run, "seen.results.0").unwrap(), &arguments));
}

#[wasm_bindgen_test]
async fn tools_that_run_together_end_in_order_of_completion() {
    install();
    let run = racing_run();
    start(&run, &prompts());
    assert!(end_of(&run).await.0);
    let log = log_of(&run);
    assert!(log.contains("tool_start c1, tool_start c2, tool_end c2, tool_end c1"), "{log}");
    // Results are recorded in the order of the calls all the same.
    assert_eq!(field(&run, "seen.results.0").unwrap().as_string().as_deref(), Some("slow"));
    assert_eq!(field(&run, "seen.results.1").unwrap().as_string().as_deref(), Some("quick"));
}

#[wasm_bindgen_test]
async fn a_method_that_throws_ends_the_run_with_the_value_it_threw() {
    install();
    let methods =
        "aborted agentStart turnStart messageStart messageEnd toolStart toolEnd turnEnd agentEnd lengthOf item \
                   push append extended declared chooseStreamFn transformContext convertToLlm resolveApiKey stream \
                   outcomeOf toolCalls steering followUps prepareNextTurn prepareRequest finishTurn shouldStop \
                   sequential findTool toolSequential arguments beforeToolCall execute reportsError \
                   afterToolCall terminates errorResult resultMessage";
    for method in methods.split_whitespace() {
        let thrown = Object::new();
        let run = broken_run(method, &thrown, false);
        start(&run, &prompts());
        let (ok, value) = end_of(&run).await;
        let expected_ok = tool_failure(method);
        assert_eq!(ok, expected_ok, "{method}: {}", log_of(&run));
        assert!(expected_ok || Object::is(&value, &thrown), "{method}: {}", log_of(&run));
    }
}

/// What goes wrong in here is the tool's failure: an error result for the model, and the run goes on.
fn tool_failure(method: &str) -> bool {
    matches!(method, "arguments" | "beforeToolCall" | "reportsError" | "afterToolCall")
}

#[wasm_bindgen_test]
async fn a_promise_that_rejects_ends_the_run_with_its_reason() {
    install();
    let methods = "agentStart turnStart messageStart messageEnd toolStart toolEnd turnEnd agentEnd transformContext \
                   convertToLlm resolveApiKey stream steering followUps prepareNextTurn prepareRequest finishTurn \
                   shouldStop";
    for method in methods.split_whitespace() {
        let reason = Object::new();
        let run = broken_run(method, &reason, true);
        start(&run, &prompts());
        let (ok, value) = end_of(&run).await;
        assert!(!ok && Object::is(&value, &reason), "{method}: {}", log_of(&run));
    }
}

#[wasm_bindgen_test]
async fn a_run_may_start_another_one_inside_an_event() {
    install();
    let inner = thorough_run();
    let begin = {
        let inner = inner.clone();
        Closure::<dyn Fn()>::new(move || start(&inner, &prompts()))
    };
    let outer = nesting_run(&begin);
    start(&outer, &prompts());
    assert!(end_of(&outer).await.0);
    assert!(end_of(&inner).await.0);
    assert!(log_of(&inner).ends_with("agent_end, finished"));
}

#[wasm_bindgen_test]
async fn a_promise_that_nobody_waits_for_wakes_nothing() {
    install();
    let run = thorough_run();
    start(&run, &prompts());
    // A key that was never given out, and one that is not even a number of ours.
    js::settle(4_000_000_000.0, true, JsValue::NULL);
    js::settle(f64::NAN, false, JsValue::NULL);
    assert!(end_of(&run).await.0);
    assert!(log_of(&run).ends_with("agent_end, finished"));
}
