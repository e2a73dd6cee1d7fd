//! The recorded scenarios of the agent loop, played against the Rust shell.
//!
//! The recordings (`conformance` of the shared folder, found by `STEERSMAN_SHARED` or beside the repository) describe a
//! conversation as data; `README.md` there is the format. Without them only the project's own scenarios are played.
//! `STEERSMAN_ONLY=text` plays those whose id contains the text.
// Rules of the library that tests need not keep.
#![allow(clippy::disallowed_macros, clippy::disallowed_types, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod clock;
mod compare;
mod events;
mod hooks;
mod json;
mod low_level;
mod normal;
mod ops;
mod own;
mod skip;
mod stream;
mod tools;
mod values;
mod world;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use steersman::profile::Profile;
use steersman_wire::json::{parse, Value};

use world::World;

/// The recordings, where this machine has them.
fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = env::var_os("STEERSMAN_SHARED").map_or_else(beside, PathBuf::from).join("conformance");
    folder.is_dir().then_some(folder)
}

fn read(path: &Path) -> Value {
    parse(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Plays every scenario of a version and says how many passed, and how many are not for Rust by reason. All that are
/// played must pass, and they must be `least` or more.
fn play_recorded(folder: &Path, version: &str, profile: Profile, least: usize) {
    let only = env::var("STEERSMAN_ONLY").unwrap_or_default();
    let allowed = skip::allowed(folder);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("expected").join(version)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut passed, mut failed) = (0, Vec::new());
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let id = file.file_stem().unwrap().to_string_lossy().into_owned();
        if !id.contains(&only) {
            continue;
        }
        let (scenario, expected) = (read(&folder.join("scenarios").join(format!("{id}.json"))), read(&file));
        if let Some(reason) = skip::reason(&scenario, version, &expected, &allowed) {
            *skipped.entry(reason).or_insert(0) += 1;
            continue;
        }
        let observed = World::play(&scenario, profile);
        match compare::differences(&scenario, &expected, &observed) {
            none if none.is_empty() => passed += 1,
            found => failed.push(format!("{id}: {}", found.join("\n  "))),
        }
    }
    let reasons: Vec<String> = skipped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let others: usize = skipped.values().sum();
    println!("scenarios {version}: {passed} passed, {others} not for Rust ({})", reasons.join("; "));
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
    assert!(passed >= least || !only.is_empty(), "some scenarios are not played any more");
}

#[test]
fn recorded_scenarios_of_1_6() {
    let Some(folder) = shared() else { return };
    play_recorded(&folder, "1.6.0", Profile::V1_6, 247);
}

#[test]
fn recorded_scenarios_of_0_85() {
    let Some(folder) = shared() else { return };
    play_recorded(&folder, "0.85.1", Profile::V0_85, 243);
}

#[test]
fn own_scenarios() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scenarios");
    let both = own::play_all(&folder);
    println!("own scenarios: {both} passed");
    assert!(both >= 26, "some scenarios are not played any more");
}
