//! Random damage to known inputs, on stable Rust: `npm run fuzz -- --minutes N` for long, a second per target in
//! `cargo test`.
//!
//! | variable | |
//! |---|---|
//! | `STEERSMAN_FUZZ_RUNS` | inputs per target |
//! | `STEERSMAN_FUZZ_SECONDS` | seconds per target instead |
//! | `STEERSMAN_FUZZ_SEED` | where to begin; input number N of a run is input 0 of the run with N added to the seed |
//!
//! An input that finds something is written to `fuzz/findings/TARGET/`, from where it is played first in every later run;
//! commit it together with the repair.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::use_debug, clippy::disallowed_macros)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // the driver has a clock

mod corpus;
mod noise;
#[path = "../wire/tests/support/mod.rs"]
mod support;
mod targets;

use corpus::Corpus;
use noise::Noise;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, process, thread};

/// Inputs per target without further word.
const RUNS: u64 = 100;
/// Longest input in bytes.
const MOST: usize = 20_000;
/// An input that takes longer has found something.
const LONGEST: Duration = Duration::from_secs(20);

fn variable(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

fn keep(target: &str, seed: u64, input: &[u8]) -> String {
    let folder = support::root().join("fuzz/findings").join(target.replace('/', "-"));
    let file = folder.join(format!("{seed:016x}.bin"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(&file, input).unwrap();
    file.display().to_string()
}

/// What is being played: since when, seed, input.
type Current = Arc<Mutex<Option<(Instant, u64, Vec<u8>)>>>;

/// Looks now and then at how long the current input takes, so that an endless loop has a name.
fn watch(target: &str, current: &Current) {
    let (target, current) = (target.to_owned(), Arc::downgrade(current));
    thread::spawn(move || {
        while let Some(current) = current.upgrade() {
            if let Some((since, seed, input)) = &*current.lock().unwrap() {
                if since.elapsed() > LONGEST {
                    println!("{target}: seed {seed} takes too long: {}", keep(&target, *seed, input));
                    process::exit(1);
                }
            }
            drop(current);
            thread::sleep(LONGEST / 10);
        }
    });
}

/// Plays one input; whether nothing was found.
fn play(current: &Current, seed: u64, input: &[u8], run: &dyn Fn(&[u8], &mut Noise)) -> bool {
    *current.lock().unwrap() = Some((Instant::now(), seed, input.to_vec()));
    catch_unwind(AssertUnwindSafe(|| run(input, &mut Noise(!seed)))).is_ok()
}

fn fuzz(target: &str, corpus: &Corpus, run: impl Fn(&[u8], &mut Noise)) {
    assert!(!corpus.is_empty());
    let known = corpus::found(target);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let base = variable("STEERSMAN_FUZZ_SEED").unwrap_or(now.as_nanos() as u64 >> 8);
    let end = variable("STEERSMAN_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let runs = variable("STEERSMAN_FUZZ_RUNS").unwrap_or(RUNS);
    let current = Current::default();
    watch(target, &current);
    let mut all = corpus.clone();
    all.extend(known.iter().cloned());
    for (number, input) in all.iter().enumerate() {
        assert!(play(&current, number as u64, input, &run), "{target}: number {number} of the corpus");
    }
    let mut number = 0;
    while end.map_or(number < runs, |end| Instant::now() < end) {
        let seed = base.wrapping_add(number);
        let input = Noise(seed).input(&all, MOST);
        if !play(&current, seed, &input, &run) {
            panic!("{target}: STEERSMAN_FUZZ_SEED={seed} STEERSMAN_FUZZ_RUNS=1, {}", keep(target, seed, &input));
        }
        number += 1;
    }
    println!("fuzz {target}: {number} inputs, seed {base}");
}

#[test]
fn responses() {
    for api in support::STREAMS {
        fuzz(&format!("response/{api}"), &corpus::bodies(api), |input, noise| targets::response(api, input, noise));
    }
}

#[test]
fn requests() {
    for api in support::APIS {
        fuzz(&format!("request/{api}"), &corpus::requests(api), |input, noise| {
            targets::make_request(api, input, noise)
        });
    }
}

#[test]
fn event_streams() {
    fuzz("sse", &corpus::event_streams(), targets::sse);
}

#[test]
fn json() {
    fuzz("json", &corpus::json(), targets::whole_json);
}

#[test]
fn partial_json() {
    fuzz("partial-json", &corpus::json(), targets::partial_json);
}

#[test]
fn schemas() {
    fuzz("schema", &corpus::schemas(), targets::schema);
}
