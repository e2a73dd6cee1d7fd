//! A session in the form of the recordings.

use steersman::session::SessionTree;
use steersman_wire::json::{Object, Value};

pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().collect())
}

fn ids(tree: &SessionTree, positions: &[usize]) -> Value {
    Value::Array(positions.iter().map(|&position| tree.id_at(position).into()).collect())
}

pub fn header(tree: &SessionTree) -> Value {
    let header = tree.header();
    let member = |key: &str| header.get(key).cloned().unwrap_or_default();
    object([
        ("type", member("type")),
        ("version", member("version")),
        ("cwd", member("cwd")),
        ("hasParent", header.get("parentSession").is_some().into()),
    ])
}

pub fn whole(tree: &SessionTree) -> Value {
    let context = tree.context(tree.leaf());
    let messages = context.messages.iter().map(|message| message.message.clone().into_owned()).collect::<Vec<_>>();
    let model = context
        .model
        .map_or(Value::Null, |(provider, model)| object([("provider", provider.into()), ("modelId", model.into())]));
    let rows = tree.tree().into_iter().map(|row| {
        let mut out = Object::new();
        out.insert("id", tree.id_at(row.entry));
        out.insert("depth", row.depth);
        if let Some(label) = row.label {
            out.insert("label", label);
        }
        Value::Object(out)
    });
    let labels = tree.labels().into_iter().enumerate().filter_map(|(entry, label)| Some((tree.id_at(entry), label?)));
    object([
        ("header", header(tree)),
        ("entries", Value::Array(tree.entries().cloned().collect())),
        ("leafId", tree.leaf_id().into()),
        ("branch", ids(tree, &tree.path(tree.leaf()))),
        ("contextEntries", ids(tree, &context.entries)),
        (
            "context",
            object([("messages", messages.into()), ("model", model), ("thinkingLevel", context.thinking_level.into())]),
        ),
        ("llm", context.for_model().into()),
        ("tree", Value::Array(rows.collect())),
        ("labels", Value::Object(labels.collect())),
        ("name", tree.name().into()),
    ])
}

pub fn counts(tree: &SessionTree) -> Value {
    let rows = tree.tree();
    object([
        ("header", header(tree)),
        ("entries", tree.len().into()),
        ("branch", tree.path(tree.leaf()).len().into()),
        ("contextMessages", tree.context(tree.leaf()).messages.len().into()),
        ("roots", rows.iter().filter(|row| row.depth == 0).count().into()),
        ("depth", rows.iter().map(|row| row.depth + 1).max().unwrap_or(0).into()),
    ])
}

/// The nested trees of recordings in rows.
pub fn flat(tree: &Value) -> Value {
    let mut rows = Vec::new();
    let mut work: Vec<(&Value, usize)> = tree.as_array().unwrap().iter().rev().map(|node| (node, 0)).collect();
    if work.iter().any(|(node, _)| node.get("depth").is_some()) {
        return tree.clone();
    }
    while let Some((node, depth)) = work.pop() {
        let mut row = Object::new();
        row.insert("id", node.get("id").unwrap().clone());
        row.insert("depth", depth);
        if let Some(label) = node.get("label") {
            row.insert("label", label.clone());
        }
        rows.push(Value::Object(row));
        let children = node.get("children").and_then(Value::as_array).unwrap_or_default();
        work.extend(children.iter().rev().map(|child| (child, depth + 1)));
    }
    Value::Array(rows)
}
