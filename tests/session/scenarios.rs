//! Operations of our own (`fixtures/session/operations.json`); `operations.test.mjs` plays the same through the package.

use std::collections::HashMap;
use std::path::Path;

use steersman::session::SessionTree;
use steersman_wire::json::{Object, Value};

use crate::diff::diff;
use crate::ops::{apply, resolved, Ids, Names, EPOCH};
use crate::read;

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn texts(message: &Value) -> String {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().map(|block| text(block, "text")).collect(),
        _ => text(message, "content").to_owned(),
    }
}

fn observed(tree: &SessionTree, names: &HashMap<String, String>) -> Object {
    let named = |position: usize| Value::from(names.get(tree.id_at(position)).map_or("?", String::as_str));
    let list = |positions: Vec<usize>| Value::Array(positions.into_iter().map(named).collect());
    let context = tree.context(tree.leaf());
    let messages = || context.messages.iter().map(|message| &message.message);
    let labels = tree.labels().into_iter().enumerate();
    let labels = labels.filter_map(|(at, label)| Some((named(at).as_str()?.to_owned(), Value::from(label?))));
    let rows = tree.tree().into_iter().map(|row| Value::Array(vec![named(row.entry), row.depth.into()]));
    let model = context.model.map(|(provider, id)| Value::Array(vec![provider.into(), id.into()]));
    [
        ("branch", list(tree.path(tree.leaf()))),
        ("context", list(context.entries.clone())),
        ("roles", Value::Array(messages().map(|message| text(message, "role").into()).collect())),
        ("texts", Value::Array(messages().map(|message| texts(message).into()).collect())),
        ("model", model.into()),
        ("thinking", context.thinking_level.into()),
        ("leaf", tree.leaf().map(named).into()),
        ("title", tree.name().into()),
        ("labels", Value::Object(labels.collect())),
        ("tree", Value::Array(rows.collect())),
    ]
    .into_iter()
    .collect()
}

#[test]
fn operations_do_what_they_say() {
    let cases = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/session/operations.json"));
    for case in cases.as_array().unwrap() {
        let name = text(case, "name");
        let mut tree = SessionTree::new("s", "/project", None, EPOCH).unwrap();
        let (mut ids, mut known, mut names) = (Ids::default(), Names::new(), HashMap::new());
        for op in case.get("ops").unwrap().as_array().unwrap() {
            let before = tree.export();
            let result = apply(&mut tree, &resolved(op, &known), &mut ids, EPOCH);
            if let Some(refused) = op.get("refused") {
                assert_eq!(Some(result.unwrap_err().code), refused.as_str(), "{name}");
                assert_eq!(tree.export(), before, "{name}: what is refused changes nothing");
                continue;
            }
            let made = result.unwrap_or_else(|error| panic!("{name}: {error}"));
            if let (Some(Value::String(id)), Some(word)) = (made, op.get("as").and_then(Value::as_str)) {
                known.insert(word.to_owned(), id.clone());
                names.insert(id, word.to_owned());
            }
        }
        let got = observed(&tree, &names);
        for (key, want) in case.as_object().unwrap().iter().filter(|(key, _)| !matches!(*key, "name" | "ops")) {
            diff(want, got.get(key).unwrap()).unwrap_or_else(|why| panic!("{name}: {key}{why}"));
        }
    }
}
