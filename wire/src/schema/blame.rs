//! Which branch of a failed union to report: a model that reads the failures of every branch learns nothing.

use super::check::Run;
use super::issue::{extend, listed, Issue};
use super::node::{NodeId, Type};
use super::text;
use super::values::Id;
use super::Profile;
use crate::json::Value;
use crate::order::NameMap;

/// The issues to report for a union none of whose branches accepts the value at `path`.
pub(super) fn choose(run: &Run, value: Id, path: String, branches: Vec<(NodeId, Vec<Issue>)>) -> Vec<Issue> {
    let no_match = |path| Issue { path, message: "matches none of the alternatives".to_owned() };
    if run.schema.profile == Profile::V0_85 {
        let mut all = Vec::new();
        for (_, mut issues) in branches {
            all.append(&mut issues);
        }
        all.push(no_match(path));
        return all;
    }
    let item = run.values.get(value);
    if let Some(tag) = tag(run, &branches).filter(|_| item.of == Type::Object) {
        return by_tag(run, value, path, branches, &tag);
    }
    // The branch that declares most of the properties the value has is the one it was meant for; among equals the
    // one that got deepest before it failed.
    let mut best = (None, vec![no_match(path)]);
    for (node, issues) in branches {
        let Some(first) = issues.first() else {
            continue;
        };
        let rules = run.schema.node(run.target(node)).object();
        let declared = |name: &&String| rules.is_some_and(|rules| rules.property(name).is_some());
        let declared = item.names.list.iter().filter(declared).count();
        let depth = if first.path == "root" { 0 } else { first.path.len() };
        if Some((declared, depth)) > best.0 {
            best = (Some((declared, depth)), issues);
        }
    }
    best.1
}

/// A property whose constant tells the branches apart.
struct Tag<'s> {
    name: &'s str,
    /// The constants, and the branch of each by its key.
    values: Vec<Value>,
    branches: NameMap,
}

/// The first property of the first branch for which every branch has its own scalar constant.
fn tag<'s>(run: &Run<'s>, branches: &[(NodeId, Vec<Issue>)]) -> Option<Tag<'s>> {
    let schema = run.schema;
    let rules = |branch: NodeId| schema.node(run.target(branch)).object();
    let (first, _) = branches.first()?;
    'names: for (name, _) in &rules(*first)?.properties {
        let mut tag = Tag { name, values: Vec::new(), branches: NameMap::default() };
        for (position, (branch, _)) in branches.iter().enumerate() {
            let property = rules(*branch).and_then(|rules| rules.property(name));
            let constant = property.and_then(|property| schema.node(property).choices(true)?.values.first());
            match constant {
                None | Some(Value::Array(_) | Value::Object(_)) => continue 'names,
                Some(constant) => {
                    if tag.branches.set(&text::key_of(constant), position).is_some() {
                        continue 'names;
                    }
                    tag.values.push(constant.clone());
                }
            }
        }
        return Some(tag);
    }
    None
}

/// The issues of the branch the value's tag names, or an issue at the tag.
fn by_tag(run: &Run, value: Id, path: String, branches: Vec<(NodeId, Vec<Issue>)>, tag: &Tag) -> Vec<Issue> {
    let member = run.values.member(value, tag.name);
    let named = member.and_then(|(_, member)| tag.branches.get(&text::key(&run.values, member)));
    if let Some((_, issues)) = named.and_then(|named| branches.into_iter().nth(named)) {
        return issues;
    }
    let root = path == "root";
    let mut place = if root { String::new() } else { path };
    extend(&mut place, root, tag.name);
    vec![Issue { path: place, message: ["must be one of ", &listed(&tag.values)].concat() }]
}
