//! Which branch of a failed union to report: a model that reads the failures of every branch learns nothing.

use super::check::Run;
use super::equal;
use super::issue::{extend, listed, Issue};
use super::node::{Choices, NodeId};
use super::values::{Id, Item};
use super::Profile;
use crate::json::Value;
use crate::order::sorted_positions;

/// The issues to report for a union none of whose branches accepts the value at `path`.
pub(super) fn choose(run: &Run, value: Id, path: &str, branches: Vec<(NodeId, Vec<Issue>)>) -> Vec<Issue> {
    if run.schema.profile == Profile::V0_85 {
        let mut all: Vec<Issue> = branches.into_iter().flat_map(|(_, issues)| issues).collect();
        all.push(no_match(path));
        return all;
    }
    if let Item::Object(..) = run.values.get(value) {
        if let Some(tag) = tag(run, &branches) {
            return by_tag(run, value, path, branches, &tag);
        }
    }
    // The branch that declares most of the properties the value has is the one it was meant for; among equals the
    // one that got deepest before it failed.
    let mut best: Option<((usize, usize), Vec<Issue>)> = None;
    for (node, issues) in branches {
        let Some(first) = issues.first() else {
            continue;
        };
        let depth = if first.path == "root" { 0 } else { first.path.len() };
        let score = (declared(run, node, value), depth);
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, issues));
        }
    }
    best.map_or_else(|| vec![no_match(path)], |(_, issues)| issues)
}

fn no_match(path: &str) -> Issue {
    Issue { path: path.to_owned(), message: "matches none of the alternatives".to_owned() }
}

/// A property whose constant tells the branches apart.
struct Tag<'s> {
    name: &'s str,
    /// The constant of each branch.
    constants: Vec<&'s Choices>,
}

/// The first property of the first branch for which every branch has its own scalar constant.
fn tag<'s>(run: &Run<'s, '_>, branches: &[(NodeId, Vec<Issue>)]) -> Option<Tag<'s>> {
    let schema = run.schema;
    let node = |branch: NodeId| schema.node(run.target(branch));
    let constant = |branch: NodeId, name: &str| {
        let property = node(branch).object()?.property(name)?;
        let constant = schema.node(property).constant()?;
        let scalar = !matches!(constant.values.first(), Some(Value::Array(_) | Value::Object(_)));
        scalar.then_some(constant)
    };
    let (first, _) = branches.first()?;
    let names = node(*first).object()?.properties.iter().map(|(name, _)| name);
    names.into_iter().find_map(|name| {
        let constants: Option<Vec<_>> = branches.iter().map(|(branch, _)| constant(*branch, name)).collect();
        let constants = constants?;
        let keys: Vec<_> = constants.iter().map(|constant| &constant.keys).collect();
        let order = sorted_positions(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
        let distinct = order.windows(2).all(|two| match *two {
            [first, second] => keys.get(first) != keys.get(second),
            _ => true,
        });
        distinct.then_some(Tag { name, constants })
    })
}

/// The issues of the branch the value's tag names, or an issue at the tag.
fn by_tag(run: &Run, value: Id, path: &str, branches: Vec<(NodeId, Vec<Issue>)>, tag: &Tag) -> Vec<Issue> {
    let key = run.values.member(value, tag.name).map(|(_, member)| equal::key(&run.values, member));
    let named = key.and_then(|key| tag.constants.iter().position(|constant| constant.keys.contains(&key)));
    if let Some((_, issues)) = named.and_then(|named| branches.into_iter().nth(named)) {
        return issues;
    }
    let constants: Vec<Value> = tag.constants.iter().flat_map(|constant| constant.values.clone()).collect();
    let mut place = if path == "root" { String::new() } else { path.to_owned() };
    extend(&mut place, path == "root", tag.name);
    vec![Issue { path: place, message: ["must be one of ", &listed(&constants)].concat() }]
}

/// How many members of the value the branch declares.
fn declared(run: &Run, branch: NodeId, value: Id) -> usize {
    let node = run.schema.node(run.target(branch));
    match (run.values.get(value), node.object()) {
        (Item::Object(names, _), Some(rules)) => names.iter().filter(|name| rules.property(name).is_some()).count(),
        _ => 0,
    }
}
