//! The operations behind `sessionCall`, by name.

use std::borrow::Cow;

use steersman_wire::json::Value;

use super::answer::Answer;
use super::session::Done;
use crate::session::append::Extras;
use crate::session::compact::{overflow, Preparation};
use crate::session::context::Context;
use crate::session::files::{by_name, Access, FileLists, FileOps};
use crate::session::read::{items, number, text as word, texts};
use crate::session::summary::{
    answer_text, as_text, branch_request, branch_summary, requests_for, summary_of, NO_BRANCH, SYSTEM_PROMPT,
};
use crate::session::{llm, tokens, SessionError, SessionTree, Stamp};

fn flag(request: &Value, key: &str) -> bool {
    request.get(key) == Some(&Value::Bool(true))
}

/// Numbers as runs: the first of each and how many follow one another. A conversation is mostly one run.
fn runs(out: &mut Answer, positions: &[usize]) {
    let mut runs: Vec<usize> = Vec::new();
    for &position in positions {
        match runs.as_mut_slice() {
            [.., first, count] if *first + *count == position => *count += 1,
            _ => runs.extend_from_slice(&[position, 1]),
        }
    }
    out.counts(&runs);
}

/// An operation on a session. What adds an entry answers with it.
pub(super) fn operation(
    tree: &mut SessionTree,
    name: &str,
    request: &Value,
    stamp: &mut Stamp<'_>,
    out: &mut Answer,
) -> Done {
    let get = |key: &str| request.get(key).cloned();
    let optional = |key: &str| request.get(key).and_then(Value::as_str);
    let word = |key: &str| word(request, key);
    let added = match name {
        "message" => tree.append_message(get("message").unwrap_or_default(), stamp),
        "model" => tree.append_model_change(word("provider"), word("modelId"), stamp),
        "thinking" => tree.append_thinking_level_change(word("level"), stamp),
        "custom" => tree.append_custom(word("customType"), get("data"), stamp),
        "customMessage" => {
            let content = get("content").unwrap_or_default();
            tree.append_custom_message(word("customType"), content, flag(request, "display"), get("details"), stamp)
        }
        "name" => tree.append_name(word("name"), stamp),
        "label" => tree.append_label(word("target"), optional("label"), stamp),
        "usage" => {
            let usage = get("usage").unwrap_or_default();
            tree.append_usage(word("kind"), word("provider"), word("model"), usage, optional("note"), stamp)
        }
        "compaction" | "branchSummary" => {
            let extras = Extras {
                details: get("details"),
                usage: get("usage"),
                from_hook: request.get("fromHook").and_then(Value::as_bool),
            };
            if name == "branchSummary" {
                tree.branch_with_summary(optional("to"), word("summary"), &extras, stamp)
            } else {
                let before = number(request, "tokensBefore");
                tree.append_compaction(word("summary"), optional("firstKeptEntryId"), before, &extras, stamp)
            }
        }
        "edit" => tree.append_context_edit(word("target"), get("replacement").unwrap_or_default(), stamp),
        _ => return question(tree, name, request, out),
    };
    let position = added?;
    out.value(tree.value_at(position));
    if matches!(name, "message" | "custom") {
        // The host keeps what it says.
        tree.outline(position);
    }
    Ok(())
}

/// Writes the member `entries`, what a session says of the one it was made of: an entry whose outline both have by its
/// position there.
pub(super) fn branched(tree: &SessionTree, made: &SessionTree, out: &mut Answer) {
    out.key("entries").open('[');
    for position in 0..made.len() {
        match made.is_outline(position) {
            true => out.place(tree.position(made.id_at(position))),
            false => out.value(made.value_at(position)),
        }
    }
    out.close(']');
}

/// Whether entries are here in full. Those that are not are asked for.
fn complete(tree: &SessionTree, positions: &[usize], out: &mut Answer) -> bool {
    let outlines = tree.outlines(positions);
    if !outlines.is_empty() {
        runs(out.open('{').key("outlines"), &outlines);
        out.close('}');
    }
    outlines.is_empty()
}

/// The entry that a member names; without it the leaf.
fn entry_of(tree: &SessionTree, request: &Value, key: &str) -> Result<Option<usize>, SessionError> {
    match request.get(key) {
        Some(Value::String(id)) => tree.known(id).map(Some),
        Some(_) => Ok(None),
        None => Ok(tree.leaf()),
    }
}

