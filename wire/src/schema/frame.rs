//! The stack of a check: one frame per node under evaluation, with what it still has to evaluate.

use super::issue::Issue;
use super::node::{Join, NodeId};
use super::values::Id;

/// Something to evaluate for a keyword.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub node: NodeId,
    pub value: Id,
    /// The part of the frame's value that `value` is; `None` for that value itself.
    pub part: Option<u32>,
    pub role: Role,
}

impl Task {
    /// A schema for the frame's value itself.
    pub fn here(node: NodeId, value: Id) -> Self {
        Self { node, value, part: None, role: Role::Schema }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Role {
    /// `value` against `node`.
    Schema,
    /// The same through a reference, where evaluation may come back to where it is.
    Reference,
    /// A property name; what is wrong with it is said at the property.
    Name,
    /// A member no keyword declares, in the older profile: it is refused as a whole.
    Extra,
    /// A member or item that is not allowed at all: fails without evaluation.
    Unwanted,
    /// The pattern of that number (`node`) in `patternProperties` cannot be used: fails without evaluation.
    BadPattern,
}

pub(super) struct Frame {
    pub node: NodeId,
    pub value: Id,
    /// Which part of the value of the frame below `value` is.
    pub part: Option<u32>,
    /// Only the verdict is wanted, no issues.
    pub quiet: bool,
    /// Where to remember the outcome, if anywhere.
    pub outcome: usize,
    /// The keyword to begin next.
    pub keyword: usize,
    /// How the tasks of the open keyword join; `None` when no keyword is open.
    pub join: Option<Join>,
    pub tasks: Vec<Task>,
    pub next: usize,
    /// The task begun last, before there is one that of the frame itself.
    pub task: Task,
    /// How many tasks of the open keyword passed.
    pub passed: u32,
    pub failed: bool,
    /// The parts evaluated so far, for `unevaluatedProperties` and `unevaluatedItems` here or further out.
    pub seen: Option<Vec<bool>>,
    /// How many issues there were when the frame began, and when its open keyword did.
    pub first_issue: usize,
    pub mark: usize,
    /// The issues of each failed branch of an open union.
    pub branches: Vec<(NodeId, Vec<Issue>)>,
}

impl Frame {
    /// The next task of the open keyword, and whether only its verdict matters.
    pub fn next_task(&mut self) -> Option<(Task, bool)> {
        let task = *self.tasks.get(self.next)?;
        self.next += 1;
        self.task = task;
        let reports = matches!(self.join, Some(Join::All | Join::Any | Join::One));
        let quiet = self.quiet || !reports || matches!(task.role, Role::Name | Role::Extra);
        Some((task, quiet))
    }

    /// Opens a keyword.
    pub fn open(&mut self, join: Join, tasks: Vec<Task>, mark: usize) {
        self.join = Some(join);
        self.tasks = tasks;
        self.next = 0;
        self.passed = 0;
        self.mark = mark;
    }

    /// Takes the outcome of the task begun last, and the parts of this value that it evaluated.
    pub fn take(&mut self, ok: bool, seen: Option<Vec<bool>>, issues: &mut Vec<Issue>) {
        let (task, Some(join)) = (self.task, self.join) else {
            return;
        };
        if ok {
            self.passed += 1;
            match (task.part, join) {
                (Some(part), Join::Count { marks: true, .. }) => self.mark_seen(part as usize),
                (None, join) if !matches!(join, Join::Not) => self.merge(seen),
                _ => {}
            }
        } else if matches!(join, Join::Any | Join::One) && !self.quiet {
            self.branches.push((task.node, issues.split_off(self.mark.min(issues.len()))));
        }
        let collecting = self.seen.is_some();
        let decided = match join {
            Join::All => {
                self.failed |= !ok;
                self.failed && self.quiet
            }
            Join::Any => ok && !collecting,
            Join::One => self.passed > 1,
            Join::Count { min, max, .. } => self.passed > max || (max == u32::MAX && self.passed >= min && !collecting),
            Join::Not | Join::Choose { .. } => false,
        };
        if decided {
            self.next = self.tasks.len();
        }
    }

    /// Whether a failure of its task may be what the open keyword wants.
    pub fn negates(&self) -> bool {
        !matches!(self.join, None | Some(Join::All | Join::Any))
    }

    /// Whether the open keyword holds, all its tasks done. (`All` has told already.)
    pub fn holds(&self) -> bool {
        match self.join {
            None | Some(Join::All | Join::Choose { .. }) => true,
            Some(Join::Any) => self.passed > 0,
            Some(Join::One) => self.passed == 1,
            Some(Join::Not) => self.passed == 0,
            Some(Join::Count { min, max, .. }) => (min..=max).contains(&self.passed),
        }
    }

    /// Marks a part as evaluated.
    pub fn mark_seen(&mut self, part: usize) {
        if let Some(place) = self.seen.as_mut().and_then(|seen| seen.get_mut(part)) {
            *place = true;
        }
    }

    /// What a passed task evaluated counts here too.
    fn merge(&mut self, theirs: Option<Vec<bool>>) {
        for (part, &seen) in theirs.unwrap_or_default().iter().enumerate() {
            if seen {
                self.mark_seen(part);
            }
        }
    }
}
