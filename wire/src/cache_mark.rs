//! Cache markers of the Anthropic kind: what up to them was read may be kept.

use crate::doc::{At, Node};
use crate::request::Retention;
use crate::write::Writer;

/// The marker; absent where nothing is to be kept. `long`: whether the host keeps prompts for an hour.
pub(crate) fn cache_control(retention: Retention, long: bool) -> At<'static> {
    static LONG: Node<'static> = Node::of(r#"{"type":"ephemeral","ttl":"1h"}"#);
    static SHORT: Node<'static> = Node::of(r#"{"type":"ephemeral"}"#);
    match retention {
        Retention::None => At::default(),
        Retention::Long if long => &LONG,
        _ => &SHORT,
    }
}

/// Where something stands that could carry a marker.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    /// Where a string begins, its quote included; 0 for a content part.
    pub start: usize,
    /// Where string or part end, quote or brace included; 0 for nothing.
    pub end: usize,
}

/// Puts a marker on content that is already written; it stands near the end, so little has to move.
pub(crate) fn insert_marker(out: &mut Writer, mark: Mark, marker: At<'_>) {
    if marker.is_absent() || mark.end == 0 {
        return;
    }
    let member = [",\"cache_control\":", marker.span()].concat();
    if mark.start == 0 {
        return out.insert(mark.end - 1, &member);
    }
    out.insert(mark.end, &[&member, "}]"].concat());
    out.insert(mark.start, r#"[{"type":"text","text":"#);
}
