//! One schedule: an agent, a few runs, and what must hold after each.

use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use futures::future::FutureExt;
use steersman::agent::Agent;
use steersman::error::Error;
use steersman::native::{AgentMessage, Events};
use steersman::profile::Profile;

use crate::grammar::{Grammar, INJECTED};
use crate::hooks::RandomHooks;
use crate::listeners::{First, Last, Moody};
use crate::model::RandomModel;
use crate::world::World;

/// Most polls of one run.
const PATIENCE: usize = 20_000;

/// What happened in schedules, in numbers.
#[derive(Default)]
pub struct Tally {
    runs: u64,
    clean: u64,
    dropped: u64,
    requests: u64,
    events: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.runs += other.runs;
        self.clean += other.clean;
        self.dropped += other.dropped;
        self.requests += other.requests;
        self.events += other.events;
    }

    /// Whether schedules are what they should be: several runs each, most of them undisturbed by failures.
    pub fn covers(&self, schedules: u64) -> bool {
        self.runs > schedules && self.clean * 2 > self.runs && self.requests > self.runs && self.dropped > 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { runs, clean, dropped, requests, events } = self;
        write!(f, "{runs} runs ({clean} without injected failure, {dropped} dropped), ")?;
        write!(f, "{requests} requests, {events} events")
    }
}

/// Wakes by noting it.
#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Play the schedule of a seed.
pub fn schedule(seed: u64, logs: bool) -> Result<Tally, String> {
    let world = World::new(seed, logs);
    let agent = build(&world);
    *world.agent.borrow_mut() = Some(agent.clone());
    let heard = Rc::new(RefCell::new(Vec::new()));
    let first = agent.subscribe(First(Rc::downgrade(&world)));
    let moody: Vec<_> = (0..world.random.below(3)).map(|_| agent.subscribe(Moody::new(&world))).collect();
    let last = agent.subscribe(Last(heard.clone()));
    let mut events = agent.events();
    let mut tally = Tally::default();
    for _ in 0..1 + world.random.below(4) {
        one_run(&world, &agent, &heard, &mut events, &mut tally);
        if !world.problems.borrow().is_empty() {
            break;
        }
        between_runs(&world, &agent);
    }
    drop((first, moody, last));
    *world.agent.borrow_mut() = None;
    let problems = world.problems.take();
    if problems.is_empty() {
        return Ok(tally);
    }
    let log = world.log.as_ref().map(|log| log.take().join("\n")).unwrap_or_default();
    Err(format!("{}\n{log}", problems.join("\n")))
}

fn build(world: &Rc<World>) -> Agent {
    let mut builder = Agent::builder()
        .profile(world.profile)
        .model(world.model())
        .system_prompt(world.random.pick(&["", "Be brief."]))
        .stream_fn(RandomModel(Rc::downgrade(world)));
    builder = world.tools().into_iter().fold(builder, steersman::agent::AgentBuilder::tool_handle);
    if world.random.one_in(2) {
        builder = builder.hooks(RandomHooks(Rc::downgrade(world)));
    }
    if world.random.one_in(4) {
        builder = builder.sequential_tools();
    }
    if world.random.one_in(4) {
        builder = builder.sequential_tools().steer_at_tool_boundary();
    }
    builder.build().unwrap()
}

