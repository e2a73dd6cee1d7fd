//! What the random parts of one schedule share, and what they can do to the agent.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures::future::FutureExt;
use steersman::agent::Agent;
use steersman::error::Error;
use steersman::model::Model;
use steersman::native::{AgentMessage, CustomMessage, Subscription, SystemMessage, Tool, ToolContext, ToolOutput};
use steersman::profile::Profile;
use steersman::queue::QueueMode;

use crate::grammar::{Grammar, INJECTED};
use crate::ledger::Ledger;
use crate::listeners::Moody;
use crate::random::Random;
use crate::tools::RandomTool;

/// Models that differ in what their servers accept.
const MODELS: [&str; 4] = [
    r#"{"id":"a","api":"openai-completions","provider":"local","baseUrl":"http://localhost:1/v1","contextWindow":100000,"maxTokens":1000}"#,
    r#"{"id":"b","api":"openai-completions","provider":"openai","baseUrl":"https://api.openai.com/v1","reasoning":true,"contextWindow":100000,"maxTokens":1000}"#,
    r#"{"id":"c","api":"openai-completions","provider":"strict","baseUrl":"http://localhost:2/v1","compat":{"requiresToolResultName":true,"requiresAssistantAfterToolResult":true}}"#,
    r#"{"id":"d","api":"openai-completions","provider":"other","baseUrl":"http://localhost:3/v1","input":["text","image"],"compat":{"requiresNonNullAssistantContent":true}}"#,
];

pub struct World {
    pub random: Random,
    pub profile: Profile,
    pub agent: RefCell<Option<Agent>>,
    pub grammar: RefCell<Grammar>,
    pub ledger: RefCell<Ledger>,
    pub problems: RefCell<Vec<String>>,
    /// Lines for a replay.
    pub log: Option<RefCell<Vec<String>>>,
    /// Events of the run so far, as the first listener saw them, and what the transcript should have got.
    pub events: RefCell<Vec<&'static str>>,
    pub entered: RefCell<Vec<Rc<AgentMessage>>>,
    /// The transcript was replaced while a run was in progress.
    pub replaced: Cell<bool>,
    /// Requests of the run in progress.
    pub requests: Cell<usize>,
    /// Unlikely things happen once in so many times.
    pub rarity: usize,
    /// Contexts of tools, some of which have ended long ago.
    pub contexts: RefCell<Vec<ToolContext>>,
    extra: RefCell<Vec<Subscription>>,
    failures: Cell<usize>,
    messages: Cell<usize>,
}

impl World {
    pub fn new(seed: u64, logs: bool) -> Rc<Self> {
        let random = Random::new(seed);
        let profile = if random.one_in(4) { Profile::V0_85 } else { Profile::V1_6 };
        let rarity = random.pick(&[30, 100, 400, 100_000]);
        Rc::new(World {
            profile,
            agent: RefCell::new(None),
            grammar: RefCell::new(Grammar::new(true)),
            ledger: RefCell::default(),
            problems: RefCell::default(),
            log: logs.then(RefCell::default),
            events: RefCell::default(),
            entered: RefCell::default(),
            replaced: Cell::new(false),
            requests: Cell::new(0),
            rarity,
            contexts: RefCell::default(),
            extra: RefCell::default(),
            failures: Cell::new(0),
            messages: Cell::new(0),
            random,
        })
    }

    pub fn agent(&self) -> Agent {
        self.agent.borrow().clone().expect("there is an agent")
    }

