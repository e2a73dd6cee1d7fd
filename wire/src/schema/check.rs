//! Validation: nodes against values, on an explicit stack.

use super::frame::{Frame, Role, Task};
use super::issue::Issue;
use super::memo::{pair, Memo};
use super::node::{Join, Keyword, NodeId, FALSE, TRUE};
use super::values::{Id, Values};
use super::{assertion, blame, tasks, Patterns, Schema};

/// Evaluations a run may make: this many, and [`STEPS_PER_VALUE`] more for each value. Ordinary schemas need a few
/// per value; only a schema made to explode reaches the limit.
const STEPS: usize = 1_000_000;
const STEPS_PER_VALUE: usize = 400;

/// Nodes under evaluation at one time. A value of 512 levels under a schema that takes ten steps per level stays
/// below it.
const MAX_FRAMES: usize = 16_384;

const ENDLESS: &str = "the tool's schema refers to itself here without end";

/// What is known of a (node, value) pair that a reference led to.
struct Outcome {
    /// `None` while it is being evaluated: to come to it again is a cycle.
    passed: Option<bool>,
    /// The parts that it evaluated, when somebody asked.
    seen: Option<Vec<bool>>,
    /// What is wrong, when somebody asked.
    issues: Option<Vec<Issue>>,
}

/// One use of a schema: the values it looks at and what it found out about them.
pub(super) struct Run<'r> {
    pub schema: &'r Schema,
    pub patterns: &'r dyn Patterns,
    pub values: Values,
    /// Steps left; `None` until the first evaluation, when the size of the value is known.
    steps: Option<usize>,
    /// Positions in the list of outcomes, by pair. They keep recursive unions from evaluating the same part once per
    /// branch and level.
    known: Memo,
    outcomes: Vec<Outcome>,
    /// The parts evaluated by what ended last, when somebody asked.
    seen: Option<Vec<bool>>,
    /// Why the last evaluation came to no verdict.
    gave_up: Option<&'static str>,
}

impl<'r> Run<'r> {
    pub fn new(schema: &'r Schema, patterns: &'r dyn Patterns) -> Self {
        Self {
            schema,
            patterns,
            values: Values::new(),
            steps: None,
            known: Memo::default(),
            outcomes: Vec::new(),
            seen: None,
            gave_up: None,
        }
    }

    /// Whether the value is valid.
    pub fn passes(&mut self, node: NodeId, value: Id) -> bool {
        self.evaluate(node, value, true).0
    }

    /// What is wrong with the value; nothing when it is valid.
    pub fn issues(&mut self, node: NodeId, value: Id) -> Vec<Issue> {
        if self.passes(node, value) {
            return Vec::new();
        }
        let (_, mut issues) = self.evaluate(node, value, false);
        if let Some(reason) = self.gave_up {
            issues = vec![Issue::at_root(reason)];
        } else if issues.is_empty() {
            issues.push(Issue::at_root("does not match the tool's schema"));
        }
        issues
    }

    /// Counts one step; false when there are none left.
    pub fn step(&mut self) -> bool {
        let steps = self.steps.get_or_insert(STEPS + STEPS_PER_VALUE * self.values.len());
        let left = steps.checked_sub(1);
        match left {
            Some(left) => *steps = left,
            None => self.gave_up = Some("the tool's schema takes too many steps to check these arguments"),
        }
        left.is_some()
    }

    /// The verdict, and the issues unless `quiet`. An evaluation that gives up fails.
    fn evaluate(&mut self, node: NodeId, value: Id, quiet: bool) -> (bool, Vec<Issue>) {
        let mut stack = Vec::new();
        let mut issues = Vec::new();
        self.gave_up = None;
        self.seen = None;
        let mut ended = self.begin(&mut stack, &mut issues, Task::here(node, value), quiet);
        loop {
            if self.gave_up.is_some() {
                // What was running will not end.
                self.known = Memo::default();
                return (false, issues);
            }
            if let Some(ok) = ended {
                if stack.is_empty() {
                    return (ok, issues);
                }
                self.settle(ok, &mut stack, &mut issues);
            }
            ended = self.go_on(&mut stack, &mut issues);
        }
    }