fn one_run(
    world: &Rc<World>,
    agent: &Agent,
    heard: &RefCell<Vec<&'static str>>,
    events: &mut Events,
    tally: &mut Tally,
) {
    *world.grammar.borrow_mut() = Grammar::new(world.profile.has(Profile::RECORD_EVERY_ABORTED_CALL));
    world.events.borrow_mut().clear();
    world.entered.borrow_mut().clear();
    world.requests.set(0);
    world.replaced.set(false);
    heard.borrow_mut().clear();
    while events.next().now_or_never().is_some() {}
    let before = agent.messages();
    let continues = world.random.one_in(4);
    let prompts: Vec<_> = (0..1 + world.random.below(2)).map(|_| world.message()).collect();
    world.say(|| if continues { "continue".into() } else { "prompt".into() });
    let outcome = {
        let mut work = pin!(async {
            match continues {
                true => agent.continue_run().await,
                false => agent.prompt_with(prompts).await,
            }
        });
        drive(world, work.as_mut())
    };
    tally.runs += 1;
    tally.requests += world.requests.get() as u64;
    tally.events += world.events.borrow().len() as u64;
    let failing = world.grammar.borrow().failing;
    let dropped = outcome.is_none();
    match outcome {
        Some(outcome) => settled(world, outcome, continues, failing),
        None => tally.dropped += 1,
    }
    if !dropped && !failing && world.grammar.borrow().complete() {
        tally.clean += 1;
        // Reports of tools that run together go round at the same time, so the last listener may hear them in another
        // order than the first.
        let sorted = |names: &RefCell<Vec<&'static str>>| {
            let mut names = names.borrow().clone();
            names.sort_unstable();
            names
        };
        if sorted(heard) != sorted(&world.events) {
            world.problem("the last listener missed something");
        }
    }
    let streamed = std::iter::from_fn(|| events.next().now_or_never().flatten()).map(|event| event.name());
    if streamed.collect::<Vec<_>>() != *world.events.borrow() {
        world.problem("the stream of events missed something");
    }
    if agent.is_running() || !agent.pending_tool_calls().is_empty() || agent.streaming_message().is_some() {
        world.problem("the agent is not at rest");
    }
    let books = world.ledger.borrow_mut().settle(agent, failing || !world.grammar.borrow().complete());
    if let Err(problem) = books {
        world.problem(problem);
    }
    let same = |a: &[Rc<AgentMessage>], b: &[Rc<AgentMessage>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Rc::ptr_eq(a, b))
    };
    let grown: Vec<_> = before.into_iter().chain(world.entered.borrow().iter().cloned()).collect();
    if !world.replaced.get() && !same(&grown, &agent.messages()) {
        world.problem("the transcript is not what the events said");
    }
}

/// A run that was not dropped.
fn settled(world: &World, outcome: Result<(), Error>, continues: bool, failing: bool) {
    let grammar = world.grammar.borrow();
    match outcome {
        // There was nothing to continue from: nothing happened.
        Err(_) if continues && world.events.borrow().is_empty() => {}
        // A listener failed while it was told of a failure.
        Err(error) if failing && error.message.starts_with(INJECTED) => {}
        Err(error) => world.problem(format!("the run failed: {}", error.message)),
        Ok(()) if !grammar.complete() => world.problem("the run stopped in the middle"),
        Ok(()) if !failing && grammar.agent_ends != grammar.loops => world.problem("agent_end came too often"),
        Ok(()) => {}
    }
}

/// Poll a run to its end, and do things from outside in between. `None`: it was dropped on the way.
fn drive(
    world: &Rc<World>,
    mut work: std::pin::Pin<&mut impl Future<Output = Result<(), Error>>>,
) -> Option<Result<(), Error>> {
    let flag = Arc::new(Flag::default());
    let waker = Waker::from(flag.clone());
    let mut cx = Context::from_waker(&waker);
    let leave = if world.random.one_in(12) { world.random.below(60) } else { usize::MAX };
    for polls in 0..PATIENCE {
        flag.0.store(false, Ordering::Relaxed);
        if let Poll::Ready(outcome) = work.as_mut().poll(&mut cx) {
            return Some(outcome);
        }
        if polls >= leave {
            world.say(|| "the run is dropped".into());
            return None;
        }
        world.meddle("the application");
        if !flag.0.load(Ordering::Relaxed) {
            world.problem("the run waits for nothing");
            return None;
        }
    }
    world.problem("the run does not end");
    None
}

/// What a user does while nothing runs.
fn between_runs(world: &Rc<World>, agent: &Agent) {
    world.meddle("a pause");
    match world.random.below(6) {
        0 => agent.set_messages(world.thinned(agent.messages())),
        1 => {
            let mut messages = agent.messages();
            messages.truncate(world.random.below(messages.len() + 1));
            agent.set_messages(messages);
        }
        2 if world.random.one_in(3) => {
            let (steering, follow_ups) = agent.queued_messages();
            world.ledger.borrow_mut().cleared(&steering);
            world.ledger.borrow_mut().cleared(&follow_ups);
            agent.reset().unwrap();
        }
        3 => agent.set_model(world.model()),
        _ => {}
    }
    if agent.wait_for_idle().now_or_never().is_none() {
        world.problem("the agent is not idle");
    }
}
