//! What the model reads when its arguments do not fit.

use super::check::Run;
use super::frame::{Frame, Role, Task};
use super::node::NodeId;
use super::values::{Id, Item, Values};
use super::{assertion, suggest, Profile};
use crate::json::{self, Value};

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
/// How many characters of a received value a message shows.
const SHOWN: usize = 60;

/// The error text of a call whose arguments were refused, as the recordings have it. `received` is the JSON of the
/// arguments as they came, indented by two spaces.
pub fn failure_text(tool: &str, issues: &[Issue], received: &str) -> String {
    let mut text = ["Validation failed for tool \"", tool, "\":\n"].concat();
    for issue in issues {
        for piece in ["  - ", &issue.path, ": ", &issue.message, "\n"] {
            text.push_str(piece);
        }
    }
    text.push_str("\nReceived arguments:\n");
    text.push_str(received);
    text
}

impl Issue {
    pub(super) fn at_root(message: &str) -> Self {
        Self { path: "root".to_owned(), message: message.to_owned() }
    }
}

/// Literal values in a message: as JSON, a long list cut with the number of those left out.
pub(super) fn listed(values: &[Value]) -> String {
    let shown: Vec<String> = values.iter().take(LISTED).map(json::to_text).collect();
    let mut text = shown.join(", ");
    if values.len() > LISTED {
        text.push_str(" and ");
        text.push_str(&(values.len() - LISTED).to_string());
        text.push_str(" more");
    }
    text
}

/// A received value in a message: scalars as JSON (long ones cut), containers by their type.
pub(super) fn shown(values: &Values, id: Id) -> String {
    match values.get(id) {
        Item::Array(_) | Item::Object(..) => values.type_of(id).words().to_owned(),
        _ => {
            let mut text = json::to_text(&values.to_value(id));
            if let Some((cut, _)) = text.char_indices().nth(SHOWN) {
                text.truncate(cut);
                text.push_str("...");
            }
            text
        }
    }
}

/// Appends a step to a dotted path.
pub(super) fn extend(path: &mut String, empty: bool, step: &str) {
    if !empty {
        path.push('.');
    }
    path.push_str(step);
}

impl Run<'_, '_> {
    pub(super) fn issue(&self, stack: &[Frame], part: Option<u32>, message: String) -> Issue {
        let path = self.path(stack, part);
        Issue { path, message }
    }

    /// The path of the topmost frame's value, or of a part of it.
    pub(super) fn path(&self, stack: &[Frame], part: Option<u32>) -> String {
        let mut path = String::new();
        let mut empty = true;
        let parts = stack.iter().skip(1).map(|frame| frame.part).chain([part]);
        for (frame, part) in stack.iter().zip(parts) {
            let Some(part) = part else {
                continue;
            };
            match self.values.get(frame.value) {
                Item::Object(names, _) => extend(&mut path, empty, names.at(part as usize)),
                _ => extend(&mut path, empty, &part.to_string()),
            }
            empty = false;
        }
        if empty {
            path.push_str("root");
        }
        path
    }

    /// An issue at a member that is not there.
    fn absent(&self, stack: &[Frame], name: &str, message: String) -> Issue {
        let inside = stack.iter().skip(1).any(|frame| frame.part.is_some());
        let mut path = if inside { self.path(stack, None) } else { String::new() };
        extend(&mut path, !inside, name);
        Issue { path, message }
    }

    /// One issue for each required property that is not there.
    pub(super) fn missing(&self, required: &[Box<str>], stack: &[Frame], issues: &mut Vec<Issue>) {
        let Some(frame) = stack.last() else {
            return;
        };
        let node = self.schema.node(frame.node);
        let absent = required.iter().filter(|name| self.values.member(frame.value, name).is_none());
        // The older profile names one.
        let limit = if self.schema.profile == Profile::V0_85 { 1 } else { usize::MAX };
        for name in absent.take(limit) {
            let mut message = "is required but missing".to_owned();
            // Maybe it is there under another name.
            if let Item::Object(names, _) = self.values.get(frame.value) {
                let known = |name: &str| node.object().is_some_and(|rules| rules.property(name).is_some());
                let unknown = names.iter().map(|name| name.as_ref()).filter(|name| !known(name));
                if let Some(near) = suggest::nearest(name, unknown) {
                    message.push_str("; there is \"");
                    message.push_str(near);
                    message.push_str("\" instead");
                }
            }
            issues.push(self.absent(stack, name, message));
        }
    }

    /// One issue for each property that another one asks for.
    pub(super) fn missing_beside(&self, list: &[(Box<str>, Vec<Box<str>>)], stack: &[Frame], issues: &mut Vec<Issue>) {
        let Some(frame) = stack.last() else {
            return;
        };
        let there = |name: &str| self.values.member(frame.value, name).is_some();
        for (name, others) in list.iter().filter(|(name, _)| there(name)) {
            for other in others.iter().filter(|other| !there(other)) {
                let message = ["is required beside \"", name, "\" but missing"].concat();
                issues.push(match self.schema.profile {
                    Profile::V1_6 => self.absent(stack, other, message),
                    Profile::V0_85 => self.issue(stack, None, ["\"", other, "\" ", &message].concat()),
                });
            }
        }
    }

    /// The issue of a task that fails without evaluation.
    pub(super) fn refused(&self, stack: &[Frame], task: Task) -> Issue {
        let frame = stack.last();
        let node = frame.map(|frame| self.schema.node(frame.node));
        let rules = node.and_then(|node| node.object());
        let name = frame.and_then(|frame| match (self.values.get(frame.value), task.part) {
            (Item::Object(names, _), Some(part)) => Some(names.at(part as usize)),
            _ => None,
        });
        match (task.role, name) {
            (Role::BadPattern(number), _) => {
                let pattern = rules.and_then(|rules| rules.patterns.get(number as usize));
                let pattern = pattern.map_or("", |(pattern, _)| pattern);
                self.issue(stack, None, assertion::pattern_message(self, pattern))
            }
            (Role::Name, Some(name)) => {
                self.about_member(stack, task, name, "is not an allowed property name".to_owned())
            }
            (Role::Unwanted | Role::Extra, Some(name)) => {
                let known = rules.into_iter().flat_map(|rules| &rules.properties);
                let free = known
                    .filter(|(name, _)| frame.is_some_and(|frame| self.values.member(frame.value, name).is_none()));
                let near = suggest::nearest(name, free.map(|(name, _)| name.as_ref()));
                let mut message = "is not a property the tool knows".to_owned();
                if let Some(near) = near {
                    message.push_str("; did you mean \"");
                    message.push_str(near);
                    message.push_str("\"?");
                }
                self.about_member(stack, task, name, message)
            }
            (Role::Unwanted, None) => self.issue(stack, task.part, "is one item too many".to_owned()),
            _ => self.issue(stack, task.part, "no value is allowed here".to_owned()),
        }
    }

    /// An issue about a member as such; the older profile reports it at the object.
    fn about_member(&self, stack: &[Frame], task: Task, name: &str, message: String) -> Issue {
        if self.schema.profile == Profile::V0_85 {
            return self.issue(stack, None, ["\"", name, "\" ", &message].concat());
        }
        self.issue(stack, task.part, message)
    }

    /// The node a branch of a union stands for: itself or the target of its reference.
    pub(super) fn target(&self, node: NodeId) -> NodeId {
        self.schema.node(node).reference().copied().unwrap_or(node)
    }
}
