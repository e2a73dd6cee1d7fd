//! What a keyword has to evaluate: the tasks of its kind for one value.

use super::check::Run;
use super::frame::{Frame, Role, Task};
use super::node::{ArrayRules, Join, Keyword, NodeId, ObjectRules, Type, FALSE, TRUE};
use super::values::{Id, Values};
use super::Profile;

/// The tasks of a keyword that is no assertion, and how they join. `target` is what a dynamic reference means here.
pub(super) fn of(run: &mut Run, keyword: &Keyword, frame: &mut Frame, target: NodeId) -> (Join, Vec<Task>) {
    let value = frame.value;
    let mut tasks = Vec::new();
    let mut join = Join::All;
    match keyword {
        Keyword::Branches(how, nodes) => {
            join = *how;
            for &node in nodes {
                add(&mut tasks, Role::Schema, node, None, value);
            }
        }
        Keyword::Ref(node) => add(&mut tasks, Role::Reference, *node, None, value),
        Keyword::DynamicRef(..) => add(&mut tasks, Role::Reference, target, None, value),
        Keyword::DependentSchema(name, node) if run.values.member(value, name).is_some() => {
            add(&mut tasks, Role::Schema, *node, None, value);
        }
        Keyword::Object(rules) => members(run, rules, frame, &mut tasks),
        Keyword::Array(rules) => items(&run.values, rules, frame, &mut tasks),
        Keyword::Contains(node, count) => {
            let item = run.values.get(value);
            if item.of == Type::Array {
                join = *count;
                for (part, &value) in item.parts.iter().enumerate() {
                    add(&mut tasks, Role::Schema, *node, Some(part), value);
                }
            }
        }
        Keyword::Unevaluated(node, of) => unevaluated(run, *node, *of, frame, &mut tasks),
        // The rest are assertions, or ask for nothing.
        _ => {}
    }
    (join, tasks)
}

fn add(tasks: &mut Vec<Task>, role: Role, node: NodeId, part: Option<usize>, value: Id) {
    tasks.push(Task { node, value, part: part.map(|part| part as u32), role });
}

fn items(values: &Values, rules: &ArrayRules, frame: &mut Frame, tasks: &mut Vec<Task>) {
    let item = values.get(frame.value);
    if item.of != Type::Array {
        return;
    }
    for (part, &value) in item.parts.iter().enumerate() {
        let Some(node) = rules.prefix.get(part).copied().or(rules.rest) else {
            break;
        };
        frame.mark_seen(part);
        if node != TRUE {
            add(tasks, Role::Schema, node, Some(part), value);
        }
    }
}

/// `properties` in the order of the schema, then what concerns each member in the order of the value. The older
/// profile reports the other way round.
fn members(run: &mut Run, rules: &ObjectRules, frame: &mut Frame, tasks: &mut Vec<Task>) {
    let old = run.schema.profile == Profile::V0_85;
    if !old {
        declared(run, rules, frame, tasks);
    }
    let names = run.values.get(frame.value).names.clone();
    let mut unwanted = false;
    for (part, name) in names.list.iter().enumerate() {
        let Some(&value) = run.values.get(frame.value).parts.get(part) else {
            break;
        };
        let mut matched = rules.property(name).is_some();
        for (number, (pattern, node)) in rules.patterns.iter().enumerate() {
            match run.patterns.is_match(pattern, name) {
                Some(true) => {
                    matched = true;
                    add(tasks, Role::Schema, *node, Some(part), value);
                }
                Some(false) => {}
                None => add(tasks, Role::BadPattern, number as NodeId, None, frame.value),
            }
        }
        let additional = rules.additional.filter(|_| !matched);
        if matched || additional.is_some() {
            frame.mark_seen(part);
        }
        if let Some(node) = additional {
            let role = match node {
                FALSE => Role::Unwanted,
                _ if old => Role::Extra,
                _ => Role::Schema,
            };
            // The older profile reports the object once, not each name.
            if !(old && unwanted && role == Role::Unwanted) {
                add(tasks, role, node, Some(part), value);
            }
            unwanted |= role == Role::Unwanted;
        }
        if let Some(node) = rules.names {
            let name = run.values.add_scalar(Type::String, name.clone());
            add(tasks, Role::Name, node, Some(part), name);
        }
    }
    if old {
        declared(run, rules, frame, tasks);
    }
}

fn declared(run: &Run, rules: &ObjectRules, frame: &mut Frame, tasks: &mut Vec<Task>) {
    for (name, node) in &rules.properties {
        if let Some((part, value)) = run.values.member(frame.value, name) {
            frame.mark_seen(part);
            add(tasks, Role::Schema, *node, Some(part), value);
        }
    }
}

/// The parts nothing has evaluated. A node that failed already does not know which those are.
fn unevaluated(run: &Run, node: NodeId, of: Type, frame: &mut Frame, tasks: &mut Vec<Task>) {
    let item = run.values.get(frame.value);
    let (false, true, Some(seen)) = (frame.failed, item.of == of, &mut frame.seen) else {
        return;
    };
    let role = if node == FALSE { Role::Unwanted } else { Role::Schema };
    for (part, (&value, seen)) in item.parts.iter().zip(seen).enumerate() {
        if !std::mem::replace(seen, true) {
            add(tasks, role, node, Some(part), value);
        }
    }
}
