//! "Did you mean": the closest known name for one that is nearly right.

/// The known name closest to `name`: the same but for case and separators, or at most a third of its characters
/// (at most three) changed, added, dropped or swapped.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = letters(name);
    let limit = (wanted.len() / 3).min(3);
    let distances = known.map(|candidate| (distance(&wanted, &letters(candidate), limit), candidate));
    let close = distances.filter(|(distance, _)| *distance <= limit);
    close.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// `oldText`, `old_text` and `old-text` are the same name to a model. Only the first characters count.
fn letters(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).take(64).collect()
}

/// Edit distance with swaps of neighbours; above `limit` only that it is above.
fn distance(left: &[char], right: &[char], limit: usize) -> usize {
    if left.len().abs_diff(right.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, l) in left.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, r) in right.iter().enumerate() {
            let at = |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut best = at(&above, column) + usize::from(l != r);
            best = best.min(at(&above, column + 1) + 1).min(at(&line, column) + 1);
            let swapped = row > 0 && column > 0 && left.get(row - 1) == Some(r) && right.get(column - 1) == Some(l);
            if swapped {
                best = best.min(at(&before, column - 1) + 1);
            }
            line.push(best);
        }
        before = std::mem::replace(&mut above, line);
    }
    above.last().copied().unwrap_or(usize::MAX)
}
