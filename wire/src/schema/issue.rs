//! What the model reads when its arguments do not fit.

use super::check::Run;
use super::frame::{Frame, Role, Task};
use super::node::{Required, Type};
use super::values::{Id, Values};
use super::{assertion, suggest, text, Profile};
use crate::text::decimal;

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The place: names and positions joined by dots (`edits.0.oldText`), `root` for the arguments as a whole. A
    /// missing or unknown property is named by its own path.
    pub path: String,
    /// What is wrong there and what would be right, without the path.
    pub message: String,
}

/// How many values of a long list a message shows.
const LISTED: usize = 20;
/// How many bytes a received text may have to be shown in a message.
const SHOWN: usize = 60;

/// The error text of a call whose arguments were refused, as the recordings have it. `received` is the JSON of the
/// arguments as they came, indented by two spaces.
pub fn failure_text(tool: &str, issues: &[Issue], received: &str) -> String {
    ["Validation failed for tool \"", tool, "\":\n", &lines(issues), "\n\nReceived arguments:\n", received].concat()
}

/// What is wrong, an issue in a line, as [`failure_text`] shows it.
pub fn lines(issues: &[Issue]) -> String {
    let mut text = String::new();
    for issue in issues {
        for piece in [if text.is_empty() { "  - " } else { "\n  - " }, &issue.path, ": ", &issue.message] {
            text.push_str(piece);
        }
    }
    text
}

impl Issue {
    pub(super) fn at_root(message: &str) -> Self {
        Self { path: "root".to_owned(), message: message.to_owned() }
    }
}

/// Literal values in a message: as JSON, a long list cut with the number of those left out.
pub(super) fn listed(constants: &Values, values: &[Id]) -> String {
    let mut list = String::new();
    for (count, value) in values.iter().enumerate() {
        if count == LISTED {
            break;
        }
        if count > 0 {
            list.push_str(", ");
        }
        list.push_str(&text::json(constants, *value));
    }
    if values.len() > LISTED {
        list.push_str(" and ");
        list.push_str(&decimal((values.len() - LISTED) as u64));
        list.push_str(" more");
    }
    list
}

/// A received value in a message: scalars as JSON, containers and long texts by their type.
pub(super) fn shown(values: &Values, id: Id) -> String {
    let item = values.get(id);
    if item.text.is_empty() && item.of != Type::String || item.text.len() > SHOWN {
        return item.of.words().to_owned();
    }
    text::json(values, id)
}

impl Run<'_> {
    pub(super) fn issue(&self, stack: &[Frame], part: Option<u32>, message: String) -> Issue {
        let path = self.path(stack, part, None);
        Issue { path, message }
    }

    /// The path of the topmost frame's value, or of a part of it, or of a member that may not be there.
    pub(super) fn path(&self, stack: &[Frame], part: Option<u32>, member: Option<&str>) -> String {
        let mut path = String::new();
        let mut empty = true;
        let mut add = |step: &str| {
            if !std::mem::take(&mut empty) {
                path.push('.');
            }
            path.push_str(step);
        };
        for (level, frame) in stack.iter().enumerate() {
            let Some(part) = stack.get(level + 1).map_or(part, |above| above.part) else {
                continue;
            };
            let item = self.values.get(frame.value);
            match item.of {
                Type::Object => add(item.names.at(part)),
                _ => add(&decimal(part.into())),
            }
        }
        if let Some(name) = member {
            add(name);
        }
        if empty {
            path.push_str("root");
        }
        path
    }

    /// One issue for each required property that is not there.
    pub(super) fn missing(&self, required: &Required, stack: &[Frame], issues: &mut Vec<Issue>) {
        let Some(frame) = stack.last() else {
            return;
        };
        let old = self.schema.profile == Profile::V0_85;
        for name in &required.names {
            if self.values.member(frame.value, name).is_some() {
                continue;
            }
            let mut message = "is required but missing".to_owned();
            if let Some(beside) = &required.beside {
                message = ["\"", name, "\" is required beside \"", beside, "\" but missing"].concat();
            } else {
                // Maybe it is there under another name.
                let rules = self.schema.node(frame.node).object();
                let known = |name: &str| rules.is_some_and(|rules| rules.property(name).is_some());
                let there = self.values.get(frame.value).names.list.iter();
                if let Some(near) = suggest::nearest(name, &mut there.filter(|name| !known(name))) {
                    message.push_str("; there is \"");
                    message.push_str(near);
                    message.push_str("\" instead");
                }
            }
            let beside = required.beside.is_some();
            let path = self.path(stack, None, if old && beside { None } else { Some(name) });
            issues.push(Issue { path, message });
            // The older profile names one.
            if old && !beside {
                break;
            }
        }
    }

    /// The issue of a task that is refused as such.
    pub(super) fn refused(&self, stack: &[Frame], task: Task) -> Issue {
        let Some(frame) = stack.last() else {
            return Issue::at_root("no value is allowed here");
        };
        let rules = self.schema.node(frame.node).object();
        let name = task.part.map_or("", |part| self.values.get(frame.value).names.at(part));
        let mut message = String::new();
        match task.role {
            Role::BadPattern => {
                let pattern = rules.and_then(|rules| rules.patterns.get(task.node as usize));
                message = assertion::pattern_message(self, pattern.map_or("", |(pattern, _)| pattern));
            }
            Role::Name => message.push_str("is not an allowed property name"),
            Role::Unwanted | Role::Extra if name.is_empty() => message.push_str("is one too many"),
            Role::Unwanted | Role::Extra => {
                message.push_str("is not a property the tool knows");
                let known = rules.map_or(&[][..], |rules| &rules.properties).iter().map(|(name, _)| name);
                let mut free = known.filter(|name| self.values.member(frame.value, name).is_none());
                suggest::add(&mut message, name, &mut free);
            }
            Role::Schema | Role::Reference => {
                message.push_str("no value is allowed here");
                return self.issue(stack, task.part, message);
            }
        }
        if self.schema.profile == Profile::V0_85 {
            // At the object that holds it.
            return self.issue(stack, None, ["\"", name, "\" ", &message].concat());
        }
        self.issue(stack, task.part, message)
    }
}
