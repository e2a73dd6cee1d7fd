//! Turns, tokens and money.

use std::cell::Cell;
use std::rc::Rc;

use futures::executor::block_on;
use steersman::model::Model;
use steersman::native::{
    tool_fn, AgentEvent, AgentMessage, AssistantMessage, Content, Cost, Limits, ToolOutput, Usage,
};

use crate::world::{agent, answers, any, calls, last, says};

#[test]
fn what_is_queued_when_the_run_ends_belongs_to_it_and_the_next_run_has_everything_unused() {
    let (builder, asked) = agent(vec![answers(says("a"))]);
    let agent = builder.limits(Limits { max_turns: Some(2), ..Limits::default() }).build().unwrap();
    let (handle, left) = (agent.clone(), Cell::new(3));
    let _more = agent.subscribe(move |event: &AgentEvent| {
        if matches!(event, AgentEvent::AgentEnd { .. }) && left.replace(left.get() - 1) > 0 {
            handle.follow_up(Rc::new(AgentMessage::user("more")));
        }
    });
    block_on(agent.prompt("a")).unwrap();
    assert_eq!((asked.get(), last(&agent).1.as_str()), (2, "limit_turns"));
    agent.clear_queues();
    block_on(agent.prompt("b")).unwrap();
    assert_eq!((asked.get(), last(&agent).1.as_str()), (3, ""));
}

/// By the rule: four characters are a token, an image is 1200, at the prices of the model.
#[test]
fn usage_that_nobody_reports_is_estimated() {
    let run = |limits: Limits, text: &str, image: bool, price: &str| {
        let tool = tool_fn("t", "", any(), |_, _| async { Ok(ToolOutput::text("ok")) });
        let (builder, asked) = agent(vec![answers(calls(&["k1"]))]);
        let model = Model::from_json(&format!(r#"{{"id":"m","cost":{price}}}"#)).unwrap();
        let agent = builder.tool(tool).model(model).limits(limits).build().unwrap();
        let mut message = AgentMessage::user(text);
        if let (AgentMessage::User(user), true) = (&mut message, image) {
            user.content.push(Content::Image { data: "A".repeat(100_000), mime_type: "image/png".into() });
        }
        block_on(agent.prompt_with(vec![Rc::new(message)])).unwrap();
        (asked.get(), last(&agent).1)
    };
    let text = "x".repeat(4000);
    let free = r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}"#;
    let dear = r#"{"input":1000,"output":0,"cacheRead":0,"cacheWrite":0}"#;
    let tokens = |most| Limits { max_tokens: Some(most), ..Limits::default() };
    let dollars = |most| Limits { max_cost: Some(most), ..Limits::default() };
    // Every request carries the thousand tokens of the prompt again, and a little more.
    assert_eq!(run(tokens(2000), &text, false, free), (2, "limit_tokens".into()));
    assert_eq!(run(dollars(2.0), &text, false, dear), (2, "limit_cost".into()));
    assert_eq!(run(tokens(2400), "a", true, free), (2, "limit_tokens".into()));
}

#[test]
fn a_price_that_nobody_reports_follows_from_the_tokens_and_one_of_zero_counts_as_it_is() {
    let run = |input: f64, total_from_provider| {
        let tool = tool_fn("t", "", any(), |_, _| async { Ok(ToolOutput::text("ok")) });
        let cost = Cost { total_from_provider, ..Cost::default() };
        let usage = Usage { input, output: 1e5, total_tokens: input + 1e5, cost, ..Usage::default() };
        let paid = answers(AssistantMessage { usage, ..calls(&["k1"]) });
        let (builder, asked) = agent(vec![paid.clone(), paid.clone(), paid.clone(), paid, answers(says("end"))]);
        let prices = r#"{"input":1,"output":10,"cacheRead":0,"cacheWrite":0,"tiers":[{"input":2,"output":10,"cacheRead":0,"cacheWrite":0,"inputTokensAbove":1000000}]}"#;
        let model = Model::from_json(&format!(r#"{{"id":"m","cost":{prices}}}"#)).unwrap();
        let limits = Limits { max_cost: Some(6.0), ..Limits::default() };
        let agent = builder.tool(tool).model(model).limits(limits).build().unwrap();
        block_on(agent.prompt("a")).unwrap();
        asked.get()
    };
    assert_eq!(run(1e6, None), 3);
    assert_eq!(run(2e6, None), 2);
    assert_eq!(run(2e6, Some(true)), 5);
}
