//! What happens next: the scheduling policy of the double loop, as pure functions over facts.
//!
//! Inner loop: turns follow each other while there are tool results to report or steering messages to deliver.
//! Outer loop: when the inner one has nothing left, follow-ups start it again.

/// What is known once a turn is over and the steering queue was polled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TurnFacts {
    /// The turn ran tools whose results the model must see (and the batch did not terminate).
    pub results_to_report: bool,
    /// Steering messages were found.
    pub steering: bool,
}

/// What is known once the follow-up queue was polled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FollowUpFacts {
    /// Follow-up messages were found.
    pub follow_ups: bool,
    /// `finishTurn` asked for one more request and nothing else has led to one.
    pub continue_asked: bool,
}

/// The next step of the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Another turn.
    Turn,
    /// Nothing keeps the inner loop going: ask the follow-up queue.
    PollFollowUps,
    /// The run is over.
    End,
}

/// After a turn. A request to continue is used up by any turn that follows anyway.
pub fn after_turn(facts: TurnFacts) -> Next {
    if facts.results_to_report || facts.steering {
        Next::Turn
    } else {
        Next::PollFollowUps
    }
}

/// After the follow-up poll.
pub fn after_follow_ups(facts: FollowUpFacts) -> Next {
    if facts.follow_ups || facts.continue_asked {
        Next::Turn
    } else {
        Next::End
    }
}

/// Whether to ask the steering queue again after `prepareNextTurn`, which may have taken long: only when the poll
/// after the turn found nothing, else a one-at-a-time queue would deliver two messages in one turn.
pub fn poll_again(pending: bool) -> bool {
    !pending
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        for (results_to_report, steering, next) in [
            (true, true, Next::Turn),
            (true, false, Next::Turn),
            (false, true, Next::Turn),
            (false, false, Next::PollFollowUps),
        ] {
            assert_eq!(after_turn(TurnFacts { results_to_report, steering }), next);
        }
        for (follow_ups, continue_asked, next) in
            [(true, true, Next::Turn), (true, false, Next::Turn), (false, true, Next::Turn), (false, false, Next::End)]
        {
            assert_eq!(after_follow_ups(FollowUpFacts { follow_ups, continue_asked }), next);
        }
        assert!(poll_again(false) && !poll_again(true));
    }
}
