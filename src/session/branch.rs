//! Sessions made of another one (SESSIONS 2.3).

use steersman_wire::json::Value;

use super::outline::Body;
use super::read::{set, text};
use super::tree::SessionTree;
use super::{SessionError, Stamp};

impl SessionTree {
    /// A session of one branch: the path to `leaf` without its label entries, each entry after the one before, and one
    /// label entry at the end for every label that stands on the path now.
    ///
    /// # Errors
    /// `unknown_entry`, `bad_id`, `no_ids`
    pub fn branched(
        &self,
        leaf: &str,
        id: &str,
        parent: Option<&str>,
        stamp: &mut Stamp<'_>,
    ) -> Result<Self, SessionError> {
        let path = self.path(Some(self.known(leaf)?));
        let mut branch = Self::new(id, text(&self.header, "cwd"), parent, stamp.now)?;
        branch.shapes.clone_from(&self.shapes);
        for &position in &path {
            let Some(mut body) = self.entries.get(position).map(|entry| entry.body.clone()) else { continue };
            if self.is_label(position) {
                continue;
            }
            if let Body::Whole(Value::Object(members)) = &mut body {
                set(members, "parentId", branch.leaf_id());
                let kept = members.get("firstKeptEntryId").and_then(Value::as_str).and_then(|id| self.position(id));
                if let Some(first) = kept.and_then(|kept| self.no_label(kept, position)) {
                    set(members, "firstKeptEntryId", self.id_at(first));
                }
            }
            let before = branch.leaf;
            let added = branch.add(self.id_at(position), body, None)?;
            branch.attach(added, before);
        }
        let labels = self.label_entries();
        for &target in &path {
            let label = labels.get(target).copied().flatten();
            if let Some(label) = label.filter(|_| !self.is_label(target)) {
                let stamp = &mut Stamp { ids: stamp.ids, now: self.time_at(label) };
                branch.append_label(self.id_at(target), Some(text(self.value_at(label), "label")), stamp)?;
            }
        }
        Ok(branch)
    }

    fn is_label(&self, position: usize) -> bool {
        self.kind_at(position) == "label"
    }

    /// The first entry that is no label on the way from one entry down to another: labels stay behind. `None`: there is no
    /// such way.
    fn no_label(&self, from: usize, to: usize) -> Option<usize> {
        let (mut at, mut first) = (to, to);
        while at != from {
            at = self.parent_at(at)?;
            if !self.is_label(at) {
                first = at;
            }
        }
        Some(first)
    }

    /// A copy under another id; entries and their ids stay. Names this one as its parent.
    ///
    /// # Errors
    /// `bad_id`, `empty`
    pub fn forked(&self, id: &str, now: f64) -> Result<Self, SessionError> {
        if self.is_empty() {
            return Err(SessionError::new("empty"));
        }
        let mut fork = Self::new(id, text(&self.header, "cwd"), Some(self.id()), now)?;
        fork.shapes.clone_from(&self.shapes);
        for (position, entry) in self.entries.iter().enumerate() {
            fork.add(self.id_at(position), entry.body.clone(), entry.line.clone())?;
        }
        for position in 0..self.len() {
            fork.attach(position, self.parent_at(position));
        }
        fork.leaf = self.leaf;
        Ok(fork)
    }

    /// The entries of one branch that another does not have, oldest first, and where the two part.
    pub fn left_behind(&self, from: Option<usize>, to: Option<usize>) -> (Vec<usize>, Option<usize>) {
        let (old, new) = (self.path(from), self.path(to));
        let mut shared = 0;
        while old.get(shared).is_some_and(|entry| new.get(shared) == Some(entry)) {
            shared += 1;
        }
        let parting = shared.checked_sub(1).and_then(|last| old.get(last).copied());
        (old.get(shared..).unwrap_or_default().to_vec(), parting)
    }
}
