//! Limits of the Rust shell, where an application in Rust sees more of them than the scenarios of both shells say.
#![allow(clippy::disallowed_types, clippy::indexing_slicing, clippy::unwrap_used)] // rules of the library

mod budget;
mod silence;
mod time;
mod tools;
mod world;
#[path = "../support/yield_now.rs"]
mod yield_now;

use std::future::pending;

use futures::executor::block_on;
use steersman::agent::AgentBuilder;
use steersman::error::ErrorKind;
use steersman::native::Limits;

use time::Time;
use world::{agent, answers, last, says, timed};

#[test]
fn limits_that_make_no_sense_or_that_nobody_measures_are_refused_by_name() {
    let make = || agent(vec![answers(says("a"))]).0;
    let measured = || timed(make(), &Time::default());
    let limits = |limits| move |builder: AgentBuilder| builder.limits(limits);
    let idle = Limits { idle_ms: Some(5), ..Limits::default() };
    let tool = Limits { tool_ms: Some(5), ..Limits::default() };
    let refused = |builder: AgentBuilder, words: &str| {
        let error = builder.build().err().unwrap();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::InvalidRequest, words));
    };
    refused(limits(tool)(make()), "limits.toolMs needs a timer: AgentBuilder::timer");
    refused(limits(idle)(make()), "limits.idleMs needs a timer: AgentBuilder::timer");
    refused(limits(idle)(make().timer(|_| pending())), "limits.idleMs needs a clock: AgentBuilder::clock");
    refused(make().tool_abort_grace_ms(5), "toolAbortGraceMs needs a timer: AgentBuilder::timer");
    let zero = Limits { tool_ms: Some(0), ..Limits::default() };
    refused(limits(zero)(measured()), "limits.toolMs must be a number of milliseconds above 0, not 0");
    let no_number = Limits { max_cost: Some(f64::NAN), ..Limits::default() };
    refused(limits(no_number)(measured()), "limits.maxCost must be a number, not NaN");
    refused(measured().tool_concurrency(0), "toolConcurrency must be a number of at least 1, not 0");
    assert!(limits(idle)(measured()).tool_abort_grace_ms(5).build().is_ok());
    assert!(make().tool_abort_grace_ms(0).build().is_ok());

    let agent = make().build().unwrap();
    assert!(agent.set_limits(tool).is_err());
    assert_eq!(agent.limits(), Limits::default());
    agent.set_limits(Limits { max_turns: Some(0), ..Limits::default() }).unwrap();
    block_on(agent.prompt("a")).unwrap();
    assert_eq!(last(&agent).1, "limit_turns");
}
