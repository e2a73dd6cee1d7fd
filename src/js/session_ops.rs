//! The operations behind `sessionCall`, by name.

use steersman_wire::json::{Object, Value};

use crate::session::append::Extras;
use crate::session::compact::{overflow, Preparation};
use crate::session::context::Context;
use crate::session::files::{by_name, Access, FileLists, FileOps};
use crate::session::summary::{
    answer_text, branch_request, branch_summary, compaction_requests, compaction_summary, serialize, NO_BRANCH,
    SYSTEM_PROMPT,
};
use crate::session::{llm, tokens, SessionError, SessionTree, Stamp};

type Done = Result<Value, SessionError>;

fn word<'a>(request: &'a Value, key: &str) -> &'a str {
    request.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(request: &Value, key: &str) -> f64 {
    request.get(key).and_then(Value::as_f64).unwrap_or_default()
}

fn items<'a>(request: &'a Value, key: &str) -> &'a [Value] {
    request.get(key).and_then(Value::as_array).unwrap_or_default()
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().collect())
}

/// Numbers as runs: the first of each and how many follow one another. A conversation is mostly one run.
fn runs(positions: &mut dyn Iterator<Item = usize>) -> Value {
    let mut runs: Vec<usize> = Vec::new();
    for position in positions {
        match runs.as_mut_slice() {
            [.., first, count] if *first + *count == position => *count += 1,
            _ => runs.extend([position, 1]),
        }
    }
    Value::Array(runs.into_iter().map(Value::from).collect())
}

fn numbers(positions: &[usize]) -> Value {
    runs(&mut positions.iter().copied())
}

fn texts(list: &[String]) -> Value {
    Value::Array(list.iter().map(|text| text.as_str().into()).collect())
}

/// An operation on a session. What adds an entry answers with it.
pub(super) fn operation(tree: &mut SessionTree, name: &str, request: &Value, stamp: &mut Stamp<'_>) -> Done {
    let get = |key: &str| request.get(key).cloned();
    let optional = |key: &str| request.get(key).and_then(Value::as_str);
    let word = |key: &str| word(request, key);
    let extras = Extras {
        details: get("details"),
        usage: get("usage"),
        from_hook: request.get("fromHook").and_then(Value::as_bool),
    };
    let added = match name {
        "message" => tree.append_message(get("message").unwrap_or_default(), stamp),
        "model" => tree.append_model_change(word("provider"), word("modelId"), stamp),
        "thinking" => tree.append_thinking_level_change(word("level"), stamp),
        "custom" => tree.append_custom(word("customType"), get("data"), stamp),
        "customMessage" => {
            let display = request.get("display") == Some(&Value::Bool(true));
            let content = get("content").unwrap_or_default();
            tree.append_custom_message(word("customType"), content, display, get("details"), stamp)
        }
        "name" => tree.append_name(word("name"), stamp),
        "label" => tree.append_label(word("target"), optional("label"), stamp),
        "usage" => {
            let usage = get("usage").unwrap_or_default();
            tree.append_usage(word("kind"), word("provider"), word("model"), usage, optional("note"), stamp)
        }
        "compaction" => {
            let before = number(request, "tokensBefore");
            tree.append_compaction(word("summary"), optional("firstKeptEntryId"), before, &extras, stamp)
        }
        "branchSummary" => tree.branch_with_summary(optional("to"), word("summary"), &extras, stamp),
        "edit" => tree.append_context_edit(word("target"), get("replacement").unwrap_or_default(), stamp),
        _ => return question(tree, name, request),
    };
    let position = added?;
    let value = tree.value_at(position).clone();
    if matches!(name, "message" | "custom") {
        // The host keeps what it says.
        tree.outline(position);
    }
    Ok(value)
}

/// What a session says of the one it was made of: an entry whose outline both have by its position there.
pub(super) fn branched(tree: &SessionTree, made: &SessionTree) -> Object {
    let entry = |position: usize| match made.is_outline(position) {
        true => tree.position(made.id_at(position)).into(),
        false => made.value_at(position).clone(),
    };
    let mut out = Object::new();
    out.insert("entries", (0..made.len()).map(entry).collect::<Vec<Value>>());
    out
}

/// Entries that are needed in full first. `None`: they all are here.
fn outlines(tree: &SessionTree, positions: &[usize]) -> Option<Value> {
    let outlines = tree.outlines(positions);
    (!outlines.is_empty()).then(|| object(vec![("outlines", numbers(&outlines))]))
}

