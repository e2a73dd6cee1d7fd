//! What holds for every session: random trees, cut and broken files, cuts through random conversations.

use steersman::session::files::by_name;
use steersman::session::tokens::estimate;
use steersman::session::{import, SessionTree, Stamp};
use steersman_wire::json::{to_text, Value};

use crate::observe::object;
use crate::ops::{Ids, EPOCH};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn blocks(content: Vec<Value>) -> Value {
    Value::Array(content)
}

/// A turn: a question, answers with tool calls and their results, a last answer.
fn add_turn(tree: &mut SessionTree, random: &mut Random, ids: &mut Ids) {
    let mut add = |tree: &mut SessionTree, message: Value| {
        tree.append_message(message, &mut Stamp { ids: &mut || ids.next(), now: EPOCH }).unwrap();
    };
    let words = |random: &mut Random| "x".repeat(random.below(400));
    add(tree, object([("role", "user".into()), ("content", words(random).into())]));
    for _ in 0..random.below(3) {
        let calls = 1 + random.below(3);
        let count = tree.len();
        let name = |call: usize| format!("c{count}-{call}");
        let block = |call| {
            object([
                ("type", "toolCall".into()),
                ("id", name(call).into()),
                ("name", "read".into()),
                ("arguments", object([("path", name(call).into())])),
            ])
        };
        let answer = [("role", "assistant".into()), ("content", blocks((0..calls).map(block).collect()))];
        add(tree, object(answer));
        for call in 0..calls {
            let result = blocks(vec![object([("type", "text".into()), ("text", words(random).into())])]);
            let members = [("role", "toolResult".into()), ("toolCallId", name(call).into()), ("content", result)];
            add(tree, object(members));
        }
    }
    let said = blocks(vec![object([("type", "text".into()), ("text", words(random).into())])]);
    add(tree, object([("role", "assistant".into()), ("content", said), ("stopReason", "stop".into())]));
}

fn random_tree(random: &mut Random, turns: usize) -> SessionTree {
    let mut ids = Ids::default();
    let mut tree = SessionTree::new("s", "/project", None, EPOCH).unwrap();
    for _ in 0..turns {
        match random.below(9) {
            0 => drop(tree.append_model_change("p", "m", &mut Stamp { ids: &mut || ids.next(), now: EPOCH })),
            1 => drop(tree.append_custom("k", None, &mut Stamp { ids: &mut || ids.next(), now: EPOCH })),
            2 if tree.len() > 3 => {
                let to = tree.id_at(random.below(tree.len())).to_owned();
                tree.branch(Some(&to)).unwrap();
            }
            3 if tree.leaf().is_some() => {
                let target = tree.leaf_id().unwrap().to_owned();
                tree.append_label(&target, Some("l"), &mut Stamp { ids: &mut || ids.next(), now: EPOCH }).unwrap();
            }
            4 if tree.leaf().is_some() => {
                let target = tree.leaf_id().unwrap().to_owned();
                let stamp = &mut Stamp { ids: &mut || ids.next(), now: EPOCH };
                // Not every entry may be hidden.
                let _ = tree.append_context_edit(&target, Value::Null, stamp);
            }
            _ => add_turn(&mut tree, random, &mut ids),
        }
    }
    tree
}

#[test]
fn what_is_exported_reads_the_same() {
    let mut random = Random(11);
    for _ in 0..100 {
        let tree = random_tree(&mut random, 12);
        let source = tree.export();
        let read = import(&source, &mut Stamp { ids: &mut || None, now: 0.0 }).unwrap();
        assert_eq!(read.reports, []);
        assert_eq!(read.tree.export(), source);
        assert_eq!(read.tree.tree(), tree.tree());
    }
}

#[test]
fn broken_files_are_read_or_refused() {
    let mut random = Random(5);
    for round in 0..400 {
        let tree = random_tree(&mut random, 6);
        let mut bytes = tree.export().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = random.below(256) as u8,
                _ => drop(bytes.splice(at..at, *b"\"id\":\"00000001\",")),
            }
        }
        let source = String::from_utf8_lossy(&bytes);
        let mut ids = Ids { count: 1000 * round, ..Ids::default() };
        let Ok(read) = import(&source, &mut Stamp { ids: &mut || ids.next(), now: 0.0 }) else { continue };
        let tree = read.tree;
        assert_eq!(tree.tree().len(), tree.len(), "every entry is in the tree once");
        let again = import(&tree.export(), &mut Stamp { ids: &mut || None, now: 0.0 }).unwrap();
        assert_eq!(again.tree.export(), tree.export());
        let _ = tree.context(tree.leaf()).for_model();
        let _ = tree.prepare_compaction(tree.leaf(), 50.0, &by_name);
    }
}

