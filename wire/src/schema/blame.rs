//! Which branch of a failed union to report: a model that reads the failures of every branch learns nothing.

use super::check::Run;
use super::frame::Frame;
use super::issue::{listed, Issue};
use super::node::{NodeId, ObjectRules, Type};
use super::text;
use super::values::{Id, Item};
use super::Profile;
use crate::order::NameMap;

/// A branch with its issues.
type Branch = (NodeId, Vec<Issue>);

/// Reports a union none of whose branches accepts the value of the topmost frame.
pub(super) fn report(run: &Run, stack: &[Frame], value: Id, mut branches: Vec<Branch>, issues: &mut Vec<Issue>) {
    let old = run.schema.profile == Profile::V0_85;
    let item = run.values.get(value);
    let (mut wanted, mut message) = (None, "matches none of the alternatives".to_owned());
    let chosen = match tag(run, &branches).filter(|_| !old && item.of == Type::Object) {
        None => best(run, item, &branches),
        Some((name, values, tags)) => {
            let member = run.values.member(value, name);
            let chosen = member.and_then(|(_, member)| tags.get(&text::key(&run.values, member)));
            if chosen.is_none() {
                wanted = Some(name);
                message = ["must be one of ", &listed(&run.schema.constants, &values)].concat();
            }
            chosen
        }
    };
    let before = issues.len();
    for (position, (_, others)) in branches.iter_mut().enumerate() {
        if old || chosen == Some(position) {
            issues.append(others);
        }
    }
    if old || issues.len() == before {
        issues.push(Issue { path: run.path(stack, None, wanted), message });
    }
}

/// The branch that declares most of the properties the value has is the one it was meant for; among equals the one
/// that got deepest before it failed.
fn best(run: &Run, item: &Item, branches: &[Branch]) -> Option<usize> {
    let mut best = None;
    for (position, (node, issues)) in branches.iter().enumerate() {
        let Some(first) = issues.first() else {
            continue;
        };
        let rules = rules(run, *node);
        let depth = if first.path == "root" { 0 } else { first.path.len() };
        let mut declared = 0;
        for name in &item.names.list {
            declared += usize::from(rules.is_some_and(|rules| rules.property(name).is_some()));
        }
        let score = (declared, depth);
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, position));
        }
    }
    best.map(|(_, position)| position)
}

/// The first property of the first branch for which every branch has its own scalar constant: its name, the constants,
/// and the branch of each by its key.
fn tag<'r>(run: &Run<'r>, branches: &[Branch]) -> Option<(&'r str, Vec<Id>, NameMap)> {
    let constants = &run.schema.constants;
    let constant = |branch: NodeId, name: &str| {
        let property = run.schema.node(rules(run, branch)?.property(name)?);
        let constant = *property.choices(true)?.values.first()?;
        (constants.get(constant).of < Type::Array).then_some(constant)
    };
    'names: for (name, _) in &rules(run, branches.first()?.0)?.properties {
        let (mut values, mut tags) = (Vec::new(), NameMap::default());
        for (position, (branch, _)) in branches.iter().enumerate() {
            let Some(constant) = constant(*branch, name) else {
                continue 'names;
            };
            if tags.set(&text::key(constants, constant), position).is_some() {
                continue 'names;
            }
            values.push(constant);
        }
        return Some((name, values, tags));
    }
    None
}

/// What a branch, or the target of its reference, says about members.
fn rules<'r>(run: &Run<'r>, branch: NodeId) -> Option<&'r ObjectRules> {
    let node = run.schema.node(branch);
    let node = node.reference().map_or(node, |&target| run.schema.node(target));
    node.object().map(|rules| &**rules)
}