/// Operations that add nothing.
fn question(tree: &mut SessionTree, name: &str, request: &Value) -> Done {
    let at = |key: &str| match request.get(key) {
        Some(Value::String(id)) => tree.known(id).map(Some),
        Some(_) => Ok(None),
        None => Ok(tree.leaf()),
    };
    Ok(match name {
        "branch" => {
            tree.branch(request.get("to").and_then(Value::as_str))?;
            tree.leaf().into()
        }
        "path" => numbers(&tree.path(at("leaf")?)),
        "children" => numbers(&tree.children(at("of")?)),
        "labels" => {
            let labels = tree.labels().into_iter().enumerate();
            Value::Object(labels.filter_map(|(entry, label)| Some((tree.id_at(entry), label?))).collect())
        }
        "sessionName" => tree.name().into(),
        // Runs down the tree: the first entry, how many follow one another, the depth of the first.
        "tree" => {
            let mut runs: Vec<usize> = Vec::new();
            for row in tree.tree() {
                match runs.as_mut_slice() {
                    [.., first, count, depth] if *first + *count == row.entry && *depth + *count == row.depth => {
                        *count += 1
                    }
                    _ => runs.extend([row.entry, 1, row.depth]),
                }
            }
            Value::Array(runs.into_iter().map(Value::from).collect())
        }
        "fill" => {
            let entries = items(request, "entries").iter();
            for (position, entry) in items(request, "at").iter().filter_map(Value::as_f64).zip(entries) {
                tree.fill(position as usize, entry.clone());
            }
            Value::Null
        }
        "context" => context(tree, &tree.context(at("leaf")?)),
        "size" => {
            let context = tree.context(at("leaf")?);
            match outlines(tree, &tree.measured(&context)) {
                Some(needed) => needed,
                None => size(tree.size(&context)),
            }
        }
        "cut" => {
            let path = tree.path(tree.leaf());
            let start = number(request, "start") as usize;
            let end = request.get("end").and_then(Value::as_f64).map_or(path.len(), |end| end as usize);
            if let Some(needed) = outlines(tree, path.get(start..end).unwrap_or_default()) {
                return Ok(needed);
            }
            let cut = tree.cut(&path, start, end, number(request, "keep"));
            object(vec![("firstKept", cut.first_kept.into()), ("splitTurn", cut.split_turn.into())])
        }
        "prepare" => {
            let leaf = at("leaf")?;
            if let Some(needed) = outlines(tree, &tree.compactable(leaf)) {
                return Ok(needed);
            }
            let ready = tree.prepare_compaction(leaf, number(request, "keep"), &access(request));
            ready.as_ref().map(preparation).into()
        }
        "collect" => {
            let (left, parting) = tree.left_behind(at("from")?, at("to")?);
            object(vec![("entries", numbers(&left)), ("parting", parting.into())])
        }
        "branchPart" => {
            let entries = items(request, "entries").iter().filter_map(Value::as_str);
            let entries: Vec<usize> = entries.filter_map(|id| tree.position(id)).collect();
            if let Some(needed) = outlines(tree, &entries) {
                return Ok(needed);
            }
            let part = tree.prepare_branch(&entries, number(request, "budget"), &access(request));
            let mut out = vec![("messages", Value::Array(part.messages)), ("totalTokens", part.tokens.into())];
            out.extend(lists(&part.files));
            object(out)
        }
        _ => return Err(SessionError::new("unknown_operation")),
    })
}

/// The tools that touch files: those that the request names, else those that are usual.
fn access(request: &Value) -> impl Fn(&str) -> Option<Access> + '_ {
    |tool| match request.get("files") {
        Some(files) => match word(files, tool) {
            "read" => Some(Access::Read),
            "write" => Some(Access::Write),
            _ => None,
        },
        None => by_name(tool),
    }
}

