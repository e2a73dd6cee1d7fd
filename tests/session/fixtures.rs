//! Our own files.

use std::path::Path;

use steersman::session::web_ui::import_web_ui;
use steersman::session::{import, SessionTree, Stamp};
use steersman_wire::json::{parse, Object, Value};

use crate::diff::diff;
use crate::observe::object;
use crate::ops::{Ids, EPOCH};
use crate::read;

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn observed(source: &str) -> Result<Value, String> {
    let mut ids = Ids::default();
    let mut draw = || ids.next();
    let mut out = Object::new();
    let read = match import(source, &mut Stamp { ids: &mut draw, now: EPOCH }) {
        Ok(read) => read,
        Err(error) => {
            out.insert("refuse", error.code);
            if let Some(line) = error.line {
                out.insert("line", line);
            }
            return Ok(Value::Object(out));
        }
    };
    let report = |report: &steersman::session::Report| {
        Value::Array(vec![report.code.into(), report.line.into(), report.id.as_deref().into()])
    };
    let tree = &read.tree;
    out.insert("reports", read.reports.iter().map(report).collect::<Vec<_>>());
    let branch = tree.path(tree.leaf());
    out.insert("branch", branch.iter().map(|&position| tree.id_at(position).into()).collect::<Vec<Value>>());
    let context = tree.context(tree.leaf());
    out.insert("roles", context.messages.iter().map(|one| text(&one.message, "role").into()).collect::<Vec<Value>>());
    let labels = tree.labels();
    let labels = labels.iter().enumerate().filter_map(|(entry, label)| Some((tree.id_at(entry), (*label)?)));
    out.insert("labels", labels.collect::<Object>());
    out.insert("sameText", tree.export() == source);
    // What is exported is undamaged, and reads as the same session.
    let again = import(&tree.export(), &mut Stamp { ids: &mut || None, now: EPOCH }).map_err(|error| error.code)?;
    let same: Vec<&Value> = again.tree.entries().collect();
    if same != tree.entries().collect::<Vec<_>>() {
        return Err("the export reads differently".into());
    }
    Ok(Value::Object(out))
}

#[test]
fn files_are_read_as_they_say() {
    let cases = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/session/imports.json"));
    for case in cases.as_array().unwrap() {
        let name = text(case, "name");
        let got = observed(text(case, "text")).unwrap_or_else(|why| panic!("{name}: {why}"));
        let mut want = case.as_object().unwrap().clone();
        let (_, _) = (want.remove("name"), want.remove("text"));
        if !want.contains_key("refuse") {
            for (key, nothing) in [("reports", "[]"), ("labels", "{}"), ("roles", "[]"), ("sameText", "false")] {
                if !want.contains_key(key) {
                    let given = if key == "sameText" { got.get(key).unwrap().clone() } else { parse(nothing).unwrap() };
                    want.insert(key, given);
                }
            }
        }
        diff(&Value::Object(want), &got).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

#[test]
fn a_session_of_the_web_ui_becomes_a_chain() {
    let row = parse(
        r#"{"id":"w1","title":"Weather","model":{"provider":"p","id":"m"},"thinkingLevel":"low",
        "createdAt":"2026-03-01T00:00:00.000Z","messages":[{"role":"user","content":"hi","timestamp":1772323300000},
        {"role":"assistant","content":[],"stopReason":"pending"},null,{"role":"assistant","content":[],"stopReason":"stop"}]}"#,
    );
    let mut ids = Ids::default();
    let mut draw = || ids.next();
    let tree = import_web_ui(&row.unwrap(), "/project", &mut Stamp { ids: &mut draw, now: 0.0 }).unwrap();
    let kinds: Vec<&str> = tree.entries().map(|entry| text(entry, "type")).collect();
    assert_eq!(kinds, ["session_info", "model_change", "thinking_level_change", "message", "message"]);
    assert_eq!(tree.name(), Some("Weather"));
    assert_eq!(tree.context(tree.leaf()).thinking_level, "low");
    assert_eq!(text(tree.value_at(4), "timestamp"), "2026-03-01T00:01:40.000Z");
    let nothing = parse("{}").unwrap();
    let refused = import_web_ui(&nothing, "/", &mut Stamp { ids: &mut || None, now: 0.0 });
    assert_eq!(refused.unwrap_err().code, "not_a_session");
}

#[test]
fn an_operation_that_is_refused_changes_nothing() {
    let mut ids = Ids::default();
    let mut tree = SessionTree::new("s", "/project", None, EPOCH).unwrap();
    let user = object([("role", "user".into()), ("content", "hi".into())]);
    tree.append_message(user, &mut Stamp { ids: &mut || ids.next(), now: EPOCH }).unwrap();
    let before = tree.export();
    let stamp = &mut Stamp { ids: &mut || None, now: EPOCH };
    let leaf = tree.leaf_id().map(str::to_owned);
    assert_eq!(tree.branch_with_summary(None, "S", &Default::default(), stamp).unwrap_err().code, "no_ids");
    assert_eq!(tree.append_name("n", stamp).unwrap_err().code, "no_ids");
    assert_eq!(tree.append_label("nobody", None, stamp).unwrap_err().code, "unknown_entry");
    assert_eq!(tree.branch(Some("nobody")).unwrap_err().code, "unknown_entry");
    assert_eq!((tree.export(), tree.leaf_id().map(str::to_owned)), (before, leaf));
    for id in ["", "-a", "a.", "a b", "é"] {
        assert_eq!(SessionTree::new(id, "/", None, 0.0).unwrap_err().code, "bad_id", "{id}");
    }
}

#[test]
fn a_branch_that_kept_from_a_label_keeps_from_what_follows_it() {
    let mut ids = Ids::default();
    let mut tree = SessionTree::new("s", "/project", None, EPOCH).unwrap();
    let mut draw = || ids.next();
    let stamp = &mut Stamp { ids: &mut draw, now: EPOCH };
    let user = |text: &str| object([("role", "user".into()), ("content", text.into())]);
    tree.append_message(user("1"), stamp).unwrap();
    let first = tree.leaf_id().unwrap().to_owned();
    tree.append_label(&first, Some("here"), stamp).unwrap();
    let label = tree.leaf_id().unwrap().to_owned();
    tree.append_message(user("2"), stamp).unwrap();
    let second = tree.leaf_id().unwrap().to_owned();
    tree.append_compaction("S", Some(&label), 9.0, &Default::default(), stamp).unwrap();
    let leaf = tree.leaf_id().unwrap().to_owned();
    let branch = tree.branched(&leaf, "b", Some("s"), stamp).unwrap();
    assert_eq!(text(branch.value_at(2), "firstKeptEntryId"), second);
    assert_eq!(text(branch.value_at(3), "label"), "here");
    assert_eq!(branch.context(branch.leaf()).messages.len(), 2);
    assert_eq!(text(branch.header(), "parentSession"), "s");
}
