//! What a keyword has to evaluate: the tasks of its kind for one value.

use super::check::Run;
use super::frame::{Frame, Join, Role, Task};
use super::node::{Keyword, NodeId, ObjectRules, Type, FALSE, TRUE};
use super::values::{Item, Values};
use super::Profile;

/// The tasks of a keyword that is no assertion, and how they join. `target` is what a dynamic reference means here.
pub(super) fn of(run: &mut Run, keyword: &Keyword, frame: &mut Frame, target: NodeId) -> (Join, Vec<Task>) {
    let value = frame.value;
    let here = |node: &NodeId| Task::here(*node, value);
    let reference = |node: NodeId| Task { role: Role::Reference, ..Task::here(node, value) };
    match keyword {
        Keyword::AllOf(nodes) => (Join::All, nodes.iter().map(here).collect()),
        Keyword::AnyOf(nodes) => (Join::Any, nodes.iter().map(here).collect()),
        Keyword::OneOf(nodes) => (Join::One, nodes.iter().map(here).collect()),
        Keyword::Not(node) => (Join::Not, vec![here(node)]),
        Keyword::If { condition, then, otherwise } => {
            let join = Join::Choose { then: *then, otherwise: *otherwise };
            (join, vec![here(condition)])
        }
        Keyword::Ref(node) => (Join::All, vec![reference(*node)]),
        Keyword::DynamicRef { .. } => (Join::All, vec![reference(target)]),
        Keyword::DependentSchemas(list) => {
            let present = list.iter().filter(|(name, _)| run.values.member(value, name).is_some());
            (Join::All, present.map(|(_, node)| here(node)).collect())
        }
        Keyword::Object(rules) => (Join::All, members(run, rules, frame)),
        Keyword::Array(rules) => {
            let parts = items(&run.values, frame);
            let nodes = rules.prefix.iter().copied().map(Some);
            let nodes = nodes.chain(std::iter::repeat(rules.rest));
            let mut tasks = Vec::new();
            for (task, node) in parts.into_iter().zip(nodes) {
                let (Some(part), Some(node)) = (task.part, node) else {
                    break;
                };
                frame.mark_seen(part as usize);
                if node != TRUE {
                    tasks.push(Task { node, ..task });
                }
            }
            (Join::All, tasks)
        }
        Keyword::Contains { node, min, max, marks } => {
            let join = match run.values.get(value) {
                Item::Array(_) => Join::Count { min: *min, max: *max, marks: *marks },
                _ => Join::All,
            };
            let tasks = items(&run.values, frame);
            (join, tasks.into_iter().map(|task| Task { node: *node, ..task }).collect())
        }
        Keyword::Unevaluated { node, of } => (Join::All, unevaluated(run, *node, *of, frame)),
        // The rest are assertions.
        _ => (Join::All, Vec::new()),
    }
}

/// A task for each item of an array, its node still open.
fn items(values: &Values, frame: &Frame) -> Vec<Task> {
    match values.get(frame.value) {
        Item::Array(parts) => (0..).zip(parts).map(|(part, &value)| task(TRUE, part, value)).collect(),
        _ => Vec::new(),
    }
}

fn task(node: NodeId, part: u32, value: u32) -> Task {
    Task { part: Some(part), ..Task::here(node, value) }
}

/// `properties` in the order of the schema, then what concerns each member in the order of the value. The older
/// profile reports the other way round.
fn members(run: &mut Run, rules: &ObjectRules, frame: &mut Frame) -> Vec<Task> {
    let old = run.schema.profile == Profile::V0_85;
    let Item::Object(names, parts) = run.values.get(frame.value) else {
        return Vec::new();
    };
    let (names, parts) = (names.clone(), parts.clone());
    let mut declared = Vec::new();
    for (name, node) in &rules.properties {
        if let Some(position) = names.find(name) {
            frame.mark_seen(position);
            if let Some(&value) = parts.get(position).filter(|_| *node != TRUE) {
                declared.push(task(*node, position as u32, value));
            }
        }
    }
    let mut others = Vec::new();
    let mut unwanted = 0;
    for ((part, name), &value) in (0..).zip(names.iter()).zip(&parts) {
        let mut matched = rules.property(name).is_some();
        for (number, (pattern, node)) in (0..).zip(&rules.patterns) {
            match run.patterns.is_match(pattern, name) {
                Some(true) => {
                    matched = true;
                    frame.mark_seen(part as usize);
                    others.push(task(*node, part, value));
                }
                Some(false) => {}
                None => others.push(Task { role: Role::BadPattern(number), ..Task::here(FALSE, frame.value) }),
            }
        }
        match rules.additional.filter(|_| !matched) {
            Some(FALSE) => {
                unwanted += 1;
                // The older profile reports the object once, not each name.
                if !old || unwanted == 1 {
                    others.push(Task { role: Role::Unwanted, ..task(FALSE, part, value) });
                }
            }
            Some(node) => {
                frame.mark_seen(part as usize);
                let role = if old { Role::Extra } else { Role::Schema };
                others.push(Task { role, ..task(node, part, value) });
            }
            None => {}
        }
        if let Some(node) = rules.names.filter(|&node| node != TRUE) {
            let name = run.values.add(Item::String(name.clone()));
            others.push(Task { role: Role::Name, ..task(node, part, name) });
        }
    }
    if old {
        others.append(&mut declared);
        return others;
    }
    declared.append(&mut others);
    declared
}

/// The parts nothing has evaluated. A node that failed already does not know which those are.
fn unevaluated(run: &Run, node: NodeId, of: Type, frame: &mut Frame) -> Vec<Task> {
    if frame.failed || run.values.type_of(frame.value) != of {
        return Vec::new();
    }
    let parts = run.values.parts(frame.value);
    let seen = frame.seen.get_or_insert_with(|| vec![false; parts.len()]);
    let mut tasks = Vec::new();
    for ((part, &value), seen) in (0..).zip(parts).zip(seen) {
        if !std::mem::replace(seen, true) {
            let role = if node == FALSE { Role::Unwanted } else { Role::Schema };
            tasks.push(Task { role, ..task(node, part, value) });
        }
    }
    tasks
}
