//! Where a conversation is cut: what stays as it is, and what becomes a summary (COMPACTION 5).

use super::context::{ContextMessage, Selection};
use super::read::text;
use super::tokens::estimate;
use super::tree::SessionTree;

/// A cut through a path, by places on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The first entry that stays.
    pub first_kept: usize,
    /// Where the turn begins that the cut goes through.
    pub split_turn: Option<usize>,
}

/// What there is to know about an entry of the path.
#[derive(Clone, Copy, Default)]
struct Place {
    tokens: f64,
    /// Whether it says something to the model.
    speaks: bool,
    /// Whether the part that stays may begin here.
    may_cut: bool,
    starts_turn: bool,
    is_compaction: bool,
    /// Whether an edit hides it, or it is one.
    hidden: bool,
    is_edit: bool,
}

impl SessionTree {
    /// The cut of a part of a path (`start..end`, by place) that keeps about `keep` tokens.
    pub fn cut(&self, path: &[usize], start: usize, end: usize, keep: f64) -> Cut {
        let selection = self.selection(path);
        // What lies before the part is not looked into.
        let mut places = vec![Place::default(); start.min(end)];
        for &position in path.get(start..end.min(path.len())).unwrap_or_default() {
            places.push(self.place(&selection, position));
        }
        find(&places, start, keep)
    }

    fn place(&self, selection: &Selection<'_>, position: usize) -> Place {
        let entry = self.value_at(position);
        let kind = text(entry, "type");
        let mut place =
            Place { is_compaction: kind == "compaction", is_edit: kind == "context_edit", ..Place::default() };
        if place.is_compaction {
            return place;
        }
        let mut messages = Vec::new();
        selection.project(position, &mut messages);
        for ContextMessage { message, .. } in &messages {
            let role = text(message, "role");
            place.speaks = true;
            place.tokens += estimate(message);
            place.starts_turn = matches!(role, "user" | "bashExecution" | "custom" | "branchSummary");
            place.may_cut = place.starts_turn || matches!(role, "assistant" | "compactionSummary");
        }
        place.hidden = kind == "message" && !place.speaks;
        place
    }
}

fn find(places: &[Place], start: usize, keep: f64) -> Cut {
    let at = |place: usize| places.get(place).copied().unwrap_or_default();
    let mut cuts = start..places.len();
    let Some(first_cut) = cuts.find(|&place| at(place).may_cut) else {
        return Cut { first_kept: start, split_turn: None };
    };
    // Back until there is enough: the cut is right there or after it, else it is the last one.
    let (mut sum, mut place) = (0.0, places.len());
    let mut chosen = None;
    loop {
        if place <= start {
            chosen = Some(first_cut);
            break;
        }
        place -= 1;
        let here = at(place);
        if here.may_cut {
            chosen = Some(place);
        }
        sum += here.tokens;
        if here.speaks && sum >= keep {
            break;
        }
    }
    let last_cut = || (start..place).rev().find(|&place| at(place).may_cut);
    let chosen = chosen.or_else(last_cut).unwrap_or(first_cut);
    // Nothing but a hidden attempt after an input: the input itself was too long, so it is summarised too.
    if at(chosen).starts_turn && failed(places.get(chosen + 1..).unwrap_or_default()) {
        return Cut { first_kept: chosen + 1, split_turn: None };
    }
    let mut first_kept = chosen;
    while first_kept > start && !at(first_kept - 1).speaks && !at(first_kept - 1).is_compaction {
        first_kept -= 1;
    }
    let split_turn = match at(chosen).starts_turn {
        true => None,
        false => (start..chosen).rev().find(|&place| at(place).starts_turn),
    };
    Cut { first_kept, split_turn }
}

/// Whether something was tried, and all of it is hidden.
fn failed(places: &[Place]) -> bool {
    let mut any = false;
    for place in places {
        if !place.hidden && !place.is_edit {
            return false;
        }
        any |= place.hidden;
    }
    any
}
