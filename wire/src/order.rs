//! Sorting in one copy of code. The standard library's sort is compiled anew for every type and comparison, about 8 kB
//! of WebAssembly each.

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

fn merge(
    left: &[usize],
    right: &[usize],
    into: &mut Vec<usize>,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) {
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
}
