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

/// The last run takes so many one by one, before it is merged.
const TAIL: usize = 16;

impl Index {
    /// An index of nothing.
    pub const fn new() -> Self {
        Index(Vec::new())
    }

    /// Adds a position; its name must not be in yet. `compare`: the names of two positions.
    pub fn add(&mut self, position: usize, compare: &dyn Fn(usize, usize) -> Ordering) {
        match self.0.last_mut().filter(|run| run.len() < TAIL) {
            Some(run) => {
                let place = search(run, &|known| compare(known, position));
                run.insert(place.unwrap_or_else(|place| place), position);
            }
            None => self.0.push(vec![position]),
        }
        if self.0.last().is_some_and(|run| run.len() >= TAIL) {
            self.add_run(Vec::new(), compare);
        }
    }

    /// Adds positions in the order of their names, none of which may be in yet.
    fn add_run(&mut self, run: Vec<usize>, compare: &dyn Fn(usize, usize) -> Ordering) {
        let mut run = run;
        while let Some(last) = self.0.pop() {
            if last.len() > run.len() && !run.is_empty() {
                self.0.push(last);
                break;
            }
            let mut merged = Vec::with_capacity(last.len() + run.len());
            merge(&last, &run, &mut merged, &mut |a, b| compare(a, b));
            run = merged;
        }
        self.0.push(run);
        self.0.push(Vec::with_capacity(TAIL));
    }

    /// A position whose name is the wanted one. `compare`: the name of a position with it.
    pub fn find(&self, compare: &dyn Fn(usize) -> Ordering) -> Option<usize> {
        self.0.iter().find_map(|run| {
            let found = search(run, compare).ok()?;
            run.get(found).copied()
        })
    }
}

/// Where a position stands in a run, or where it belongs.
fn search(run: &[usize], compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    run.binary_search_by(|&position| compare(position))
}

/// Numbers under names, for any number of names.
#[derive(Debug, Clone, Default)]
pub struct NameMap {
    index: Index,
    names: Vec<String>,
    /// The names are in the order of these first: numbers are compared faster than texts. Equal ones cost no more than
    /// that, so nothing is won by making them equal.
    hashes: Vec<u32>,
    values: Vec<Option<usize>>,
}

/// FNV-1a.
pub(crate) fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
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
        self.push(name, value);
        None
    }

    /// Adds a name. One that is in already stays as it is, and its number is given.
    pub fn add(&mut self, name: &str, value: usize) -> Option<usize> {
        let known = self.get(name);
        if known.is_none() {
            self.push(name, value);
        }
        known
    }

    /// Adds the first of a row of names that is not in yet: `name(0)`, `name(1)`, ... Asked again for a row that begins
    /// with the same name, it goes on where it was.
    #[inline(never)]
    pub fn add_free(&mut self, name: &dyn Fn(usize) -> String) -> String {
        let first = name(0);
        let mut free = first.clone();
        if let Some(mut number) = self.get(&first) {
            while self.get(&free).is_some() {
                number += 1;
                free = name(number);
            }
            self.set(&first, number);
        }
        self.set(&free, 0);
        free
    }

    /// Adds names of which none is in yet, each once, with rising numbers from `first` on. Much faster than one by one.
    pub fn add_all(&mut self, names: &mut dyn Iterator<Item = &str>, first: usize) {
        let start = self.names.len();
        for (place, name) in names.enumerate() {
            self.names.push(name.to_owned());
            self.hashes.push(hash(name));
            self.values.push(Some(first + place));
        }
        let (names, hashes) = (&self.names, &self.hashes);
        let compare = |a: usize, b: usize| (hashes.get(a), names.get(a)).cmp(&(hashes.get(b), names.get(b)));
        let mut run = sorted_positions(names.len() - start, &mut |a, b| compare(start + a, start + b));
        run.iter_mut().for_each(|position| *position += start);
        self.index.add_run(run, &compare);
    }

    /// The name that was added at this place, from 0.
    pub fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("", String::as_str)
    }

    fn push(&mut self, name: &str, value: usize) {
        let position = self.names.len();
        self.names.push(name.to_owned());
        self.hashes.push(hash(name));
        self.values.push(Some(value));
        let (names, hashes) = (&self.names, &self.hashes);
        self.index.add(position, &|a, b| (hashes.get(a), names.get(a)).cmp(&(hashes.get(b), names.get(b))));
    }

    /// Forgets a name and gives its number.
    pub fn remove(&mut self, name: &str) -> Option<usize> {
        let position = self.position(name)?;
        self.values.get_mut(position)?.take()
    }

    fn position(&self, name: &str) -> Option<usize> {
        let wanted = hash(name);
        let at = |position: usize| self.names.get(position).map_or("", String::as_str);
        self.index.find(&|position| {
            let hash = self.hashes.get(position).copied().unwrap_or_default();
            hash.cmp(&wanted).then_with(|| at(position).cmp(name))
        })
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
            assert_eq!(index.find(&|at| name(at).cmp(name(position))), None);
            index.add(position, &|a, b| name(a).cmp(name(b)));
            assert!(index.0.len() <= 10, "runs stay few");
            for known in (0..=position).step_by(7) {
                assert_eq!(index.find(&|at| name(at).cmp(name(known))), Some(known));
            }
        }
    }

    #[test]
    fn a_map_takes_names_one_by_one_and_many_at_once() {
        let names: Vec<String> = (0..900u32).map(|n| n.wrapping_mul(2_654_435_761).to_string()).collect();
        let mut map = NameMap::default();
        let mut at = 0;
        for (one, many) in [(0, 100), (20, 1), (3, 400), (40, 0), (1, 300)] {
            for name in &names[at..at + one] {
                assert_eq!(map.add(name, at), None);
                at += 1;
            }
            map.add_all(&mut names[at..at + many].iter().map(String::as_str), at);
            at += many;
            for (place, name) in names.iter().enumerate() {
                assert_eq!(map.get(name), Some(place).filter(|place| *place < at));
            }
        }
        assert_eq!((map.name(0), map.name(at - 1)), (names[0].as_str(), names[at - 1].as_str()));
        assert_eq!(map.add(&names[700], 1), Some(700));
    }

    #[test]
    fn a_map_finds_free_names() {
        let mut map = NameMap::default();
        let name = |number: usize| if number == 0 { "a".to_owned() } else { format!("a{number}") };
        map.set("a2", 0);
        assert_eq!([(); 4].map(|()| map.add_free(&name)), ["a", "a1", "a3", "a4"]);
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