    /// Begins a task: decides it at once or puts a frame on the stack.
    fn begin(&mut self, stack: &mut Vec<Frame>, issues: &mut Vec<Issue>, task: Task, quiet: bool) -> Option<bool> {
        let refused = matches!(task.role, Role::Unwanted | Role::BadPattern);
        if task.node == TRUE && !refused {
            return Some(true);
        }
        if !self.step() {
            return None;
        }
        if refused || task.node == FALSE {
            if !quiet {
                issues.push(self.refused(stack, task));
            }
            return Some(false);
        }
        // Whether the frame below wants to know which parts of this value are evaluated.
        let asked = task.part.is_none() && stack.last().is_some_and(|frame| frame.seen.is_some());
        let mut outcome = usize::MAX;
        if task.role == Role::Reference && self.schema.dynamic.is_empty() {
            let key = pair(task.node, task.value);
            let known = self.recall(key, asked, quiet, stack, issues);
            if known.is_some() {
                return known;
            }
            outcome = self.outcomes.len();
            self.known.set(key, outcome as u32);
            self.outcomes.push(Outcome { passed: None, seen: None, issues: None });
        }
        if stack.len() >= MAX_FRAMES {
            self.gave_up = Some("the tool's schema nests too deeply to check these arguments");
            return None;
        }
        let parts = self.values.get(task.value).parts.len();
        let collects = parts > 0 && (asked || self.schema.node(task.node).collects());
        stack.push(Frame {
            node: task.node,
            value: task.value,
            part: task.part,
            quiet,
            outcome,
            keyword: 0,
            join: None,
            tasks: Vec::new(),
            next: 0,
            task,
            passed: 0,
            failed: false,
            seen: collects.then(|| vec![false; parts]),
            first_issue: issues.len(),
            mark: issues.len(),
            branches: Vec::new(),
        });
        None
    }

    /// Hands the outcome of a task to the frame it belongs to.
    fn settle(&mut self, ok: bool, stack: &mut [Frame], issues: &mut Vec<Issue>) {
        let Some(frame) = stack.last_mut() else {
            return;
        };
        let task = frame.task;
        let failed = !ok && !frame.quiet;
        frame.take(ok, self.seen.take(), issues);
        if failed && matches!(task.role, Role::Name | Role::Extra) {
            issues.push(self.refused(stack, task));
        }
    }

    /// What is already known of the target of a reference.
    fn recall(&mut self, key: u64, asked: bool, quiet: bool, stack: &[Frame], issues: &mut Vec<Issue>) -> Option<bool> {
        let known = self.outcomes.get(self.known.get(key)? as usize)?;
        match known.passed {
            None => {
                // Below a negation not even "no" is an answer.
                if stack.iter().any(Frame::negates) {
                    self.gave_up = Some(ENDLESS);
                } else if !quiet {
                    issues.push(self.issue(stack, None, ENDLESS.to_owned()));
                }
                Some(false)
            }
            Some(true) if asked => {
                self.seen = Some(known.seen.clone()?);
                Some(true)
            }
            Some(false) if !quiet => {
                issues.extend_from_slice(known.issues.as_ref()?);
                Some(false)
            }
            passed => passed,
        }
    }

    /// Takes the topmost frame further: its next task, its next keyword, or its end.
    fn go_on(&mut self, stack: &mut Vec<Frame>, issues: &mut Vec<Issue>) -> Option<bool> {
        let schema = self.schema;
        loop {
            let frame = stack.last_mut()?;
            if let Some((task, quiet)) = frame.next_task() {
                return self.begin(stack, issues, task, quiet);
            }
            if frame.join.is_some() {
                self.close(stack, issues);
                continue;
            }
            let over = frame.failed && frame.quiet;
            let keyword = schema.node(frame.node).keywords.get(frame.keyword);
            match keyword.filter(|_| !over) {
                Some(keyword) => {
                    frame.keyword += 1;
                    self.open(keyword, stack, issues);
                }
                None => return Some(self.end(stack, issues)),
            }
        }
    }

