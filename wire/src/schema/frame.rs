//! The stack of a check: one frame per node under evaluation, with what it still has to evaluate.

use super::issue::Issue;
use super::node::NodeId;
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
    /// The pattern of that number in `patternProperties` cannot be used: fails without evaluation.
    BadPattern(u32),
}

/// How the outcomes of a keyword's tasks become its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// No keyword with tasks is open.
    Closed,
    All,
    Any,
    One,
    Not,
    /// `if`: the outcome chooses what counts.
    Choose {
        then: NodeId,
        otherwise: NodeId,
    },
    Count {
        min: u64,
        max: Option<u64>,
        marks: bool,
    },
}

/// How an evaluation ended.
pub(super) struct Ended {
    pub ok: bool,
    /// The parts it evaluated, when somebody asked.
    pub seen: Option<Vec<bool>>,
}

impl Ended {
    pub fn plain(ok: bool) -> Self {
        Self { ok, seen: None }
    }
}

pub(super) struct Frame {
    pub node: NodeId,
    pub value: Id,
    /// Which part of the value of the frame below `value` is.
    pub part: Option<u32>,
    /// Only the verdict is wanted, no issues.
    pub quiet: bool,
    /// Where to remember the outcome.
    pub key: Option<u64>,
    /// The keyword to begin next.
    pub keyword: usize,
    pub join: Join,
    pub tasks: Vec<Task>,
    pub next: usize,
    /// How many tasks of the open keyword passed.
    pub passed: u64,
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
        let quiet = self.quiet
            || matches!(task.role, Role::Name | Role::Extra)
            || matches!(self.join, Join::Not | Join::Choose { .. } | Join::Count { .. });
        Some((task, quiet))
    }

    /// Opens a keyword.
    pub fn open(&mut self, join: Join, tasks: Vec<Task>, mark: usize) {
        self.join = join;
        self.tasks = tasks;
        self.next = 0;
        self.passed = 0;
        self.mark = mark;
    }

    /// The task begun last.
    pub fn task(&self) -> Option<Task> {
        self.tasks.get(self.next.checked_sub(1)?).copied()
    }

    /// Takes the outcome of the task begun last.
    pub fn take(&mut self, ended: Ended, issues: &mut Vec<Issue>) {
        let Some(task) = self.task() else {
            return;
        };
        if ended.ok {
            self.passed += 1;
            if self.join != Join::Not {
                self.note(task.part, ended.seen);
            }
        } else if matches!(self.join, Join::Any | Join::One) && !self.quiet {
            self.branches.push((task.node, issues.split_off(self.mark.min(issues.len()))));
        }
        let collecting = self.seen.is_some();
        let decided = match self.join {
            Join::All => {
                self.failed |= !ended.ok;
                self.failed && self.quiet
            }
            Join::Any => ended.ok && !collecting,
            Join::One => self.passed > 1,
            Join::Count { min, max, .. } => match max {
                Some(max) => self.passed > max,
                None => self.passed >= min && !collecting,
            },
            Join::Closed | Join::Not | Join::Choose { .. } => false,
        };
        if decided {
            self.next = self.tasks.len();
        }
    }

    /// Whether a failure of its task may be what the open keyword wants.
    pub fn negates(&self) -> bool {
        !matches!(self.join, Join::Closed | Join::All | Join::Any)
    }

    /// Whether the open keyword holds, all its tasks done. (`All` has told already.)
    pub fn holds(&self) -> bool {
        match self.join {
            Join::Closed | Join::All | Join::Choose { .. } => true,
            Join::Any => self.passed > 0,
            Join::One => self.passed == 1,
            Join::Not => self.passed == 0,
            Join::Count { min, max, .. } => self.passed >= min && max.is_none_or(|max| self.passed <= max),
        }
    }

    /// Marks a part as evaluated.
    pub fn mark_seen(&mut self, part: usize) {
        if let Some(place) = self.seen.as_mut().and_then(|seen| seen.get_mut(part)) {
            *place = true;
        }
    }

    /// What a passed task evaluated counts here too.
    fn note(&mut self, part: Option<u32>, theirs: Option<Vec<bool>>) {
        match (part, self.join) {
            (Some(part), Join::Count { marks: true, .. }) => self.mark_seen(part as usize),
            (None, _) => {
                if let (Some(seen), Some(theirs)) = (&mut self.seen, theirs) {
                    seen.iter_mut().zip(theirs).for_each(|(place, theirs)| *place |= theirs);
                }
            }
            _ => {}
        }
    }
}
