//! One scenario in play: everything the scripted parts share.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures::executor::{LocalPool, LocalSpawner};
use futures::future::{FutureExt, LocalBoxFuture, Shared};
use futures::task::LocalSpawnExt;
use steersman::abort::Abort;
use steersman::agent::Agent;
use steersman::error::Error;
use steersman::native::{Loop, Subscription};
use steersman::profile::Profile;
use steersman_wire::json::{Object, Value};

use crate::clock::Clock;
use crate::json::{object, Look};
use crate::normal::{norm, text};
use crate::tools::ScriptedTool;

/// What an asynchronous operation came to.
pub type Outcome = Result<Option<Value>, Error>;
/// Resolves when an operation has settled.
pub type Settled = Shared<LocalBoxFuture<'static, ()>>;

/// What was observed.
pub struct Observed {
    pub trace: Vec<Value>,
    pub last: Value,
}

pub struct World {
    pub scenario: Value,
    pub profile: Profile,
    pub clock: Clock,
    pub trace: RefCell<Vec<Value>>,
    pub stream_calls: Cell<usize>,
    pub agent: RefCell<Option<Agent>>,
    pub loops: RefCell<Option<Rc<Loop>>>,
    /// Of runs without an agent.
    pub abort: Abort,
    pub subscriptions: RefCell<BTreeMap<String, Subscription>>,
    pub saved: RefCell<BTreeMap<String, Settled>>,
    pub tools: RefCell<BTreeMap<String, Rc<ScriptedTool>>>,
    /// Hooks that are not installed now.
    pub without: RefCell<BTreeSet<String>>,
    counts: RefCell<BTreeMap<String, usize>>,
    open: RefCell<BTreeSet<String>>,
    timestamps: Cell<u64>,
    spawner: LocalSpawner,
}

impl World {
    /// Play a scenario to its end.
    pub fn play(scenario: &Value, profile: Profile) -> Observed {
        let mut pool = LocalPool::new();
        let world = Rc::new(World {
            scenario: scenario.clone(),
            profile,
            clock: Clock::default(),
            trace: RefCell::default(),
            stream_calls: Cell::new(0),
            agent: RefCell::default(),
            loops: RefCell::default(),
            abort: Abort::default(),
            subscriptions: RefCell::default(),
            saved: RefCell::default(),
            tools: RefCell::default(),
            without: RefCell::default(),
            counts: RefCell::default(),
            open: RefCell::default(),
            timestamps: Cell::new(0),
            spawner: pool.spawner(),
        });
        let finished = Rc::new(Cell::new(false));
        world.spawn({
            let (world, finished) = (world.clone(), finished.clone());
            async move {
                if scenario_is_agent(&world.scenario) {
                    world.make_agent(world.scenario.get("agent").unwrap_or(&object([])));
                }
                world.ops(world.scenario.list("main").to_vec()).await;
                finished.set(true);
            }
        });
        loop {
            pool.run_until_stalled();
            if world.clock.fire_next() {
                continue;
            }
            if !finished.get() || !world.open.borrow().is_empty() {
                let waiting: Vec<Value> = world.open.borrow().iter().map(|name| name.as_str().into()).collect();
                world.put("stuck", [("waiting", waiting.into())]);
            }
            break;
        }
        let last = world.last();
        // Whatever still waits holds the world; nothing may be left of it.
        drop(pool);
        world.subscriptions.take();
        world.agent.take();
        world.tools.take();
        Observed { trace: world.trace.take(), last }
    }

    fn last(&self) -> Value {
        let mut last = Object::new();
        if let Some(agent) = self.agent.borrow().clone() {
            let keys = [
                "isStreaming",
                "streamingMessage",
                "pendingToolCalls",
                "errorMessage",
                "systemPrompt",
                "model",
                "thinkingLevel",
                "tools",
            ];
            for key in keys {
                last.insert(key, self.state(&agent, key));
            }
            last.insert("messages", self.state(&agent, "fullMessages"));
            last.insert("queued", agent.has_queued_messages());
            last.insert("signal", signal(agent.run_abort().as_ref()));
        }
        last.insert("streamCalls", self.stream_calls.get());
        last.insert("virtualMs", self.clock.now());
        last.into()
    }

