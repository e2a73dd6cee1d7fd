//! The recorded versions whose rules a run follows.
//!
//! `profiles.json` at the root of the repository is the one list of the differences; the shells read it too. A run is
//! told its rules as a set of flags, so that no version number is compared anywhere.

/// A set of rules; the flags are the names in `profiles.json` that concern the engine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Profile(u32);

impl Profile {
    /// `finishTurn` is asked before `turn_end`, also on failed turns.
    pub const FINISH_TURN: Profile = Profile(1);
    /// `prepareRequest` is asked before each request.
    pub const PREPARE_REQUEST: Profile = Profile(1 << 1);
    /// After an abort every call of a batch still gets its start, its end and a result, and abort comes before the
    /// look-up of the tool; without it the remaining calls of the batch are dropped.
    pub const RECORD_EVERY_ABORTED_CALL: Profile = Profile(1 << 2);
    /// `isError: true` in a tool's result is honoured.
    pub const HONOUR_IS_ERROR: Profile = Profile(1 << 3);

    /// Prompt and tool changes are declared by system messages in the transcript.
    pub const SYSTEM_MESSAGES: Profile = Profile(1 << 4);
    /// The final message names the thinking level that was asked for.
    pub const RECORD_THINKING_LEVEL: Profile = Profile(1 << 5);

    /// The rules of pi-agent-core 1.6.0, the default.
    pub const V1_6: Profile = Profile(0b11_1111);
    /// The rules of pi-agent-core 0.85.1.
    pub const V0_85: Profile = Profile(0);

    /// A set from its bits, as the JS shell sends them. Unknown bits are ignored.
    pub fn from_bits(bits: u32) -> Profile {
        Profile(bits & Profile::V1_6.0)
    }

    /// Whether every rule of `other` is in this set.
    pub fn has(self, other: Profile) -> bool {
        self.0 & other.0 == other.0
    }
}
