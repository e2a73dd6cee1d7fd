//! What a summary of a branch that is left is made of (COMPACTION 8).

use steersman_wire::json::Value;

use super::context::{summary_message, ContextMessage};
use super::files::{Access, FileLists, FileOps};
use super::read::text;
use super::tokens::estimate;
use super::tree::SessionTree;

/// The part of a branch that is summarised.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchPart {
    /// The messages, oldest first.
    pub messages: Vec<Value>,
    /// Their estimated size.
    pub tokens: f64,
    /// Files of all entries that were looked at.
    pub files: FileLists,
}

/// A summary still goes in when it does not fit, while less than this part of the budget is used.
const NEARLY_FULL: f64 = 0.9;

impl SessionTree {
    /// Takes the newest messages of some entries (oldest first, by position) until `budget` tokens are full; 0 is without
    /// limit. Results of tools are left out, summaries hand on their files.
    pub fn prepare_branch(
        &self,
        entries: &[usize],
        budget: f64,
        access: &dyn Fn(&str) -> Option<Access>,
    ) -> BranchPart {
        let selection = self.selection(entries);
        let mut files = FileOps::default();
        for &position in entries {
            if self.kind_at(position) == "branch_summary" {
                files.add_summary(self.value_at(position));
            }
        }
        let (mut messages, mut tokens) = (Vec::new(), 0.0);
        for &position in entries.iter().rev() {
            let entry = self.value_at(position);
            let kind = text(entry, "type");
            let message = if kind == "compaction" {
                files.add_summary(entry);
                summary_message(entry)
            } else {
                let mut found = Vec::new();
                selection.project(position, &mut found);
                let Some(ContextMessage { message, .. }) = found.pop() else { continue };
                message.into_owned()
            };
            files.add_message(&message, access);
            if matches!(text(&message, "role"), "toolResult" | "system") {
                continue;
            }
            let size = estimate(&message);
            let full = budget > 0.0 && tokens + size > budget;
            let is_summary = matches!(kind, "compaction" | "branch_summary");
            if !full || (is_summary && tokens < budget * NEARLY_FULL) {
                messages.push(message);
                tokens += size;
            }
            if full {
                break;
            }
        }
        messages.reverse();
        BranchPart { messages, tokens, files: files.lists() }
    }
}
