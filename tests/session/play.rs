//! Plays a recorded case.

use std::fs;
use std::path::Path;

use steersman::session::{import, SessionTree, Stamp};
use steersman_wire::json::{parse, Object, Value};

use crate::diff::diff;
use crate::ops::{apply, resolved, Ids, Names, EPOCH};
use crate::{observe, v4};

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub fn case(folder: &Path, case: &Value, rule: &Value) -> Result<(), String> {
    let expect = case.get("expect").unwrap();
    let file = case.get("file").and_then(Value::as_str);
    let source = file.map(|file| fs::read_to_string(folder.join(file)).unwrap());
    let of_v4 = source.as_ref().is_some_and(|source| source.starts_with("{\"v\":4"));
    let target = if text(case, "kind") == "v4" || of_v4 { "h-0.85.1" } else { "ca-1.6.0" };
    let recorded = expect.get(target).or_else(|| expect.get("ca-*")).cloned().unwrap_or_default();
    let mut want = recorded.as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(own)) = rule.get("expect") {
        own.iter().for_each(|(key, value)| drop(want.insert(key, value.clone())));
    }
    if text(case, "kind") == "v4" {
        return v4::case(case, &want);
    }
    let mut ids = Ids::default();
    let mut tree = match &source {
        Some(source) => {
            let refuse = rule.get("refuse").is_some() || (rule.get("expect").is_none() && want.contains_key("error"));
            let mut draw = || ids.next();
            let imported = match import(source, &mut Stamp { ids: &mut draw, now: EPOCH }) {
                Err(error) if refuse => {
                    let code = rule.get("refuse").and_then(Value::as_str);
                    return match code.is_none_or(|code| code == error.code) {
                        true => Ok(()),
                        false => Err(format!("refused with {}", error.code)),
                    };
                }
                Err(error) => return Err(format!("refused: {error} {:?}", error.line)),
                Ok(_) if refuse => return Err("was accepted".into()),
                Ok(imported) => imported,
            };
            reports(&imported, rule)?;
            if let Some(store) = &imported.store {
                return v4::file(store, &want);
            }
            if rule.get("roundTrip").is_some() && imported.tree.export() != *source {
                return Err("the export differs from the file".into());
            }
            imported.tree
        }
        None => match case.get("preload").and_then(Value::as_array) {
            Some([header, entries @ ..]) => SessionTree::from_entries(header.clone(), entries.to_vec()).unwrap(),
            _ => SessionTree::new("s1", "/project", None, EPOCH).unwrap(),
        },
    };
    let results = run(&mut tree, case.get("ops").and_then(Value::as_array).unwrap_or_default(), &mut ids);
    if text(case, "kind") == "persist" {
        let lines: Vec<Value> = tree.export().lines().map(|line| parse(line).unwrap()).collect();
        let wanted = want.get("file").unwrap().as_array().unwrap();
        return diff(&Value::Array(wanted[1..].to_vec()), &Value::Array(lines[1..].to_vec()));
    }
    if let Some(wanted) = want.get("ops").and_then(Value::as_array) {
        for (place, (want, got)) in wanted.iter().zip(&results).enumerate() {
            compare_op(want, got).map_err(|why| format!("op {place}: {why}"))?;
        }
    }
    let mut last = want.get("final").unwrap().clone();
    if text(case, "observe") == "counts" {
        let mut got = observe::counts(&tree);
        if let (Value::Object(last), Value::Object(got)) = (&mut last, &mut got) {
            last.remove("leafId");
            let known: Vec<String> = last.keys().map(str::to_owned).collect();
            *got = std::mem::take(got).into_iter().filter(|(key, _)| known.contains(key)).collect();
        }
        return diff(&last, &got);
    }
    let branched =
        case.get("ops").is_some_and(|ops| steersman_wire::json::to_text(ops).contains("createBranchedSession"));
    compare_snapshot(&last, &observe::whole(&tree), rule, branched)
}

fn reports(imported: &steersman::session::Import, rule: &Value) -> Result<(), String> {
    let mut codes: Vec<&str> = imported.reports.iter().map(|report| report.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let mut wanted: Vec<&str> = match rule.get("reports") {
        Some(codes) => codes.as_array().unwrap().iter().map(|code| code.as_str().unwrap()).collect(),
        None => Vec::new(),
    };
    wanted.sort_unstable();
    if codes != wanted {
        return Err(format!("reports {codes:?} instead of {wanted:?}"));
    }
    let lines = rule.get("lines").and_then(Value::as_array).unwrap_or_default();
    for line in lines.iter().map(|line| line.as_f64().unwrap() as usize) {
        if !imported.reports.iter().any(|report| report.line == Some(line)) {
            return Err(format!("no report names line {line}"));
        }
    }
    Ok(())
}

/// Runs the operations; what each gave.
fn run(tree: &mut SessionTree, ops: &[Value], ids: &mut Ids) -> Vec<Value> {
    let mut names = Names::new();
    let mut results = Vec::new();
    for (place, op) in ops.iter().enumerate() {
        let now = EPOCH + (place as f64 + 1.0) * 1000.0;
        let op = resolved(op, &names);
        let result = match text(&op, "op") {
            "snapshot" => observe::object([("snapshot", observe::whole(tree))]),
            "forceIds" => {
                let forced = op.get("ids").unwrap().as_array().unwrap();
                ids.forced = forced.iter().map(|id| id.as_str().unwrap().to_owned()).collect();
                Value::Object(Object::new())
            }
            "repeatUser" => {
                for count in 0..op.get("count").unwrap().as_f64().unwrap() as usize {
                    let content = format!("m{count}");
                    let message = observe::object([
                        ("role", "user".into()),
                        ("content", content.into()),
                        ("timestamp", now.into()),
                    ]);
                    tree.append_message(message, &mut Stamp { ids: &mut || ids.next(), now }).unwrap();
                }
                Value::Object(Object::new())
            }
            _ => match apply(tree, &op, ids, now) {
                Err(error) => observe::object([("error", error.code.into())]),
                Ok(None) => Value::Object(Object::new()),
                Ok(Some(value)) => {
                    if let (Some(name), Value::String(id)) = (op.get("as"), &value) {
                        names.insert(name.as_str().unwrap().to_owned(), id.clone());
                    }
                    observe::object([("value", value)])
                }
            },
        };
        results.push(result);
    }
    results
}

fn compare_op(want: &Value, got: &Value) -> Result<(), String> {
    if want.get("error").is_some() || got.get("error").is_some() {
        return match want.get("error").is_some() && got.get("error").is_some() {
            true => Ok(()),
            false => diff(want, got),
        };
    }
    match (want.get("snapshot"), got.get("snapshot")) {
        (Some(want), Some(got)) => compare_snapshot(want, got, &Value::Null, false),
        _ => diff(want, got),
    }
}

fn compare_snapshot(want: &Value, got: &Value, rule: &Value, branched: bool) -> Result<(), String> {
    let ignored = rule.get("ignore").and_then(Value::as_array).unwrap_or_default();
    for (key, value) in got.as_object().unwrap().iter() {
        if ignored.iter().any(|name| name.as_str() == Some(key)) || (branched && key == "header") {
            continue;
        }
        let Some(want) = want.get(key) else { return Err(format!("{key} is not recorded")) };
        let want = if key == "tree" { observe::flat(want) } else { want.clone() };
        diff(&want, value).map_err(|why| format!("{key}{why}"))?;
    }
    Ok(())
}
