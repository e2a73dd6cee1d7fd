//! Sessions made of another one (SESSIONS 2.3).

use steersman_wire::json::Value;

use super::outline::Body;
use super::read::text;
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
        let cwd = text(&self.header, "cwd");
        let mut branch = Self::new(id, cwd, parent, stamp.now)?;
        let is_label = |position: &&usize| self.kind_at(**position) == "label";
        branch.shapes.clone_from(&self.shapes);
        for (place, position) in path.iter().enumerate().filter(|(_, position)| !is_label(position)) {
            let before = branch.leaf;
            let mut body = match self.entries.get(*position) {
                Some(entry) => entry.body.clone(),
                None => continue,
            };
            if let Body::Whole(Value::Object(members)) = &mut body {
                members.insert("parentId", branch.leaf_id());
                let kept = members.get("firstKeptEntryId").and_then(Value::as_str).and_then(|kept| self.position(kept));
                let kept = kept.and_then(|kept| path.iter().take(place).position(|on| *on == kept));
                // A label that was kept from is not there any more; what follows it is.
                let next = kept.filter(|&kept| path.get(kept).is_some_and(|on| is_label(&on)));
                let next = next.and_then(|kept| path.iter().skip(kept).find(|on| !is_label(on)));
                if let Some(next) = next {
                    members.insert("firstKeptEntryId", self.id_at(*next));
                }
            }
            let added = branch.add(self.id_at(*position), body, None)?;
            branch.attach(added, before);
        }
        let labels = self.labels();
        for target in &path {
            if let Some(label) = labels.get(*target).copied().flatten().filter(|_| !is_label(&target)) {
                let now = self.label_time(self.id_at(*target)).unwrap_or(stamp.now);
                branch.append_label(self.id_at(*target), Some(label), &mut Stamp { ids: stamp.ids, now })?;
            }
        }
        Ok(branch)
    }

    /// A copy under another id; entries and their ids stay. Names this one as its parent.
    ///
    /// # Errors
    /// `bad_id`, `empty`
    pub fn forked(&self, id: &str, now: f64) -> Result<Self, SessionError> {
        if self.is_empty() {
            return Err(SessionError::new("empty"));
        }
        let fresh = Self::new(id, text(&self.header, "cwd"), Some(self.id()), now)?;
        let mut fork = self.clone();
        fork.header = fresh.header;
        fork.header_line = None;
        Ok(fork)
    }

    /// When the label of an entry was given.
    fn label_time(&self, target: &str) -> Option<f64> {
        let names = |position: &usize| {
            self.kind_at(*position) == "label" && text(self.value_at(*position), "targetId") == target
        };
        (0..self.len()).rev().find(names).map(|last| self.time_at(last))
    }

    /// The entries of one branch that another does not have, oldest first, and where the two part.
    pub fn left_behind(&self, from: Option<usize>, to: Option<usize>) -> (Vec<usize>, Option<usize>) {
        let (old, new) = (self.path(from), self.path(to));
        let shared = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let parting = shared.checked_sub(1).and_then(|last| old.get(last).copied());
        (old.into_iter().skip(shared).collect(), parting)
    }
}
