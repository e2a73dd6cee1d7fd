//! Open containers of an unfinished text, and what may come next in each.

use crate::json::JsonErrorKind as Fault;

/// An open container.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub object: bool,
    pub phase: Phase,
    /// Stands where no value may stand, or inside such a container: its content is not reported.
    pub muted: bool,
}

/// What is due next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The first member name or element, or the closer.
    First,
    /// After a comma: a member name or an element.
    Next,
    /// The colon after a name.
    Colon,
    /// The value after a colon.
    Value,
    /// The comma after a member or element, or the closer.
    Comma,
}

impl Level {
    pub fn new(object: bool, muted: bool) -> Self {
        Self { object, phase: Phase::First, muted }
    }

    /// The fault of anything that is not due.
    pub fn expected(&self) -> Fault {
        match self.phase {
            Phase::First | Phase::Next if self.object => Fault::ExpectedKey,
            Phase::First | Phase::Next | Phase::Value => Fault::ExpectedValue,
            Phase::Colon => Fault::ExpectedColon,
            Phase::Comma => Fault::ExpectedCommaOrEnd,
        }
    }

    /// Whether a value may start here by the grammar.
    pub fn value_due(&self) -> bool {
        match self.phase {
            Phase::Value => true,
            Phase::First | Phase::Next => !self.object,
            Phase::Colon | Phase::Comma => false,
        }
    }

    /// Whether a value that starts here is kept: tolerates a missing comma in arrays and a missing colon.
    pub fn value_taken(&self) -> bool {
        !self.object || matches!(self.phase, Phase::Value | Phase::Colon)
    }

    /// Whether a string here is a member name by the grammar.
    pub fn key_due(&self) -> bool {
        self.object && matches!(self.phase, Phase::First | Phase::Next)
    }

    /// Whether a string here is read as a member name: tolerates a missing comma.
    pub fn key_taken(&self) -> bool {
        self.object && !matches!(self.phase, Phase::Value | Phase::Colon)
    }

    /// Whether this closer is due.
    pub fn closer_due(&self, closer: u8) -> bool {
        (closer == b'}') == self.object && matches!(self.phase, Phase::First | Phase::Comma)
    }
}
