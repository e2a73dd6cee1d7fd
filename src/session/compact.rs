//! Compaction: when, and of what (COMPACTION 1, 3 to 5). The summary itself is made in [`summary`](super::summary).

use std::borrow::Cow;

use steersman_wire::json::Value;
use steersman_wire::Ended;

use super::context::ContextMessage;
use super::files::{Access, FileLists, FileOps};
use super::read::{given, number, text};
use super::tree::SessionTree;

/// The sizes that compaction goes by, in tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Whether it begins by itself.
    pub enabled: bool,
    /// It begins when less than this is free.
    pub reserve: f64,
    /// About so much of the latest conversation stays as it is.
    pub keep_recent: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: true, reserve: 16_384.0, keep_recent: 20_000.0 }
    }
}

impl Settings {
    /// Whether a context is so large that it should be compacted.
    pub fn should_compact(&self, context_tokens: f64, context_window: f64) -> bool {
        self.enabled && context_tokens > context_window - self.reserve
    }
}

/// Whether an answer says that its input was too long for the window, and whether its length may have been cut by that:
/// it ended for its length before it had what was wanted.
pub fn overflow(message: &Value, context_window: f64, wanted_output: f64) -> (bool, bool) {
    let usage = message.get("usage").unwrap_or(&Value::Null);
    let ended = Ended {
        stop_reason: text(message, "stopReason"),
        error_message: text(message, "errorMessage"),
        provider: text(message, "provider"),
        input: number(usage, "input"),
        cache_read: number(usage, "cacheRead"),
        output: number(usage, "output"),
    };
    let recoverable = ended.stop_reason == "length" && ended.output < wanted_output;
    (steersman_wire::is_context_overflow(&ended, Some(context_window)), recoverable)
}

/// Everything that a compaction needs to know; made before the model is asked, so that the cut does not move.
#[derive(Debug, Clone, PartialEq)]
pub struct Preparation {
    /// The size of the context.
    pub tokens_before: f64,
    /// The first entry that stays.
    pub first_kept: String,
    /// The messages to summarise.
    pub history: Vec<Value>,
    /// The beginning of the turn that the cut goes through; it gets a summary of its own.
    pub prefix: Vec<Value>,
    /// Whether the cut goes through a turn.
    pub is_split_turn: bool,
    /// The summary of the compaction before.
    pub previous_summary: Option<String>,
    /// Files of what is summarised, and of the summary before.
    pub files: FileLists,
}

impl SessionTree {
    /// The last compaction of a path and where what it keeps begins, by places.
    fn since_compaction(&self, path: &[usize]) -> (Option<usize>, usize) {
        let Some(at) = self.last_compaction(path) else { return (None, 0) };
        let kept = self.kept_start(path.get(..at).unwrap_or_default(), *path.get(at).unwrap_or(&0));
        (Some(at), if kept == at { at + 1 } else { kept })
    }

    /// The entries that the compaction of the branch of a leaf looks into.
    pub fn compactable(&self, leaf: Option<usize>) -> Vec<usize> {
        let path = self.path(leaf);
        let (_, start) = self.since_compaction(&path);
        path.get(start..).unwrap_or_default().to_vec()
    }

    /// Prepares the compaction of the branch of a leaf. `None`: there is nothing to compact.
    pub fn prepare_compaction(
        &self,
        leaf: Option<usize>,
        keep_recent: f64,
        access: &dyn Fn(&str) -> Option<Access>,
    ) -> Option<Preparation> {
        let (mut ready, [history, prefix]) = self.prepare(leaf, keep_recent, access)?;
        ready.history = history.into_iter().map(Cow::into_owned).collect();
        ready.prefix = prefix.into_iter().map(Cow::into_owned).collect();
        Some(ready)
    }

    /// The same with history and prefix apart, of which no copies are made.
    pub(crate) fn prepare(
        &self,
        leaf: Option<usize>,
        keep_recent: f64,
        access: &dyn Fn(&str) -> Option<Access>,
    ) -> Option<(Preparation, [Vec<Cow<'_, Value>>; 2])> {
        let path = self.path(leaf);
        let (previous, start) = self.since_compaction(&path);
        if previous.map_or(path.is_empty(), |at| at + 1 == path.len()) {
            return None;
        }
        let cut = self.cut(&path, start, path.len(), keep_recent);
        let history_end = cut.split_turn.unwrap_or(cut.first_kept);
        let selection = self.selection(&path);
        let mut files = FileOps::default();
        let entry = previous.and_then(|at| path.get(at)).map(|&position| self.value_at(position));
        if let Some(entry) = entry {
            files.add_summary(entry);
        }
        let mut messages = |from: usize, to: usize| {
            let mut said = Vec::new();
            for &position in path.get(from..to).unwrap_or_default() {
                if self.kind_at(position) != "compaction" {
                    selection.project(position, &mut said);
                }
            }
            let mut out = Vec::new();
            for ContextMessage { message, .. } in said {
                // The prompt is not part of the conversation.
                if text(&message, "role") != "system" {
                    files.add_message(&message, access);
                    out.push(message);
                }
            }
            out
        };
        let history = messages(start, history_end);
        let prefix = messages(history_end, cut.first_kept);
        if history.is_empty() && prefix.is_empty() {
            return None;
        }
        let ready = Preparation {
            tokens_before: self.size(&self.context(leaf)).tokens,
            first_kept: self.id_at(path.get(cut.first_kept).copied()?).to_owned(),
            history: Vec::new(),
            prefix: Vec::new(),
            is_split_turn: cut.split_turn.is_some(),
            previous_summary: entry.and_then(|entry| given(entry, "summary")?.as_str()).map(str::to_owned),
            files: files.lists(),
        };
        Some((ready, [history, prefix]))
    }
}
