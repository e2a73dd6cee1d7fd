//! Tool declarations.

use crate::doc::At;
use crate::request::Request;
use crate::write::Writer;

/// Writes `tools`. `strict_mode`: whether the host knows about that. `flat` is for an API that has type and members of a
/// tool in one object; `marker` is for the last one.
pub(crate) fn write(out: &mut Writer, request: &Request<'_>, strict_mode: bool, flat: bool, marker: At<'_>) {
    out.put(r#""tools":["#);
    for (index, tool) in request.tools.iter().enumerate() {
        let grammar = !tool.syntax.is_empty();
        let kind = if grammar { "custom" } else { "function" };
        out.put(r#"{"type":"#).string(kind);
        if !flat {
            out.key(kind).open();
        }
        tool.write_name(out);
        if grammar {
            out.put(if flat { r#""format":{"type":"grammar""# } else { r#""format":{"type":"grammar","grammar":{"# });
            out.key("syntax").string(tool.syntax);
            out.member("definition", tool.definition);
            out.put(if flat { "}" } else { "}}" });
        } else {
            out.key("parameters").raw(&tool.schema);
            if strict_mode {
                out.key("strict").bool(tool.strict);
            }
        }
        if !flat {
            out.close();
        }
        if index + 1 == request.tools.len() {
            out.member("cache_control", marker);
        }
        out.close();
    }
    out.put("]");
}