/// Operations that add nothing.
fn question(tree: &mut SessionTree, name: &str, request: &Value, out: &mut Answer) -> Done {
    match name {
        "branch" => {
            tree.branch(request.get("to").and_then(Value::as_str))?;
            out.place(tree.leaf());
        }
        "path" => runs(out, &tree.path(entry_of(tree, request, "leaf")?)),
        "children" => runs(out, &tree.children(entry_of(tree, request, "of")?)),
        "labels" => {
            out.open('{');
            for (entry, label) in tree.labels().into_iter().enumerate() {
                if let Some(label) = label {
                    out.key(tree.id_at(entry)).text(label);
                }
            }
            out.close('}');
        }
        "sessionName" => out.optional(tree.name()),
        // Runs down the tree: the first entry, how many follow one another, the depth of the first.
        "tree" => {
            let mut runs: Vec<usize> = Vec::new();
            for (entry, at) in tree.order() {
                match runs.as_mut_slice() {
                    [.., first, count, depth] if *first + *count == entry && *depth + *count == at => *count += 1,
                    _ => runs.extend_from_slice(&[entry, 1, at]),
                }
            }
            out.counts(&runs);
        }
        "fill" => {
            let mut entries = items(request, "entries").iter();
            for position in items(request, "at") {
                if let (Some(position), Some(entry)) = (position.as_f64(), entries.next()) {
                    tree.fill(position as usize, entry.clone());
                }
            }
            out.value(&Value::Null);
        }
        "has" => {
            let path = tree.path(entry_of(tree, request, "leaf")?);
            let found = path.iter().any(|&position| tree.kind_at(position) == word(request, "type"));
            out.value(&found.into());
        }
        "context" => context(tree, &tree.context(entry_of(tree, request, "leaf")?), out),
        "size" => {
            let context = tree.context(entry_of(tree, request, "leaf")?);
            if complete(tree, &tree.measured(&context), out) {
                size(tree.size(&context), out);
            }
        }
        "cut" => {
            let path = tree.path(tree.leaf());
            let start = number(request, "start") as usize;
            let end = request.get("end").and_then(Value::as_f64).map_or(path.len(), |end| end as usize);
            if complete(tree, path.get(start..end).unwrap_or_default(), out) {
                let cut = tree.cut(&path, start, end, number(request, "keep"));
                out.open('{').key("firstKept").count(cut.first_kept);
                out.key("splitTurn").place(cut.split_turn);
                out.close('}');
            }
        }
        "prepare" => {
            let leaf = entry_of(tree, request, "leaf")?;
            if complete(tree, &tree.compactable(leaf), out) {
                match tree.prepare(leaf, number(request, "keep"), &access(request)) {
                    Some((ready, messages)) => preparation(&ready, messages, out),
                    None => out.value(&Value::Null),
                }
            }
        }
        "collect" => {
            let (left, parting) = tree.left_behind(entry_of(tree, request, "from")?, entry_of(tree, request, "to")?);
            runs(out.open('{').key("entries"), &left);
            out.key("parting").place(parting);
            out.close('}');
        }
        "branchPart" => {
            let mut entries = Vec::new();
            for id in items(request, "entries") {
                if let Some(position) = tree.position(id.as_str().unwrap_or_default()) {
                    entries.push(position);
                }
            }
            if complete(tree, &entries, out) {
                let part = tree.prepare_branch(&entries, number(request, "budget"), &access(request));
                out.open('{').key("messages").values(&part.messages);
                out.key("totalTokens").number(part.tokens);
                lists(&part.files, out);
                out.close('}');
            }
        }
        _ => return Err(SessionError::new("unknown_operation")),
    }
    Ok(())
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

/// Writes the members of file lists.
fn lists(files: &FileLists, out: &mut Answer) {
    out.key("readFiles").texts(&files.read);
    out.key("modifiedFiles").texts(&files.modified);
}

/// The messages are told by their entries; `made` are those that do not stand there as they are: the place among the
/// messages, and the message, or `[content]` where only that is another one.
fn context(tree: &SessionTree, context: &Context<'_>, out: &mut Answer) {
    let mut sources = Vec::new();
    out.open('{').key("made").open('[');
    for (place, message) in context.messages.iter().enumerate() {
        sources.push(message.entry);
        let own = tree.value_at(message.entry).get("message");
        if matches!((&message.message, own), (Cow::Borrowed(told), Some(own)) if std::ptr::eq(own, *told)) {
            continue;
        }
        out.open('[').count(place);
        if own.is_some() {
            out.open('[').value(message.message.get("content").unwrap_or(&Value::Null));
            out.close(']');
        } else {
            out.value(&message.message);
        }
        out.close(']');
    }
    out.close(']');
    runs(out.key("entries"), &context.entries);
    runs(out.key("sources"), &sources);
    out.key("model");
    match context.model {
        Some((provider, id)) => {
            out.open('{').key("provider").text(provider);
            out.key("modelId").text(id);
            out.close('}');
        }
        None => out.value(&Value::Null),
    }
    out.key("thinkingLevel").text(context.thinking_level);
    out.close('}');
}

fn size(size: tokens::Size, out: &mut Answer) {
    out.open('{').key("tokens").number(size.tokens);
    out.key("usageTokens").number(size.counted);
    out.key("trailingTokens").number(size.estimated);
    out.key("lastUsageIndex").place(size.counted_at);
    out.close('}');
}

fn preparation(ready: &Preparation, messages: [Vec<Cow<'_, Value>>; 2], out: &mut Answer) {
    out.open('{').key("tokensBefore").number(ready.tokens_before);
    out.key("firstKeptEntryId").text(&ready.first_kept);
    for (key, messages) in ["messagesToSummarize", "turnPrefixMessages"].into_iter().zip(messages) {
        out.key(key).open('[');
        for message in &messages {
            out.value(message);
        }
        out.close(']');
    }
    out.key("isSplitTurn").flag(ready.is_split_turn);
    out.key("previousSummary").optional(ready.previous_summary.as_deref());
    lists(&ready.files, out);
    out.close('}');
}

/// What a request says of a compaction: history and prefix, the summary before.
fn prepared(request: &Value) -> (&Value, [&[Value]; 2], Option<&str>) {
    let ready = request.get("preparation").unwrap_or(&Value::Null);
    let messages = [items(ready, "messagesToSummarize"), items(ready, "turnPrefixMessages")];
    (ready, messages, ready.get("previousSummary").and_then(Value::as_str))
}

fn files_of(value: &Value) -> FileLists {
    FileLists { read: texts(value, "readFiles"), modified: texts(value, "modifiedFiles") }
}

/// The system prompt, and the texts of the user messages to send.
fn requests(texts: &[String], out: &mut Answer) {
    out.open('{').key("systemPrompt").text(SYSTEM_PROMPT);
    out.key("requests").texts(texts);
    out.close('}');
}

/// A summary that is ready, and what its entry keeps in `details`.
fn summary(text: &str, files: &FileLists, out: &mut Answer) {
    out.open('{').key("summary").text(text);
    lists(files, out.key("details").open('{'));
    out.close('}');
    out.close('}');
}

/// Functions that need no session.
pub(super) fn function(name: &str, request: &Value, out: &mut Answer) -> Done {
    let message = request.get("message").unwrap_or(&Value::Null);
    let messages = items(request, "messages");
    match name {
        "estimate" => out.number(tokens::estimate(message)),
        "messagesSize" => size(tokens::sum_up(&messages.iter().collect::<Vec<_>>()), out),
        "overflow" => {
            let (overflows, length) = overflow(message, number(request, "window"), number(request, "maxTokens"));
            out.open('{').key("isContextOverflow").flag(overflows);
            out.key("isRecoverableLength").flag(length);
            out.close('}');
        }
        "forModel" => {
            out.open('[');
            for message in messages {
                if let Some(message) = llm::seen(message) {
                    out.value(&message);
                }
            }
            out.close(']');
        }
        "serialize" => out.text(&as_text(messages)),
        "files" => {
            let mut files = FileOps::default();
            for message in messages {
                files.add_message(message, &access(request));
            }
            let found = files.lists();
            lists(&found, out.open('{'));
            out.key("appended").text(&found.appended());
            out.close('}');
        }
        "requests" => {
            let (_, [history, prefix], previous) = prepared(request);
            requests(&requests_for(history, prefix, previous, word(request, "focus")), out);
        }
        "summary" => {
            let (ready, [history, prefix], previous) = prepared(request);
            let files = files_of(ready);
            let text = summary_of(history, prefix, previous, &files, &texts(request, "answers"));
            summary(&text, &files, out);
        }
        "answer" => out.text(&answer_text(message).map_err(SessionError::new)?),
        "branchRequest" => {
            let replace = flag(request, "replace");
            requests(&[branch_request(messages, word(request, "focus"), replace)], out);
        }
        "branchText" => {
            let files = files_of(request);
            match request.get("answer").and_then(Value::as_str) {
                Some(answer) => summary(&branch_summary(answer, &files), &files, out),
                None => summary(NO_BRANCH, &files, out),
            }
        }
        _ => return Err(SessionError::new("closed")),
    }
    Ok(())
}
