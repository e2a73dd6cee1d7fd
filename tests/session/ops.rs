//! The operations of recorded cases.

use std::collections::HashMap;

use steersman::session::append::Extras;
use steersman::session::{SessionError, SessionTree, Stamp};
use steersman_wire::json::{Object, Value};

/// 2026-01-02T03:04:05Z, when every case begins.
pub const EPOCH: f64 = 1_767_323_045_000.0;

/// Ids that count up, and ids that come first.
#[derive(Default)]
pub struct Ids {
    pub count: usize,
    pub forced: Vec<String>,
}

impl Ids {
    pub fn next(&mut self) -> Option<String> {
        if self.forced.is_empty() {
            self.count += 1;
            return Some(format!("{:08x}", self.count));
        }
        Some(self.forced.remove(0))
    }
}

pub type Names = HashMap<String, String>;

/// Puts ids in the place of `$names`.
pub fn resolved(value: &Value, names: &Names) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('$').and_then(|name| names.get(name)) {
            Some(id) => id.as_str().into(),
            None => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().map(|item| resolved(item, names)).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key, resolved(value, names))).collect::<Object>())
        }
        _ => value.clone(),
    }
}

pub fn apply(tree: &mut SessionTree, op: &Value, ids: &mut Ids, now: f64) -> Result<Option<Value>, SessionError> {
    let get = |key: &str| op.get(key).cloned();
    let word = |key: &str| op.get(key).and_then(Value::as_str).unwrap_or_default();
    let optional = |key: &str| op.get(key).and_then(Value::as_str);
    let extras =
        Extras { details: get("details"), usage: get("usage"), from_hook: op.get("fromHook").and_then(Value::as_bool) };
    let mut draw = || ids.next();
    let stamp = &mut Stamp { ids: &mut draw, now };
    let list = |tree: &SessionTree, positions: Vec<usize>| {
        Some(Value::Array(positions.into_iter().map(|position| tree.id_at(position).into()).collect()))
    };
    let added = match word("op") {
        "appendMessage" => tree.append_message(get("message").unwrap(), stamp),
        "appendThinkingLevelChange" => tree.append_thinking_level_change(word("level"), stamp),
        "appendModelChange" => tree.append_model_change(word("provider"), word("modelId"), stamp),
        "appendCompaction" => {
            let tokens = op.get("tokensBefore").and_then(Value::as_f64).unwrap();
            tree.append_compaction(word("summary"), optional("firstKeptEntryId"), tokens, &extras, stamp)
        }
        "appendCustomEntry" => tree.append_custom(word("customType"), get("data"), stamp),
        "appendCustomMessage" => {
            let display = op.get("display").and_then(Value::as_bool).unwrap();
            tree.append_custom_message(word("customType"), get("content").unwrap(), display, get("details"), stamp)
        }
        "appendSessionInfo" => tree.append_name(word("name"), stamp),
        "appendLabel" => tree.append_label(word("target"), optional("label"), stamp),
        "appendContextEdit" => tree.append_context_edit(word("target"), get("replacement").unwrap(), stamp),
        "appendUsage" => {
            let usage = get("usage").unwrap();
            tree.append_usage(word("kind"), word("provider"), word("model"), usage, optional("note"), stamp)
        }
        "branchWithSummary" => tree.branch_with_summary(optional("to"), word("summary"), &extras, stamp),
        "branch" => return tree.branch(optional("to")).map(|()| None),
        "resetLeaf" => return tree.branch(None).map(|()| None),
        "createBranchedSession" => {
            *tree = tree.branched(word("leaf"), "branched", None, stamp)?;
            return Ok(None);
        }
        "newSession" => {
            let options = op.get("options").unwrap();
            let id = options.get("id").and_then(Value::as_str).unwrap();
            let parent = options.get("parentSession").and_then(Value::as_str);
            *tree = SessionTree::new(id, "/project", parent, now)?;
            return Ok(None);
        }
        "getChildren" => return Ok(list(tree, tree.children(Some(tree.known(word("of"))?)))),
        "getBranch" => return Ok(list(tree, tree.path(Some(tree.known(word("of"))?)))),
        "getEntry" => {
            let found = tree.position(word("id")).map(|position| tree.value_at(position).get("type").cloned());
            return Ok(Some(found.flatten().unwrap_or_default()));
        }
        other => panic!("unknown op {other}"),
    };
    added.map(|position| Some(tree.id_at(position).into()))
}
