//! Sorting and finding by name in one copy of code. The standard library's sorts and ordered maps are compiled anew for
//! every type, 8 to 15 kB of WebAssembly each.

use std::cmp::Ordering;

/// The positions `0..count` in the order that `compare` gives, equal ones as they stand. Merge sort from the bottom up:
/// n log n comparisons in the worst case, no recursion.
pub fn sorted_positions(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut from: Vec<usize> = (0..count).collect();
    let mut into = Vec::with_capacity(count);
    let mut width = 1;
    while width < count {
        for pair in from.chunks(width.saturating_mul(2)) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(left, right, &mut into, compare);
        }
        std::mem::swap(&mut from, &mut into);
        into.clear();
        width = width.saturating_mul(2);
    }
    from
}

fn merge(left: &[usize], right: &[usize], into: &mut Vec<usize>, compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    let (mut left, mut right) = (left, right);
    while let ([first, rest @ ..], [other, others @ ..]) = (left, right) {
        if compare(*other, *first) == Ordering::Less {
            into.push(*other);
            right = others;
        } else {
            into.push(*first);
            left = rest;
        }
    }
    into.extend_from_slice(left);
    into.extend_from_slice(right);
}

/// Finds the position of a name in a list that grows; the list itself keeps the names.
///
/// Sorted runs of positions, each at least twice as long as the next one: adding costs O(log n) amortised, finding
/// O(log² n), whatever the names are (no hash to attack).
#[derive(Debug, Clone, Default)]
pub struct Index(Vec<Vec<usize>>);

impl Index {
    /// An index of nothing.
    pub const fn new() -> Self {
        Index(Vec::new())
    }

    /// Adds a position; its name must not be in yet.
    pub fn add<'a>(&mut self, position: usize, name: &dyn Fn(usize) -> &'a str) {
        let mut run = vec![position];
        while let Some(last) = self.0.pop() {
            if last.len() > run.len() {
                self.0.push(last);
                break;
            }
            let mut merged = Vec::with_capacity(last.len() + run.len());
            merge(&last, &run, &mut merged, &mut |a, b| name(a).cmp(name(b)));
            run = merged;
        }
        self.0.push(run);
    }

    /// The position of a name.
    pub fn find<'a>(&self, wanted: &str, name: &dyn Fn(usize) -> &'a str) -> Option<usize> {
        self.0.iter().find_map(|run| {
            let found = run.binary_search_by(|&position| name(position).cmp(wanted)).ok()?;
            run.get(found).copied()
        })
    }
}

/// Numbers under names, for any number of names.
#[derive(Debug, Clone, Default)]
pub struct NameMap {
    index: Index,
    names: Vec<String>,
    values: Vec<Option<usize>>,
}

impl NameMap {
    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<usize> {
        *self.values.get(self.position(name)?)?
    }

    /// Sets the number of a name and gives the one before.
    pub fn set(&mut self, name: &str, value: usize) -> Option<usize> {
        if let Some(known) = self.position(name).and_then(|position| self.values.get_mut(position)) {
            return known.replace(value);
        }
        let position = self.names.len();
        self.names.push(name.to_owned());
        self.values.push(Some(value));
        let names = &self.names;
        self.index.add(position, &|at| names.get(at).map_or("", String::as_str));
        None
    }

    /// Forgets a name and gives its number.
    pub fn remove(&mut self, name: &str) -> Option<usize> {
        let position = self.position(name)?;
        self.values.get_mut(position)?.take()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.index.find(name, &|at| self.names.get(at).map_or("", String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_standard_library_and_keeps_equal_ones_in_order() {
        let mut state = 7u32;
        for count in 0..130 {
            let values: Vec<u32> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> 28
                })
                .collect();
            let mut wanted: Vec<usize> = (0..count).collect();
            wanted.sort_by_key(|&position| values[position]);
            assert_eq!(sorted_positions(count, &mut |a, b| values[a].cmp(&values[b])), wanted);
        }
    }

    #[test]
    fn an_index_finds_what_was_added_and_nothing_else() {
        let names: Vec<String> = (0..500u32).map(|n| n.wrapping_mul(2_654_435_761).to_string()).collect();
        let name = |position: usize| names[position].as_str();
        let mut index = Index::new();
        for position in 0..names.len() {
            assert_eq!(index.find(name(position), &name), None);
            index.add(position, &name);
            assert!(index.0.len() <= 10, "runs stay few");
            for known in (0..=position).step_by(7) {
                assert_eq!(index.find(name(known), &name), Some(known));
            }
        }
    }

    #[test]
    fn a_map_sets_replaces_and_forgets() {
        let mut map = NameMap::default();
        assert_eq!((map.get("a"), map.set("a", 1), map.set("b", 2)), (None, None, None));
        assert_eq!((map.set("a", 3), map.get("a"), map.get("b")), (Some(1), Some(3), Some(2)));
        assert_eq!((map.remove("a"), map.remove("a"), map.get("a")), (Some(3), None, None));
        assert_eq!((map.set("a", 4), map.get("a")), (None, Some(4)));
    }
}
