//! What became of every queued message.

use std::collections::BTreeMap;
use std::rc::Rc;

use steersman::agent::Agent;
use steersman::native::AgentMessage;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Queued,
    Delivered,
    Cleared,
    /// The run that had it failed or was dropped.
    Lost,
}

/// By the identity of the message.
#[derive(Default)]
pub struct Ledger(BTreeMap<String, (Rc<AgentMessage>, Fate)>);

/// The address of a message, which is kept, so that the address stays its own. A system message may enter as a copy that
/// declares tools too; its text is its own.
fn key(message: &Rc<AgentMessage>) -> String {
    match &**message {
        AgentMessage::System(message) if !message.content.is_empty() => message.content.clone(),
        _ => (Rc::as_ptr(message) as usize).to_string(),
    }
}

impl Ledger {
    pub fn queued(&mut self, message: &Rc<AgentMessage>) {
        self.0.insert(key(message), (message.clone(), Fate::Queued));
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Messages that are about to be cleared.
    pub fn cleared(&mut self, messages: &[Rc<AgentMessage>]) {
        for message in messages {
            if let Some((_, fate)) = self.0.get_mut(&key(message)) {
                *fate = Fate::Cleared;
            }
        }
    }

    /// A message entered the transcript.
    pub fn delivered(&mut self, message: &Rc<AgentMessage>) -> Result<(), String> {
        match self.0.get_mut(&key(message)) {
            None => Ok(()),
            Some((_, fate @ Fate::Queued)) => {
                *fate = Fate::Delivered;
                Ok(())
            }
            Some((message, fate)) => Err(format!("{} was {fate:?} and is delivered", message.text())),
        }
    }

    /// A run is over: every message is accounted for.
    pub fn settle(&mut self, agent: &Agent, may_lose: bool) -> Result<(), String> {
        let (steering, follow_ups) = agent.queued_messages();
        let waiting: Vec<String> = steering.iter().chain(&follow_ups).map(key).collect();
        for (name, (message, fate)) in &mut self.0 {
            let places = waiting.iter().filter(|waiting| *waiting == name).count();
            match (places, *fate) {
                (1, Fate::Queued) | (0, Fate::Delivered | Fate::Cleared | Fate::Lost) => {}
                (0, Fate::Queued) if may_lose => *fate = Fate::Lost,
                (places, fate) => return Err(format!("{} is {fate:?} and {places} times queued", message.text())),
            }
        }
        Ok(())
    }
}
