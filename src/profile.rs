//! The recorded versions whose rules a run follows.
//!
//! `profiles.json` at the root of the repository is the one list of the differences; the shells read it too. A run is
//! told its rules as a set of flags, so that no version number is compared anywhere.

/// A set of rules; the flags are names of `profiles.json`.
///
/// `identity` has no flag: it concerns an option that only JavaScript stream functions get.
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
    /// Prompt and tool changes are declared by system messages in the transcript; without it they go to the stream
    /// function beside the messages.
    pub const SYSTEM_MESSAGES: Profile = Profile(1 << 4);
    /// The final message names the thinking level that was asked for.
    pub const RECORD_THINKING_LEVEL: Profile = Profile(1 << 5);
    /// The system prompt of an agent can be replaced.
    pub const SYSTEM_PROMPT_ASSIGNABLE: Profile = Profile(1 << 6);
    /// `reset()` keeps prompt and tools as one system message.
    pub const RESET_KEEPS_BASELINE: Profile = Profile(1 << 7);
    /// `prepareNextTurn` may add messages.
    pub const NEXT_TURN_MESSAGES: Profile = Profile(1 << 8);
    /// Results of tools that ran say how long they ran.
    pub const DURATION_MS: Profile = Profile(1 << 9);
    /// `structuredContent` is dropped when an after hook replaces the content alone.
    pub const DROP_STALE_STRUCTURED_CONTENT: Profile = Profile(1 << 10);
    /// `addedToolNames` of a tool's result is copied to its message.
    pub const ADDED_TOOL_NAMES: Profile = Profile(1 << 11);
    /// A call whose arguments could not be read (`argumentsError`) is refused.
    pub const ARGUMENTS_ERROR: Profile = Profile(1 << 12);
    /// Arguments are converted and refused by the stricter rules of 0.85 (`"coercion": "0.85"`).
    pub const OLD_COERCION: Profile = Profile(1 << 13);

    /// The rules of pi-agent-core 1.6.0, the default.
    pub const V1_6: Profile = Profile(ALL & !(Self::SYSTEM_PROMPT_ASSIGNABLE.with(Self::OLD_SETS).0));
    /// The rules of pi-agent-core 0.85.1.
    pub const V0_85: Profile = Self::SYSTEM_PROMPT_ASSIGNABLE.with(Self::OLD_SETS);

    const OLD_SETS: Profile = Self::ADDED_TOOL_NAMES.with(Self::OLD_COERCION);

    /// A set from its bits, as the JS shell sends them. Unknown bits are ignored.
    pub fn from_bits(bits: u32) -> Profile {
        Profile(bits & ALL)
    }

    /// Whether every rule of `other` is in this set.
    pub fn has(self, other: Profile) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Profile) -> Profile {
        Profile(self.0 | other.0)
    }
}

/// Every flag.
const ALL: u32 = (1 << 14) - 1;

#[cfg(test)]
mod tests {
    use super::*;
    use steersman_wire::json::{self, Value};

    const FLAGS: [(&str, Profile); 13] = [
        ("finishTurn", Profile::FINISH_TURN),
        ("prepareRequest", Profile::PREPARE_REQUEST),
        ("recordEveryAbortedCall", Profile::RECORD_EVERY_ABORTED_CALL),
        ("honourIsError", Profile::HONOUR_IS_ERROR),
        ("systemMessages", Profile::SYSTEM_MESSAGES),
        ("recordThinkingLevel", Profile::RECORD_THINKING_LEVEL),
        ("systemPromptAssignable", Profile::SYSTEM_PROMPT_ASSIGNABLE),
        ("resetKeepsBaseline", Profile::RESET_KEEPS_BASELINE),
        ("nextTurnMessages", Profile::NEXT_TURN_MESSAGES),
        ("durationMs", Profile::DURATION_MS),
        ("dropStaleStructuredContent", Profile::DROP_STALE_STRUCTURED_CONTENT),
        ("addedToolNames", Profile::ADDED_TOOL_NAMES),
        ("argumentsError", Profile::ARGUMENTS_ERROR),
    ];

    #[test]
    fn the_constants_say_what_the_file_says() {
        let file = json::parse(include_str!("../profiles.json")).unwrap();
        for (version, profile) in [("1.6.0", Profile::V1_6), ("0.85.1", Profile::V0_85)] {
            for (name, value) in file.get(version).and_then(Value::as_object).unwrap().iter() {
                let flag = FLAGS.iter().find(|(flag, _)| *flag == name).map(|(_, flag)| *flag);
                match (name, flag, value) {
                    (_, Some(flag), Value::Bool(on)) => assert_eq!(profile.has(flag), *on, "{version} {name}"),
                    ("coercion", None, Value::String(rules)) => {
                        assert_eq!(profile.has(Profile::OLD_COERCION), rules == "0.85", "{version}");
                    }
                    ("identity", None, Value::Bool(_)) => {}
                    _ => panic!("no flag for {version} {name}"),
                }
            }
        }
        assert_eq!(FLAGS.len() + 1, ALL.count_ones() as usize);
    }
}
