//! What a keyword has to evaluate: the tasks of its kind for one value.

use super::check::Run;
use super::frame::{Frame, Role, Task};
use super::node::{ArrayRules, Join, Keyword, NodeId, ObjectRules, Type, FALSE, TRUE};
use super::values::Values;
use super::Profile;

/// The tasks of a keyword that is no assertion, and how they join. `target` is what a dynamic reference means here.
pub(super) fn of(run: &mut Run, keyword: &Keyword, frame: &mut Frame, target: NodeId) -> (Join, Vec<Task>) {
    let value = frame.value;
    let mut tasks = Vec::new();
    let mut join = Join::All;
    match keyword {
        Keyword::Branches(how, nodes) => {
            join = *how;
            nodes.iter().for_each(|&node| tasks.push(Task::here(node, value)));
        }
        Keyword::Ref(_) | Keyword::DynamicRef(..) => {
            let node = if let Keyword::Ref(node) = keyword { *node } else { target };
            tasks.push(Task { role: Role::Reference, ..Task::here(node, value) });
        }
        Keyword::DependentSchemas(list) => {
            for (name, node) in list {
                if run.values.member(value, name).is_some() {
                    tasks.push(Task::here(*node, value));
                }
            }
        }
        Keyword::Object(rules) => tasks = members(run, rules, frame),
        Keyword::Array(rules) => tasks = items(&run.values, rules, frame),
        Keyword::Contains(node, count) => {
            let item = run.values.get(value);
            if item.of == Type::Array {
                join = *count;
                (0..).zip(&item.parts).for_each(|(part, &value)| tasks.push(at(*node, part, value)));
            }
        }
        Keyword::Unevaluated(node, of) => tasks = unevaluated(run, *node, *of, frame),
        // The rest are assertions.
        _ => {}
    }
    (join, tasks)
}

fn at(node: NodeId, part: u32, value: u32) -> Task {
    Task { part: Some(part), ..Task::here(node, value) }
}

fn items(values: &Values, rules: &ArrayRules, frame: &mut Frame) -> Vec<Task> {
    let mut tasks = Vec::new();
    let item = values.get(frame.value);
    for (part, &value) in item.parts.iter().enumerate().filter(|_| item.of == Type::Array) {
        let Some(node) = rules.prefix.get(part).copied().or(rules.rest) else {
            break;
        };
        frame.mark_seen(part);
        if node != TRUE {
            tasks.push(at(node, part as u32, value));
        }
    }
    tasks
}

/// `properties` in the order of the schema, then what concerns each member in the order of the value. The older
/// profile reports the other way round.
fn members(run: &mut Run, rules: &ObjectRules, frame: &mut Frame) -> Vec<Task> {
    let old = run.schema.profile == Profile::V0_85;
    let mut declared = Vec::new();
    let mut others = Vec::new();
    let names = run.values.get(frame.value).names.clone();
    for (name, node) in &rules.properties {
        if let Some((part, value)) = run.values.member(frame.value, name) {
            frame.mark_seen(part);
            declared.push(at(*node, part as u32, value));
        }
    }
    let mut unwanted = false;
    for (part, name) in (0u32..).zip(&names.list) {
        let Some(&value) = run.values.get(frame.value).parts.get(part as usize) else {
            break;
        };
        let mut matched = rules.property(name).is_some();
        for (number, (pattern, node)) in (0..).zip(&rules.patterns) {
            match run.patterns.is_match(pattern, name) {
                Some(true) => {
                    matched = true;
                    others.push(at(*node, part, value));
                }
                Some(false) => {}
                None => others.push(Task { role: Role::BadPattern(number), ..Task::here(FALSE, frame.value) }),
            }
        }
        let additional = rules.additional.filter(|_| !matched);
        if matched || additional.is_some() {
            frame.mark_seen(part as usize);
        }
        if let Some(node) = additional {
            let role = match node {
                FALSE => Role::Unwanted,
                _ if old => Role::Extra,
                _ => Role::Schema,
            };
            // The older profile reports the object once, not each name.
            if !(old && unwanted && role == Role::Unwanted) {
                others.push(Task { role, ..at(node, part, value) });
            }
            unwanted |= role == Role::Unwanted;
        }
        if let Some(node) = rules.names {
            let name = run.values.add_scalar(Type::String, name.clone());
            others.push(Task { role: Role::Name, ..at(node, part, name) });
        }
    }
    let (mut first, mut second) = if old { (others, declared) } else { (declared, others) };
    first.append(&mut second);
    first
}

/// The parts nothing has evaluated. A node that failed already does not know which those are.
fn unevaluated(run: &Run, node: NodeId, of: Type, frame: &mut Frame) -> Vec<Task> {
    let mut tasks = Vec::new();
    let item = run.values.get(frame.value);
    if frame.failed || item.of != of {
        return tasks;
    }
    for (part, (&value, seen)) in item.parts.iter().zip(frame.seen.iter_mut().flatten()).enumerate() {
        if !std::mem::replace(seen, true) {
            let role = if node == FALSE { Role::Unwanted } else { Role::Schema };
            tasks.push(Task { role, ..at(node, part as u32, value) });
        }
    }
    tasks
}
