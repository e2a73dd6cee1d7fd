//! Queues of messages that wait for a drain point of the loop.

use std::collections::VecDeque;

use crate::slot::Slot;

/// How much a drain point takes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum QueueMode {
    /// Everything that is queued.
    All,
    /// The oldest message; the rest waits for later drain points.
    #[default]
    OneAtATime,
}

impl QueueMode {
    /// The word of the JavaScript API.
    pub fn name(self) -> &'static str {
        match self {
            QueueMode::All => "all",
            QueueMode::OneAtATime => "one-at-a-time",
        }
    }
}

/// Messages that wait; the mode may change at any time.
#[derive(Default)]
pub struct MessageQueue<M> {
    waiting: Slot<VecDeque<M>>,
    mode: Slot<QueueMode>,
}

impl<M: Clone> MessageQueue<M> {
    /// An empty queue.
    pub fn new(mode: QueueMode) -> Self {
        MessageQueue { waiting: Slot::new(VecDeque::new()), mode: Slot::new(mode) }
    }

    /// How a drain point drains it.
    pub fn mode(&self) -> QueueMode {
        self.mode.get()
    }

    /// Change how it is drained.
    pub fn set_mode(&self, mode: QueueMode) {
        self.mode.replace(mode);
    }

    /// Add to the end.
    pub fn enqueue(&self, message: M) {
        self.waiting.change(|waiting| waiting.push_back(message));
    }

    /// Whether something waits.
    pub fn has_items(&self) -> bool {
        self.waiting.read(|waiting| !waiting.is_empty())
    }

    /// Everything that waits, oldest first.
    pub fn items(&self) -> Vec<M> {
        self.waiting.read(|waiting| waiting.iter().cloned().collect())
    }

    /// What the next drain point would take.
    pub fn peek(&self) -> Vec<M> {
        let most = self.most();
        self.waiting.read(|waiting| waiting.iter().take(most).cloned().collect())
    }

    /// Take what a drain point takes.
    pub fn drain(&self) -> Vec<M> {
        let most = self.most();
        self.waiting.change(|waiting| waiting.drain(..most.min(waiting.len())).collect())
    }

    /// Forget everything; what waited is handed back.
    pub fn clear(&self) -> VecDeque<M> {
        self.waiting.take()
    }

    fn most(&self) -> usize {
        match self.mode() {
            QueueMode::All => usize::MAX,
            QueueMode::OneAtATime => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_leaves_the_rest_for_later_and_all_takes_everything() {
        let queue = MessageQueue::new(QueueMode::OneAtATime);
        for message in ["a", "b", "c"] {
            queue.enqueue(message);
        }
        assert_eq!(queue.peek(), ["a"]);
        assert_eq!(queue.drain(), ["a"]);
        queue.set_mode(QueueMode::All);
        assert_eq!(queue.drain(), ["b", "c"]);
        assert_eq!(queue.drain(), [""; 0]);
        assert!(!queue.has_items());
    }
}