    /// A line of the replay.
    pub fn say(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log.borrow_mut().push(line());
        }
    }

    pub fn problem(&self, what: impl Into<String>) {
        let what = what.into();
        self.say(|| format!("PROBLEM {what}"));
        self.problems.borrow_mut().push(what);
    }

    /// Let the executor go round a few times.
    pub async fn wait(&self) {
        let mut left = if self.random.one_in(2) { 0 } else { self.random.below(4) };
        poll_fn(|cx| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Fail now and then, in a place whose failure ends the run.
    pub fn stumble(&self, place: &str) -> Result<(), Error> {
        if !self.random.one_in(self.rarity * 4) {
            return Ok(());
        }
        self.grammar.borrow_mut().failing = true;
        self.failures.set(self.failures.get() + 1);
        self.say(|| format!("{place} fails"));
        Err(Error::application(format!("{INJECTED} {} in {place}", self.failures.get())))
    }

    /// A message with a text of its own.
    pub fn message(&self) -> Rc<AgentMessage> {
        self.messages.set(self.messages.get() + 1);
        let text = format!("message {}", self.messages.get());
        Rc::new(match self.random.below(12) {
            0 => AgentMessage::Custom(CustomMessage { role: "notice".into(), payload: Rc::new(text) }),
            1 if self.profile.has(Profile::SYSTEM_MESSAGES) => {
                AgentMessage::System(SystemMessage { content: text, ..SystemMessage::default() })
            }
            _ => AgentMessage::user(text),
        })
    }

    pub fn model(&self) -> Model {
        Model::from_json(self.random.pick(&MODELS)).unwrap()
    }

    pub fn tools(self: &Rc<Self>) -> Vec<Rc<dyn Tool>> {
        let count = self.random.below(4);
        (0..count).map(|_| Rc::new(RandomTool::new(self)) as Rc<dyn Tool>).collect()
    }

    fn mode(&self) -> QueueMode {
        self.random.pick(&[QueueMode::All, QueueMode::OneAtATime])
    }

    /// Something the application does on its own, now and then.
    pub fn meddle(self: &Rc<Self>, place: &str) {
        if !self.random.one_in(12) {
            return;
        }
        let agent = self.agent();
        let what = self.random.below(17);
        self.say(|| format!("  in {place}: action {what}"));
        match what {
            0 => agent.abort(),
            1..=4 if self.ledger.borrow().len() < 10 => {
                let message = self.message();
                self.ledger.borrow_mut().queued(&message);
                if what < 3 {
                    agent.steer(message);
                } else {
                    agent.follow_up(message);
                }
            }
            5 => {
                self.ledger.borrow_mut().cleared(&agent.queued_messages().0);
                agent.clear_steering_queue();
            }
            6 => {
                self.ledger.borrow_mut().cleared(&agent.queued_messages().1);
                agent.clear_follow_up_queue();
            }
            7 => agent.set_steering_mode(self.mode()),
            8 => agent.set_follow_up_mode(self.mode()),
            9 => agent.set_model(self.model()),
            10 => drop(agent.set_tools(self.tools())),
            11 => agent.set_thinking_level(self.random.pick(&["off", "low", "high"])),
            12 if agent.is_running() => self.refused(&agent),
            13 if agent.is_running() => {
                agent.set_messages(self.thinned(agent.messages()));
                self.replaced.set(true);
            }
            14 => {
                let another = agent.subscribe(Moody::new(self));
                self.extra.borrow_mut().push(another);
            }
            15 => {
                let left = self.extra.borrow_mut().pop();
                drop(left);
            }
            16 => {
                // It is heard only while its tool runs.
                let contexts = self.contexts.borrow().clone();
                if !contexts.is_empty() {
                    contexts[self.random.below(contexts.len())].update(ToolOutput::text("late, maybe"));
                }
            }
            _ => {}
        }
    }

    /// What must not start while a run is in progress does not.
    fn refused(&self, agent: &Agent) {
        let refused = [
            agent.prompt("too early").now_or_never().map(|outcome| outcome.is_err()),
            agent.continue_run().now_or_never().map(|outcome| outcome.is_err()),
            Some(agent.reset().is_err()),
        ];
        if refused != [Some(true); 3] {
            self.problem("a second run was not refused");
        }
    }

    /// Messages without some of them, as a user deletes them.
    pub fn thinned(&self, messages: Vec<Rc<AgentMessage>>) -> Vec<Rc<AgentMessage>> {
        messages.into_iter().filter(|_| !self.random.one_in(5)).collect()
    }
}
