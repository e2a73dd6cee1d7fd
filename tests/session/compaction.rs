//! Cases of compaction functions.

use steersman::session::compact::{overflow, Settings};
use steersman::session::files::{by_name, FileOps};
use steersman::session::summary::{answer_text, compaction_requests, compaction_summary, serialize, SYSTEM_PROMPT};
use steersman::session::tokens::{estimate, of_messages, of_usage, total_usage};
use steersman::session::SessionTree;
use steersman_wire::json::{Object, Value};

use crate::diff::diff;
use crate::observe::object;
use crate::ops::EPOCH;

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key).and_then(Value::as_f64)
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

pub fn case(case: &Value, recorded: &Value, rule: &Value) -> Result<(), String> {
    let mut want = recorded.clone();
    if let (Value::Object(want), Some(Value::Object(own))) = (&mut want, rule.get("expect")) {
        own.iter().for_each(|(key, value)| drop(want.insert(key, value.clone())));
        items(rule, "remove").iter().for_each(|key| drop(want.remove(key.as_str().unwrap())));
    }
    let input = filled(case.get("input").unwrap());
    let function = text(case, "fn");
    if let ("compact", Value::Object(want)) = (function, &mut want) {
        normal_calls(want);
    }
    diff(&want, &call(function, &input))
}

/// `{"$fill": n}` is a text of n letters.
fn filled(value: &Value) -> Value {
    match value {
        Value::Object(members) => match members.get("$fill") {
            Some(count) => "x".repeat(count.as_f64().unwrap() as usize).into(),
            None => Value::Object(members.iter().map(|(key, value)| (key, filled(value))).collect::<Object>()),
        },
        Value::Array(items) => Value::Array(items.iter().map(filled).collect()),
        _ => value.clone(),
    }
}

fn call(function: &str, input: &Value) -> Value {
    let given = input.get("settings").cloned().unwrap_or_default();
    let default = Settings::default();
    let settings = Settings {
        enabled: given.get("enabled").and_then(Value::as_bool).unwrap_or(true),
        reserve: number(&given, "reserveTokens").unwrap_or(default.reserve),
        keep_recent: number(&given, "keepRecentTokens").unwrap_or(default.keep_recent),
    };
    let paths = |paths: &[String]| Value::Array(paths.iter().map(|path| path.as_str().into()).collect());
    match function {
        "estimateTokens" => estimate(input.get("message").unwrap()).into(),
        "contextTokensFromUsage" => of_usage(input.get("usage").unwrap()).into(),
        "estimateContext" => {
            let size = of_messages(&mut items(input, "messages").iter());
            object([
                ("tokens", size.tokens.into()),
                ("usageTokens", size.counted.into()),
                ("trailingTokens", size.estimated.into()),
                ("lastUsageIndex", size.counted_at.into()),
            ])
        }
        "shouldCompact" => {
            let window = number(input, "contextWindow").unwrap();
            settings.should_compact(number(input, "contextTokens").unwrap(), window).into()
        }
        "findCutPoint" => {
            let tree = path_tree(input);
            let path = tree.path(tree.leaf());
            let start = number(input, "start").unwrap_or(0.0) as usize;
            let end = number(input, "end").map_or(path.len(), |end| end as usize);
            let cut = tree.cut(&path, start, end, number(input, "keepRecentTokens").unwrap());
            object([
                ("firstKeptEntryIndex", cut.first_kept.into()),
                ("turnStartIndex", cut.split_turn.map_or(Value::from(-1), Value::from)),
                ("isSplitTurn", cut.split_turn.is_some().into()),
            ])
        }
        "prepare" => {
            let tree = path_tree(input);
            let Some(ready) = tree.prepare_compaction(tree.leaf(), settings.keep_recent, &by_name) else {
                return object([("prepared", false.into())]);
            };
            let roles =
                |messages: &[Value]| Value::Array(messages.iter().map(|one| text(one, "role").into()).collect());
            let mut out = Object::new();
            out.insert("prepared", true);
            out.insert("tokensBefore", ready.tokens_before);
            if let Some(window) = number(input, "contextWindow") {
                out.insert("wouldTrigger", settings.should_compact(ready.tokens_before, window));
            }
            out.insert("firstKept", ready.first_kept.as_str());
            out.insert("summarize", roles(&ready.history));
            out.insert("turnPrefix", roles(&ready.prefix));
            out.insert("isSplitTurn", ready.is_split_turn);
            out.insert("previousSummary", ready.previous_summary.as_deref());
            out.insert("readFiles", paths(&ready.files.read));
            out.insert("modifiedFiles", paths(&ready.files.modified));
            Value::Object(out)
        }
        "overflow" => {
            let mut message = input.get("message").unwrap().clone();
            if let Value::Object(members) = &mut message {
                members.insert("role", "assistant");
            }
            let wanted = number(input, "maxTokens").unwrap_or(0.0);
            let (overflows, recoverable) = overflow(&message, number(input, "contextWindow").unwrap(), wanted);
            object([("isContextOverflow", overflows.into()), ("isRecoverableLength", recoverable.into())])
        }
        "serialize" => serialize(&mut items(input, "messages").iter()).into(),
        "fileOps" => {
            let mut files = FileOps::default();
            items(input, "messages").iter().for_each(|message| files.add_message(message, &by_name));
            let lists = files.lists();
            object([
                ("readFiles", paths(&lists.read)),
                ("modifiedFiles", paths(&lists.modified)),
                ("appended", lists.appended().into()),
            ])
        }
        "compact" => compact(input, &settings),
        "branchPrepare" => {
            let tree = path_tree(input);
            let part = tree.prepare_branch(&tree.path(tree.leaf()), number(input, "tokenBudget").unwrap(), &by_name);
            object([
                ("messages", Value::Array(part.messages.iter().map(|message| text(message, "role").into()).collect())),
                ("totalTokens", part.tokens.into()),
                ("readFiles", paths(&part.files.read)),
                ("modifiedFiles", paths(&part.files.modified)),
            ])
        }
        "branchCollect" => {
            let entries = items(input, "tree").iter().map(|row| {
                object([
                    ("type", "custom".into()),
                    ("id", row.get("id").unwrap().clone()),
                    ("parentId", row.get("parent").unwrap().clone()),
                ])
            });
            let tree = SessionTree::from_entries(Value::Null, entries).unwrap();
            let at = |key: &str| tree.position(text(input, key));
            let (left, parting) = tree.left_behind(at("from"), at("to"));
            object([
                ("entries", Value::Array(left.iter().map(|&position| tree.id_at(position).into()).collect())),
                ("commonAncestorId", parting.map(|position| tree.id_at(position)).into()),
            ])
        }
        other => panic!("unknown function {other}"),
    }
}

