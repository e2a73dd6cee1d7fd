//! Listeners: two that write down what they are told, and moody ones between them.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use futures::future::{FutureExt, LocalBoxFuture};
use steersman::abort::Abort;
use steersman::error::Error;
use steersman::native::{AgentEvent, Listener};

use crate::world::World;

type Waiting = Option<LocalBoxFuture<'static, Result<(), Error>>>;

/// The first listener: follows the grammar and the books.
pub struct First(pub Weak<World>);

impl Listener for First {
    fn on_event(&self, event: &AgentEvent, _abort: &Abort) -> Waiting {
        let world = self.0.upgrade()?;
        world.say(|| event.name().to_owned());
        world.events.borrow_mut().push(event.name());
        let step = world.grammar.borrow_mut().step(event);
        if let Err(problem) = step {
            world.problem(format!("event out of order: {problem}"));
        }
        let running = match event {
            AgentEvent::ToolExecutionStart { call } => Some((call, true)),
            AgentEvent::ToolExecutionEnd { call, .. } => Some((call, false)),
            _ => None,
        };
        if running.is_some_and(|(call, runs)| world.agent().pending_tool_calls().contains(&call.id) != runs) {
            world.problem("the agent does not know which calls run");
        }
        if let AgentEvent::MessageEnd { message } = event {
            world.entered.borrow_mut().push(message.clone());
            let delivered = world.ledger.borrow_mut().delivered(message);
            if let Err(problem) = delivered {
                world.problem(problem);
            }
        }
        None
    }
}

/// The last listener of those that are there from the beginning.
pub struct Last(pub Rc<RefCell<Vec<&'static str>>>);

impl Listener for Last {
    fn on_event(&self, event: &AgentEvent, _abort: &Abort) -> Waiting {
        self.0.borrow_mut().push(event.name());
        None
    }
}

/// Fails, takes its time, or does something to the agent.
pub struct Moody {
    world: Weak<World>,
}

impl Moody {
    pub fn new(world: &Rc<World>) -> Self {
        Moody { world: Rc::downgrade(world) }
    }
}

impl Listener for Moody {
    fn on_event(&self, event: &AgentEvent, _abort: &Abort) -> Waiting {
        let world = self.world.upgrade()?;
        let name = event.name();
        world.meddle(name);
        if world.random.one_in(2) && world.random.one_in(world.rarity) {
            return None;
        }
        Some(
            async move {
                world.wait().await;
                world.stumble(name)?;
                world.meddle(name);
                Ok(())
            }
            .boxed_local(),
        )
    }
}