    pub fn spawn(&self, task: impl std::future::Future<Output = ()> + 'static) {
        self.spawner.spawn_local(task).unwrap();
    }

    /// Write into the trace.
    pub fn put<const N: usize>(&self, kind: &str, members: [(&str, Value); N]) {
        self.put_object(kind, members.into_iter().collect());
    }

    pub fn put_object(&self, kind: &str, members: Object) {
        let mut entry: Object = [("k", Value::from(kind))].into_iter().collect();
        members.into_iter().for_each(|(key, value)| drop(entry.insert(key, value)));
        self.trace.borrow_mut().push(entry.into());
    }

    /// How often this was called, this time included.
    pub fn count(&self, what: &str) -> usize {
        let mut counts = self.counts.borrow_mut();
        let count = counts.entry(what.to_owned()).or_default();
        *count += 1;
        *count
    }

    pub fn next_timestamp(&self) -> f64 {
        self.timestamps.set(self.timestamps.get() + 1);
        self.timestamps.get() as f64
    }

    pub fn agent(&self) -> Agent {
        self.agent.borrow().clone().expect("the scenario has an agent")
    }

    /// Start an asynchronous operation: what it does before it first waits is done when this returns.
    pub fn track(self: &Rc<Self>, op: &str, mut work: LocalBoxFuture<'static, Outcome>) -> Settled {
        let name = format!("{op}#{}", self.count(&format!("op {op}")));
        self.put("do", [("op", name.as_str().into())]);
        self.open.borrow_mut().insert(name.clone());
        let early = (&mut work).now_or_never();
        let hops = if early.is_none() && matches!(op, "prompt" | "continue") { 3 } else { 0 };
        let world = self.clone();
        let settled = async move {
            let outcome = match early {
                Some(outcome) => outcome,
                None => work.await,
            };
            // Those who wait for the agent hear of the end of a run before the promise of the run does.
            for _ in 0..hops {
                pause().await;
            }
            world.open.borrow_mut().remove(&name);
            let mut entry: Object = [("op", Value::from(name))].into_iter().collect();
            match outcome {
                Ok(value) => {
                    entry.insert("ok", true);
                    if let Some(value) = value {
                        entry.insert("value", value);
                    }
                }
                Err(error) => drop(entry.insert("error", text(&error.message))),
            }
            world.put_object("settled", entry);
        };
        let settled = settled.boxed_local().shared();
        self.spawn(settled.clone());
        settled
    }
}

/// Let others go on.
pub async fn pause() {
    let mut paused = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn scenario_is_agent(scenario: &Value) -> bool {
    scenario.text("api") == Some("agent") && !scenario.get("agent").is_some_and(Value::is_null)
}

/// `none`, `live` or `aborted`.
pub fn signal(abort: Option<&Abort>) -> &'static str {
    match abort.map(Abort::aborted) {
        None => "none",
        Some(false) => "live",
        Some(true) => "aborted",
    }
}

impl World {
    /// One member of the agent's state.
    pub fn state(&self, agent: &Agent, key: &str) -> Value {
        use crate::normal::brief;
        use crate::values::json_of;
        let undefined = || Value::from("<undefined>");
        match key {
            "messages" => {
                agent.messages().iter().map(|message| brief(&json_of(message)).into()).collect::<Vec<Value>>().into()
            }
            "fullMessages" => {
                agent.messages().iter().map(|message| norm(&json_of(message))).collect::<Vec<Value>>().into()
            }
            "tools" => {
                let tools = agent.tools();
                tools.iter().map(|tool| tool.declaration().name.as_str().into()).collect::<Vec<Value>>().into()
            }
            "model" => format!("{}@{}", agent.model().text("id"), agent.model().text("provider")).into(),
            "thinkingLevel" => (&*agent.thinking_level()).into(),
            "systemPrompt" => agent.system_prompt().into(),
            "isStreaming" => agent.is_running().into(),
            "streamingMessage" => agent.streaming_message().map_or_else(undefined, |message| norm(&json_of(&message))),
            "pendingToolCalls" => {
                agent.pending_tool_calls().into_iter().map(Value::from).collect::<Vec<Value>>().into()
            }
            "errorMessage" => agent.error_message().map_or_else(undefined, |error| text(&error).into()),
            other => panic!("unknown state {other}"),
        }
    }
}