/// A session of one path; entry k is called `ek`, a bare message is a message entry.
fn path_tree(input: &Value) -> SessionTree {
    let entries = items(input, "entries").iter().enumerate().map(|(place, given)| {
        let mut entry = Object::new();
        entry.insert("id", format!("e{place}"));
        entry.insert("parentId", place.checked_sub(1).map(|before| format!("e{before}")));
        entry.insert("timestamp", "2026-01-01T00:00:00.000Z");
        if given.get("role").is_some() {
            entry.insert("type", "message");
            entry.insert("message", given.clone());
        } else {
            for (key, value) in given.as_object().unwrap().iter() {
                let id = || format!("e{}", value.as_f64().unwrap());
                match key {
                    "kept" => entry.insert("firstKeptEntryId", id()),
                    "target" => entry.insert("targetId", id()),
                    _ => entry.insert(key, value.clone()),
                };
            }
        }
        Value::Object(entry)
    });
    let header = SessionTree::new("s", "/project", None, EPOCH).unwrap().header().clone();
    SessionTree::from_entries(header, entries).unwrap()
}

/// Asks with recorded answers.
fn compact(input: &Value, settings: &Settings) -> Value {
    let tree = path_tree(input);
    let Some(ready) = tree.prepare_compaction(tree.leaf(), settings.keep_recent, &by_name) else {
        return object([("prepared", false.into())]);
    };
    let usage = object([("totalTokens", 7.into())]);
    let mut replies = match input.get("replies") {
        Some(replies) => replies.as_array().unwrap().to_vec(),
        None => vec!["SUMMARY-1".into(), "SUMMARY-2".into()],
    }
    .into_iter();
    let (mut calls, mut texts, mut usages) = (Vec::new(), Vec::new(), Vec::new());
    for request in compaction_requests(&ready, text(input, "customInstructions")) {
        calls.push(described(&request));
        let answer = match replies.next().unwrap() {
            Value::String(text) => object([("stopReason", "stop".into()), ("content", text.into())]),
            answer => answer,
        };
        match answer_text(&answer) {
            Ok(text) => texts.push(text),
            Err(_) => return object([("calls", calls.into()), ("error", true.into())]),
        }
        usages.push(usage.clone());
    }
    let total = total_usage(&mut usages.iter());
    object([
        ("calls", calls.into()),
        ("summary", compaction_summary(&ready, &texts).into()),
        ("usage", total.get("totalTokens").cloned().unwrap()),
        ("details", ready.files.details()),
    ])
}

/// What a request says, as the recordings describe it.
fn described(body: &str) -> Value {
    let from = |mark: &str| body.rfind(mark).unwrap_or(0);
    let tail = &body[from("</conversation>").max(from("# Instructions"))..];
    let headings = tail.lines().filter(|line| line.starts_with('#') && *line != "# Instructions");
    let focus = body.split_once("Additional focus: ").map(|(_, focus)| focus.lines().next().unwrap());
    object([
        ("hasSystemPrompt", (!SYSTEM_PROMPT.is_empty()).into()),
        ("conversation", (body.contains("<conversation>") || body.starts_with("# Conversation")).into()),
        ("previousSummaryTag", body.contains("<previous-summary>\n").into()),
        ("focus", focus.into()),
        ("sections", Value::Array(headings.map(Value::from).collect())),
    ])
}

/// The part of recorded calls that is made here; how the model is called is the host's business.
fn normal_calls(want: &mut Object) {
    if want.contains_key("error") {
        want.insert("error", true);
    }
    let Some(Value::Array(calls)) = want.get_mut("calls") else { return };
    for call in calls {
        let tagged = [call.get("conversationTag"), call.get("conversationHeading")].contains(&Some(&Value::Bool(true)));
        let Value::Object(members) = call else { continue };
        for key in
            ["conversationTag", "conversationHeading", "maxTokens", "cacheRetention", "reasoning", "freshSessionId"]
        {
            members.remove(key);
        }
        members.insert("conversation", tagged);
    }
}
