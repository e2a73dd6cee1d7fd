//! Where a conversation is cut: what stays as it is, and what becomes a summary (COMPACTION 5).

use std::borrow::Cow;

use steersman_wire::json::Value;

use super::context::Selection;
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
        places.extend(path.iter().take(end).skip(start).map(|&position| self.place(&selection, position)));
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
        selection.project(position, &mut |message: Cow<'_, Value>| {
            let role = text(&message, "role");
            place.speaks = true;
            place.tokens += estimate(&message);
            place.starts_turn = matches!(role, "user" | "bashExecution" | "custom" | "branchSummary");
            place.may_cut = place.starts_turn || matches!(role, "assistant" | "compactionSummary");
        });
        place.hidden = kind == "message" && !place.speaks;
        place
    }
}

fn find(places: &[Place], start: usize, keep: f64) -> Cut {
    let cuts = |place: &(usize, &Place)| place.1.may_cut;
    let all = || places.iter().enumerate().skip(start);
    let Some((first_cut, _)) = all().find(cuts) else {
        return Cut { first_kept: start, split_turn: None };
    };
    let mut sum = 0.0;
    let reached = all().rev().find(|(_, place)| {
        sum += place.tokens;
        place.speaks && sum >= keep
    });
    let chosen = match reached {
        None => first_cut,
        Some((reached, _)) => {
            let after = all().skip(reached.saturating_sub(start)).find(cuts);
            after.or_else(|| all().rev().find(cuts)).map_or(first_cut, |(at, _)| at)
        }
    };
    let at = |place: usize| places.get(place).copied().unwrap_or_default();
    let rest = || places.iter().skip(chosen + 1);
    // Nothing but a hidden attempt after an input: the input itself was too long, so it is summarised too.
    let failed = rest().all(|place| place.hidden || place.is_edit) && rest().any(|place| place.hidden);
    if failed && at(chosen).starts_turn {
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