    /// Opens a keyword: an assertion is decided here, others get their tasks.
    fn open(&mut self, keyword: &Keyword, stack: &mut [Frame], issues: &mut Vec<Issue>) {
        let target = self.dynamic_target(keyword, stack);
        let Some(frame) = stack.last_mut() else {
            return;
        };
        let value = frame.value;
        let Some(holds) = assertion::holds(self, keyword, value) else {
            let (join, tasks) = tasks::of(self, keyword, frame, target);
            frame.open(join, tasks, issues.len());
            return;
        };
        if holds {
            return;
        }
        frame.failed = true;
        if matches!(keyword, Keyword::Type(_)) {
            // Nothing else there is to say about a value of the wrong type helps.
            frame.keyword = usize::MAX;
        }
        if frame.quiet {
            return;
        }
        match keyword {
            Keyword::Required(required) => self.missing(required, stack, issues),
            _ => {
                let message = assertion::message(self, keyword, value);
                issues.push(self.issue(stack, None, message));
            }
        }
    }

    /// What a dynamic reference means here: the outermost resource under evaluation that has the anchor decides.
    fn dynamic_target(&self, keyword: &Keyword, stack: &[Frame]) -> NodeId {
        let Keyword::DynamicRef(name, fallback) = keyword else {
            return TRUE;
        };
        let anchor = |frame: &Frame| {
            let resource = self.schema.node(frame.node).resource;
            let anchors = self.schema.dynamic.iter();
            let mut found = anchors.filter(|(of, anchor, _)| *of == resource && anchor == name);
            found.next().map(|&(_, _, node)| node)
        };
        stack.iter().find_map(anchor).unwrap_or(*fallback)
    }

    /// Closes the open keyword, whose tasks are all done.
    fn close(&mut self, stack: &mut [Frame], issues: &mut Vec<Issue>) {
        let Some(frame) = stack.last_mut() else {
            return;
        };
        let holds = frame.holds();
        let join = frame.join.take();
        let branches = std::mem::take(&mut frame.branches);
        if let Some(Join::Choose { then, otherwise }) = join {
            let chosen = if frame.passed > 0 { then } else { otherwise };
            frame.open(Join::All, vec![Task::here(chosen, frame.value)], issues.len());
            return;
        }
        frame.failed |= !holds;
        if holds || frame.quiet {
            return;
        }
        let (value, passed) = (frame.value, frame.passed);
        let message = match join {
            Some(Join::Any | Join::One) if passed == 0 => {
                blame::report(self, stack, value, branches, issues);
                return;
            }
            Some(Join::One) => "matches more than one of the alternatives, where exactly one must match",
            Some(Join::Not) => "matches what the tool's schema excludes here",
            _ => "has too few or too many of the items that the tool's schema asks for",
        };
        issues.push(self.issue(stack, None, message.to_owned()));
    }

    /// Ends the topmost frame and remembers its outcome where a reference led to it.
    fn end(&mut self, stack: &mut Vec<Frame>, issues: &[Issue]) -> bool {
        let Some(frame) = stack.pop() else {
            return false;
        };
        if let Some(outcome) = self.outcomes.get_mut(frame.outcome) {
            outcome.passed = Some(!frame.failed);
            outcome.seen.clone_from(&frame.seen);
            let said = issues.get(frame.first_issue..).filter(|_| frame.failed && !frame.quiet);
            outcome.issues = said.map(<[Issue]>::to_vec);
        }
        self.seen = frame.seen;
        !frame.failed
    }
}
