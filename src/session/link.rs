//! How entries of a file find their places in the tree.

use super::read::given;
use super::tree::{Chain, SessionTree};

impl SessionTree {
    /// Hangs an entry that was just added on its parent; one that is not there yet is left for [`SessionTree::link`].
    pub(super) fn bind(&mut self, position: usize, parent: Option<&str>) {
        let Some(id) = parent else { return self.attach(position, None) };
        // Nearly every entry follows the one before.
        let before = position.checked_sub(1).filter(|&before| self.id_at(before) == id);
        match before.or_else(|| self.position(id)).filter(|&found| found != position) {
            None => self.pending.push((position, id.to_owned())),
            found => self.attach(position, found),
        }
    }

    /// Settles the places that are left, once all entries are added. `report` gets `orphan` and `cycle` with the position.
    pub(super) fn link(&mut self, report: &mut dyn FnMut(&'static str, usize)) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        for (position, id) in &pending {
            let found = self.position(id);
            if found.is_none() {
                report("orphan", *position);
            }
            if let Some(entry) = self.entries.get_mut(*position) {
                entry.parent = found;
            }
        }
        self.cut_cycles(report);
        // Siblings are in the order of the file.
        self.roots = Chain::default();
        for entry in &mut self.entries {
            (entry.children, entry.next) = (Chain::default(), None);
        }
        for position in 0..self.len() {
            self.attach(position, self.parent_at(position));
        }
    }

    fn cut_cycles(&mut self, report: &mut dyn FnMut(&'static str, usize)) {
        // Walks up from every entry, each entry once: 0 is unseen, 1 is on the walk of now, 2 is done.
        let mut seen = vec![0u8; self.len()];
        let mut walk = Vec::new();
        for start in 0..self.len() {
            let mut at = Some(start);
            while let Some((position, state)) = at.and_then(|at| Some((at, seen.get_mut(at)?))) {
                if *state == 1 {
                    // A cycle; its first entry in the file becomes the root.
                    let from = walk.iter().position(|&on| on == position).unwrap_or(0);
                    let first = walk.iter().skip(from).copied().min().unwrap_or(position);
                    report("cycle", first);
                    if let Some(entry) = self.entries.get_mut(first) {
                        entry.parent = None;
                    }
                }
                if *state != 0 {
                    break;
                }
                *state = 1;
                walk.push(position);
                at = self.parent_at(position);
            }
            for position in walk.drain(..) {
                if let Some(state) = seen.get_mut(position) {
                    *state = 2;
                }
            }
        }
    }

    /// The compactions whose kept entry is not on the path before them, themselves excepted.
    pub(super) fn off_path(&self) -> Vec<usize> {
        let compactions: Vec<usize> = (0..self.len()).filter(|&at| self.kind_at(at) == "compaction").collect();
        if compactions.is_empty() {
            return compactions;
        }
        // Depth first, the entries below one are a run: those that are entered before it is left.
        let mut entered = vec![0usize; self.len()];
        let mut left = vec![0usize; self.len()];
        let mut count = 0;
        let mut next = self.roots.first;
        while let Some(entry) = next {
            entered.get_mut(entry).into_iter().for_each(|start| *start = count);
            count += 1;
            next = self.entries.get(entry).and_then(|entry| entry.children.first);
            // Back up to where there is another sibling.
            let mut over = Some(entry);
            while let Some(done) = over.filter(|_| next.is_none()) {
                left.get_mut(done).into_iter().for_each(|end| *end = count);
                next = self.entries.get(done).and_then(|entry| entry.next);
                over = self.parent_at(done);
            }
        }
        let below = |entry: usize, above: usize| {
            let at = entered.get(entry);
            at >= entered.get(above) && at < left.get(above)
        };
        let off = |position: &usize| {
            let kept = given(self.value_at(*position), "firstKeptEntryId");
            kept.is_some_and(|kept| {
                let kept = kept.as_str().and_then(|kept| self.position(kept));
                !kept.is_some_and(|kept| below(*position, kept))
            })
        };
        compactions.into_iter().filter(off).collect()
    }
}
