//! Cache markers of the Anthropic kind: what up to them was read may be kept.

use crate::request::Retention;
use crate::write::Writer;

/// Source of the marker. `long`: whether the host keeps prompts for an hour.
pub(crate) fn cache_control(retention: Retention, long: bool) -> Option<&'static str> {
    match retention {
        Retention::None => None,
        Retention::Long if long => Some(r#"{"type":"ephemeral","ttl":"1h"}"#),
        _ => Some(r#"{"type":"ephemeral"}"#),
    }
}

/// Where something stands that could carry a marker.
#[derive(Clone, Copy)]
pub(crate) enum Mark {
    /// A string from here to there, quotes included.
    String(usize, usize),
    /// A content part that ends here, its brace included.
    Part(usize),
}

/// Puts a marker on content that is already written; it stands near the end, so little has to move.
pub(crate) fn insert_marker(out: &mut Writer, mark: Option<Mark>, marker: Option<&str>) {
    let (Some(mark), Some(marker)) = (mark, marker) else { return };
    let member = [",\"cache_control\":", marker].concat();
    match mark {
        Mark::Part(end) => out.insert(end.saturating_sub(1), &member),
        Mark::String(start, end) => {
            out.insert(end, &[&member, "}]"].concat());
            out.insert(start, r#"[{"type":"text","text":"#);
        }
    }
}
