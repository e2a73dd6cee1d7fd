//! Random schedules on the Rust shell: whatever an application, a model, tools, hooks and listeners do, and in whatever
//! order, every run ends, its events are in order, no queued message is lost or doubled, and every request is valid.
//!
//! A schedule that fails names its seed. `STEERSMAN_SEED=n` replays it with everything that happened;
//! `STEERSMAN_SCHEDULES=n` plays more than the usual number, `STEERSMAN_FROM=n` others.
// Rules of the library that tests need not keep.
#![allow(clippy::disallowed_macros, clippy::disallowed_types, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod checker;
mod grammar;
mod hooks;
mod ledger;
mod listeners;
mod model;
mod random;
mod run;
mod tools;
mod world;

use std::env;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Schedules of a usual test run.
const USUAL: u64 = 10_000;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Plays one schedule; what went wrong, if anything, and how many runs and requests there were.
fn play(seed: u64, logs: bool) -> Result<run::Tally, String> {
    match catch_unwind(AssertUnwindSafe(|| run::schedule(seed, logs))) {
        Ok(played) => played,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(format!("panic: {}", text.unwrap_or("?")))
        }
    }
}

#[test]
fn random_schedules_keep_every_promise() {
    if let Some(seed) = number("STEERSMAN_SEED") {
        if let Err(problem) = play(seed, true) {
            panic!("schedule {seed}:\n{problem}");
        }
        return;
    }
    let from = number("STEERSMAN_FROM").unwrap_or(0);
    let count = number("STEERSMAN_SCHEDULES").unwrap_or(USUAL);
    let mut sum = run::Tally::default();
    for seed in from..from + count {
        match play(seed, false) {
            Ok(tally) => sum.add(&tally),
            Err(problem) => panic!("schedule {seed}: {problem}\nreplay with STEERSMAN_SEED={seed}"),
        }
    }
    println!("schedules: seeds {from} to {}, {sum}", (from + count).saturating_sub(1));
    assert!(sum.covers(count), "the schedules hardly do anything: {sum}");
}
