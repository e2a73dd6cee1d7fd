//! Sessions: the recorded cases of pi's session files and compaction, and our own.
//!
//! The recordings (`conformance-session` and `design` of the shared folder, found by `STEERSMAN_SHARED` or beside the
//! repository) say what pi does, and `cases-ours.json` where ours differs; the README there is the format.
//! `STEERSMAN_ONLY=text` plays the cases whose id contains the text.
// Rules of the library that tests need not keep.
#![allow(clippy::disallowed_macros, clippy::disallowed_types, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::panic, clippy::print_stdout, clippy::string_slice, clippy::unwrap_used)]

mod compaction;
mod diff;
mod fixtures;
mod logs;
mod observe;
mod ops;
mod play;
mod properties;
mod scenarios;
mod v4;

use std::path::{Path, PathBuf};
use std::{env, fs};

use steersman_wire::json::{parse, Value};

/// A folder of the shared recordings, where this machine has them.
fn shared(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = env::var_os("STEERSMAN_SHARED").map_or_else(beside, PathBuf::from).join(name);
    folder.is_dir().then_some(folder)
}

fn read(path: &Path) -> Value {
    parse(&fs::read_to_string(path).unwrap()).unwrap()
}

fn wanted(id: &str) -> bool {
    id.contains(&env::var("STEERSMAN_ONLY").unwrap_or_default())
}

/// Fails with every case that failed; says how many passed.
fn verdict(what: &str, passed: usize, least: usize, failed: &[String]) {
    println!("{what}: {passed} of {} passed", passed + failed.len());
    assert!(failed.is_empty(), "{what}:\n{}", failed.join("\n"));
    assert!(passed >= least || env::var_os("STEERSMAN_ONLY").is_some(), "{what}: only {passed} cases");
}

#[test]
fn recorded_sessions() {
    let Some(folder) = shared("conformance-session") else { return };
    let ours = read(&folder.join("cases-ours.json"));
    let mut files: Vec<_> = fs::read_dir(folder.join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut passed, mut failed) = (0, Vec::new());
    for file in files {
        let case = read(&file);
        let id = case.get("id").unwrap().as_str().unwrap();
        let rule = ours.get("cases").unwrap().get(id).cloned().unwrap_or_default();
        if !wanted(id) || rule.get("informational").is_some() {
            continue;
        }
        match play::case(&folder, &case, &rule) {
            Ok(()) => passed += 1,
            Err(why) => failed.push(format!("{id}: {why}")),
        }
    }
    verdict("recorded sessions", passed, 85, &failed);
}

#[test]
fn recorded_compactions() {
    let (Some(folder), Some(design)) = (shared("conformance-session"), shared("design")) else { return };
    let ours = read(&folder.join("cases-ours.json"));
    let cases = read(&design.join("compaction-cases.json"));
    let (mut passed, mut failed) = (0, Vec::new());
    for case in cases.get("cases").unwrap().as_array().unwrap() {
        let id = case.get("id").unwrap().as_str().unwrap();
        let expect = case.get("expect").unwrap();
        let Some(recorded) = expect.get("ca-1.6.0").or_else(|| expect.get("*")).filter(|_| wanted(id)) else {
            continue;
        };
        let rule = ours.get("cases").unwrap().get(id).cloned().unwrap_or_default();
        match compaction::case(case, recorded, &rule) {
            Ok(()) => passed += 1,
            Err(why) => failed.push(format!("{id}: {why}")),
        }
    }
    verdict("recorded compactions", passed, 75, &failed);
}