#[test]
fn a_cut_parts_no_call_from_its_result_and_loses_no_message() {
    // 10,000 random paths; a native test in a debug build takes seconds for them.
    let mut random = Random(3);
    let (mut prepared, mut paths) = (0, 0);
    while paths < 10_000 {
        paths += 1;
        let turns = 1 + random.below(6);
        let mut tree = random_tree(&mut random, turns);
        // Compacted up to three times.
        for round in 0..3 {
            let keep = random.below(600) as f64;
            let before = messages(&tree);
            let size = tree.size(&tree.context(tree.leaf())).tokens;
            let Some(ready) = tree.prepare_compaction(tree.leaf(), keep, &by_name) else { break };
            prepared += 1;
            let mut ids = Ids { count: 100_000 * (round + 1), ..Ids::default() };
            let stamp = &mut Stamp { ids: &mut || ids.next(), now: EPOCH };
            let first = Some(ready.first_kept.as_str());
            tree.append_compaction("S", first, ready.tokens_before, &Default::default(), stamp).unwrap();
            let after = messages(&tree);
            // The summary is shorter than anything it can stand for, but for what was hidden: then nothing is gained.
            let next = tree.size(&tree.context(tree.leaf())).tokens;
            let gone: f64 = ready.history.iter().chain(&ready.prefix).map(estimate).sum();
            assert!(next <= size + (estimate(&summary()) - gone).max(0.0), "{next} after {size}, {gone} gone");
            let summarised = ready.history.iter().chain(&ready.prefix).map(to_text);
            let all: Vec<String> = summarised.chain(after.iter().map(to_text)).collect();
            assert_eq!(all, before.iter().map(to_text).collect::<Vec<_>>(), "keep {keep}");
            assert!(tree.prepare_compaction(tree.leaf(), 0.0, &by_name).is_none(), "twice in a row");
            whole_calls(&before, &after);
            add_turn(&mut tree, &mut random, &mut ids);
        }
    }
    assert!(prepared > 700, "only {prepared} compactions");
}

/// The messages of the context without the summary.
fn messages(tree: &SessionTree) -> Vec<Value> {
    let context = tree.context(tree.leaf());
    let messages = context.messages.iter().map(|message| message.message.clone().into_owned());
    messages.filter(|message| text(message, "role") != "compactionSummary").collect()
}

/// The summary that the tests store.
fn summary() -> Value {
    object([("role", "compactionSummary".into()), ("summary", "S".into())])
}

fn calls(message: &Value) -> Vec<String> {
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default().iter();
    blocks.filter(|block| text(block, "type") == "toolCall").map(|block| text(block, "id").to_owned()).collect()
}

/// The cut has put no result and its call on different sides: what is kept has those that were whole before.
/// (A branch may begin between a call and its result, but no cut goes there.)
fn whole_calls(before: &[Value], kept: &[Value]) {
    let results = |messages: &[Value]| -> Vec<String> {
        let results = messages.iter().filter(|message| text(message, "role") == "toolResult");
        results.map(|message| text(message, "toolCallId").to_owned()).collect()
    };
    let (called, kept_calls) =
        (before.iter().flat_map(calls).collect::<Vec<_>>(), kept.iter().flat_map(calls).collect::<Vec<_>>());
    let (answered, kept_results) = (results(before), results(kept));
    for id in &kept_results {
        assert!(kept_calls.contains(id) || !called.contains(id), "the call of a kept result is gone: {id}");
    }
    for id in &kept_calls {
        assert!(kept_results.contains(id) || !answered.contains(id), "the result of a kept call is gone: {id}");
    }
}

/// Every file of ours, cut and damaged: it is read or refused, and what was read can be used and written.
#[test]
fn files_of_ours_may_be_damaged_anywhere() {
    let cases = crate::read(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/session/imports.json"));
    let mut random = Random(9);
    for case in cases.as_array().unwrap() {
        let whole = text(case, "text").as_bytes();
        let cuts = (0..whole.len()).map(|at| whole[..at].to_vec());
        let flips = (0..300.min(whole.len() * 8)).map(|_| {
            let mut bytes = whole.to_vec();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            bytes
        });
        for bytes in cuts.chain(flips) {
            let source = String::from_utf8_lossy(&bytes);
            let mut ids = Ids { count: 5000, ..Ids::default() };
            let Ok(read) = import(&source, &mut Stamp { ids: &mut || ids.next(), now: 0.0 }) else { continue };
            let tree = read.tree;
            assert_eq!(tree.tree().len(), tree.len(), "every entry is in the tree once");
            for position in 0..tree.len() {
                assert!(tree.children(tree.parent_at(position)).contains(&position));
            }
            let _ = tree.context(tree.leaf()).for_model();
            let _ = tree.prepare_compaction(tree.leaf(), 50.0, &by_name);
            let again = import(&tree.export(), &mut Stamp { ids: &mut || None, now: 0.0 }).unwrap();
            assert_eq!(again.tree.export(), tree.export());
        }
    }
}

#[test]
fn a_long_chain_needs_no_stack() {
    let mut source = String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n");
    for count in 0..20_000usize {
        let parent = count.checked_sub(1).map_or("null".to_owned(), |parent| format!("\"e{parent}\""));
        source.push_str(&format!("{{\"type\":\"message\",\"id\":\"e{count}\",\"parentId\":{parent},"));
        source.push_str("\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n");
    }
    let read = import(&source, &mut Stamp { ids: &mut || None, now: 0.0 }).unwrap();
    assert_eq!(read.reports, []);
    assert_eq!(read.tree.context(read.tree.leaf()).messages.len(), 20_000);
    assert_eq!(read.tree.tree().last().unwrap().depth, 19_999);
    assert_eq!(read.tree.export(), source);
    let ready = read.tree.prepare_compaction(read.tree.leaf(), 1000.0, &by_name).unwrap();
    assert_eq!(ready.history.len(), 19_000);
}
