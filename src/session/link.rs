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

    /// Settles the places that are left, once all entries are added. Adds `orphan` and `cycle` to what was found.
    pub(super) fn link(&mut self, found: &mut Vec<(&'static str, usize)>) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        for (position, id) in &pending {
            let parent = self.position(id);
            if parent.is_none() {
                found.push(("orphan", *position));
            }
            if let Some(entry) = self.entries.get_mut(*position) {
                entry.parent = parent;
            }
        }
        self.cut_cycles(found);
        // Siblings are in the order of the file.
        self.roots = Chain::default();
        for entry in &mut self.entries {
            (entry.children, entry.next) = (Chain::default(), None);
        }
        for position in 0..self.len() {
            self.attach(position, self.parent_at(position));
        }
    }

    fn cut_cycles(&mut self, found: &mut Vec<(&'static str, usize)>) {
        // Walks up from every entry, each entry once: 0 is unseen, 1 is on the walk of now, 2 is done.
        let mut seen = vec![0u8; self.len()];
        let mut walk = Vec::new();
        for start in 0..self.len() {
            let mut at = Some(start);
            while let Some((position, state)) = at.and_then(|at| Some((at, seen.get_mut(at)?))) {
                if *state == 1 {
                    // A cycle; its first entry in the file becomes the root.
                    let mut first = position;
                    for &on in walk.iter().rev() {
                        if on == position {
                            break;
                        }
                        first = first.min(on);
                    }
                    found.push(("cycle", first));
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
            for &position in &walk {
                if let Some(state) = seen.get_mut(position) {
                    *state = 2;
                }
            }
            walk.clear();
        }
    }

    /// Adds the compactions whose kept entry is not on the path before them, themselves excepted, as `kept_off_path`.
    pub(super) fn off_path(&self, found: &mut Vec<(&'static str, usize)>) {
        let mut keeping = Vec::new();
        for at in 0..self.len() {
            if self.kind_at(at) == "compaction" {
                if let Some(kept) = given(self.value_at(at), "firstKeptEntryId") {
                    keeping.push((at, kept.as_str().and_then(|kept| self.position(kept))));
                }
            }
        }
        if keeping.is_empty() {
            return;
        }
        // Depth first, the entries below one are a run: those that are entered before it is left.
        let mut entered = vec![0usize; self.len()];
        let mut left = vec![0usize; self.len()];
        let mut count = 0;
        let mut next = self.roots.first;
        while let Some(entry) = next {
            if let Some(start) = entered.get_mut(entry) {
                *start = count;
            }
            count += 1;
            next = self.entries.get(entry).and_then(|entry| entry.children.first);
            // Back up to where there is another sibling.
            let mut over = Some(entry);
            while let Some(done) = over.filter(|_| next.is_none()) {
                if let Some(end) = left.get_mut(done) {
                    *end = count;
                }
                next = self.entries.get(done).and_then(|entry| entry.next);
                over = self.parent_at(done);
            }
        }
        let below = |entry: usize, above: usize| {
            let at = entered.get(entry);
            at >= entered.get(above) && at < left.get(above)
        };
        for (at, kept) in keeping {
            if !kept.is_some_and(|kept| below(at, kept)) {
                found.push(("kept_off_path", at));
            }
        }
    }
}