fn lists(files: &FileLists) -> [(&'static str, Value); 2] {
    [("readFiles", texts(&files.read)), ("modifiedFiles", texts(&files.modified))]
}

/// The messages are told by their entries; `made` are those that do not stand there as they are: the place among the
/// messages, and the message, or `[content]` where only that is another one.
fn context(tree: &SessionTree, context: &Context<'_>) -> Value {
    let mut made = Vec::new();
    for (place, message) in context.messages.iter().enumerate() {
        let entry = tree.value_at(message.entry);
        let own = entry.get("message");
        let told = match &message.message {
            std::borrow::Cow::Borrowed(borrowed) if own.is_some_and(|own| std::ptr::eq(own, *borrowed)) => continue,
            other if own.is_some() => Value::Array(vec![other.get("content").cloned().unwrap_or_default()]),
            other => (**other).clone(),
        };
        made.push(Value::Array(vec![place.into(), told]));
    }
    let model = context.model.map(|(provider, id)| object(vec![("provider", provider.into()), ("modelId", id.into())]));
    object(vec![
        ("entries", numbers(&context.entries)),
        ("sources", runs(&mut context.messages.iter().map(|message| message.entry))),
        ("made", Value::Array(made)),
        ("model", model.into()),
        ("thinkingLevel", context.thinking_level.into()),
    ])
}

fn size(size: tokens::Size) -> Value {
    object(vec![
        ("tokens", size.tokens.into()),
        ("usageTokens", size.counted.into()),
        ("trailingTokens", size.estimated.into()),
        ("lastUsageIndex", size.counted_at.into()),
    ])
}

fn preparation(ready: &Preparation) -> Value {
    let mut out = vec![
        ("tokensBefore", ready.tokens_before.into()),
        ("firstKeptEntryId", ready.first_kept.as_str().into()),
        ("messagesToSummarize", ready.history.clone().into()),
        ("turnPrefixMessages", ready.prefix.clone().into()),
        ("isSplitTurn", ready.is_split_turn.into()),
        ("previousSummary", ready.previous_summary.as_deref().into()),
    ];
    out.extend(lists(&ready.files));
    object(out)
}

fn prepared(request: &Value) -> Preparation {
    let ready = request.get("preparation").unwrap_or(&Value::Null);
    Preparation {
        tokens_before: number(ready, "tokensBefore"),
        first_kept: word(ready, "firstKeptEntryId").to_owned(),
        history: items(ready, "messagesToSummarize").to_vec(),
        prefix: items(ready, "turnPrefixMessages").to_vec(),
        is_split_turn: ready.get("isSplitTurn") == Some(&Value::Bool(true)),
        previous_summary: ready.get("previousSummary").and_then(Value::as_str).map(str::to_owned),
        files: files_of(ready),
    }
}

fn files_of(value: &Value) -> FileLists {
    let list = |key| items(value, key).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    FileLists { read: list("readFiles"), modified: list("modifiedFiles") }
}

/// Functions that need no session.
pub(super) fn function(name: &str, request: &Value) -> Done {
    let message = request.get("message").unwrap_or(&Value::Null);
    let messages = items(request, "messages");
    Ok(match name {
        "estimate" => tokens::estimate(message).into(),
        "usageTokens" => tokens::of_usage(request.get("usage").unwrap_or(&Value::Null)).into(),
        "messagesSize" => size(tokens::of_messages(&mut messages.iter())),
        "overflow" => {
            let (overflows, length) = overflow(message, number(request, "window"), number(request, "maxTokens"));
            object(vec![("isContextOverflow", overflows.into()), ("isRecoverableLength", length.into())])
        }
        "forModel" => Value::Array(messages.iter().filter_map(llm::for_model).collect()),
        "serialize" => serialize(&mut messages.iter()).into(),
        "files" => {
            let mut files = FileOps::default();
            messages.iter().for_each(|message| files.add_message(message, &access(request)));
            let found = files.lists();
            let mut out: Object = lists(&found).into_iter().collect();
            out.insert("appended", found.appended());
            Value::Object(out)
        }
        "requests" => object(vec![
            ("systemPrompt", SYSTEM_PROMPT.into()),
            ("requests", texts(&compaction_requests(&prepared(request), word(request, "focus")))),
        ]),
        "summary" => {
            let answers: Vec<String> =
                items(request, "answers").iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let ready = prepared(request);
            object(vec![("summary", compaction_summary(&ready, &answers).into()), ("details", ready.files.details())])
        }
        "answer" => match answer_text(message) {
            Ok(text) => text.into(),
            Err(code) => return Err(SessionError::new(code)),
        },
        "branchRequest" => {
            let replace = request.get("replace") == Some(&Value::Bool(true));
            object(vec![
                ("systemPrompt", SYSTEM_PROMPT.into()),
                ("requests", texts(&[branch_request(messages, word(request, "focus"), replace)])),
            ])
        }
        "branchText" => {
            let files = files_of(request);
            let answer = request.get("answer").and_then(Value::as_str);
            object(vec![
                ("summary", answer.map_or(NO_BRANCH.into(), |answer| branch_summary(answer, &files).into())),
                ("details", files.details()),
            ])
        }
        "totalUsage" => tokens::total_usage(&mut items(request, "usages").iter()),
        _ => return Err(SessionError::new("closed")),
    })
}
