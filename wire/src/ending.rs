//! How a response ends: well, by the provider's own word for it, or in a failure.

use crate::batch::kind;
use crate::draft::{members, Draft};
use crate::failure::Failure;
use crate::response::Step;
use crate::source::Source;
use crate::text::around;

/// The place of a call in [`Draft::end_as`]: `toolUse` where there are calls, else `stop`.
const TURN: &str = "turn";

impl Draft {
    /// The response fails with this code and these words.
    #[inline(never)]
    pub fn fail(&mut self, code: &'static str, message: &[&str]) -> Step {
        self.fail_as(Failure::new(code, message.concat()))
    }

    /// The response fails so.
    #[inline(never)]
    pub fn fail_as(&mut self, failure: Failure) -> Step {
        self.failure = failure;
        Step::Failed
    }

    /// The response fails with an error in the stream, in the words of the provider.
    #[inline(never)]
    pub fn fail_in_band(&mut self, error: &str) -> Step {
        self.fail_as(Failure::in_band_text(error))
    }

    /// The stream ended too early.
    #[inline(never)]
    pub fn fail_unfinished(&mut self) -> Step {
        self.fail_as(Failure::new("stream_truncated", self.unfinished.as_str()))
    }

    /// The provider says why it stopped, if it does.
    #[inline(never)]
    pub fn stopped_by(&mut self, reason: &Source<'_>) -> bool {
        if reason.said().is_absent() {
            return false;
        }
        reason.string_into(&mut self.raw_stop_reason);
        true
    }

    /// The response is complete and was ended for this reason.
    #[inline(never)]
    pub fn finish(&mut self, stop: &'static str) -> Step {
        self.stop = stop;
        Step::Finished
    }

    /// The response ended for the provider's own reason. What its words mean stands in `meanings`, as `word:meaning`
    /// with spaces between: a stop reason, `turn` for one that depends on whether there are calls, or the code of a
    /// failure. Any other word is a failure with the code `other`. `what` comes before the word in its message, `more`
    /// after it.
    pub fn end_as(&mut self, meanings: &'static str, other: &'static str, what: &str, more: &str) -> Step {
        let reason = self.raw_stop_reason.as_str();
        let mut meaning = other;
        let mut rest = meanings;
        while let Some((word, after)) = around(rest, b':', false) {
            let (known, more) = around(after, b' ', false).unwrap_or((after, ""));
            if word == reason {
                meaning = known;
            }
            rest = more;
        }
        match meaning {
            TURN => self.end_turn(),
            "stop" | "length" | "toolUse" => self.finish(meaning),
            code => {
                let colon = if more.is_empty() { "" } else { ": " };
                let message = [what, reason, colon, more].concat();
                self.fail_as(Failure::new(code, message))
            }
        }
    }

    /// The model said all that it wanted to.
    pub fn end_turn(&mut self) -> Step {
        let calls = self.has_call() || self.has_answer();
        self.finish(if calls { "toolUse" } else { "stop" })
    }

    /// The response is complete.
    pub fn done(&mut self) {
        self.last_fields(self.stop, None);
        self.batch.push(kind::DONE, 0, self.stop);
    }

    /// The response failed or was aborted.
    pub fn failed(&mut self, code: &str, message: &str, status: u16) {
        let aborted = code == "aborted";
        self.last_fields(if aborted { "aborted" } else { "error" }, Some((code, message, status)));
        self.batch.push(kind::ERROR, u32::from(aborted), message);
    }

    /// Sets what is known of the response as a whole: at its end, and before where the provider tells early.
    pub fn last_fields(&mut self, stop_reason: &str, failure: Option<(&str, &str, u16)>) {
        let mut out = members();
        out.key("stopReason").string(stop_reason);
        if !self.raw_stop_reason.is_empty() {
            out.key("rawStopReason").string(&self.raw_stop_reason);
        }
        if let Some(usage) = &self.usage {
            out.key("usage");
            usage.write(&mut out, &self.cost);
        }
        if let Some((code, message, status)) = failure {
            out.key("errorMessage").string(message);
            // The host adds the time.
            out.put(r#""diagnostics":[{"type":"error""#).key("code").string(code);
            out.put(r#""error":{"#).key("message").string(message);
            out.key("code").string(code);
            out.close();
            if status > 0 {
                out.put(r#""details":{"status":"#).number(status.into());
                out.close();
            }
            out.put("}]");
        }
        self.fields(out);
    }
}
