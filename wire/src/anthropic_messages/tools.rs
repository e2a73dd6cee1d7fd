//! Tool declarations.

use crate::compat::{Compat, Flag};
use crate::doc::{At, Doc, Node};
use crate::request::Request;
use crate::source::names;
use crate::write::Writer;

/// Keywords that strict mode refuses here beyond what it refuses everywhere (PROVIDERS 4.1).
pub(super) const REFUSED: &[u8] = names![
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
];

static NOTHING: Node<'static> = Node::of("{}");
static NOBODY: Node<'static> = Node::of("[]");

/// Writes `tools`. `marker` is for the last one.
pub(super) fn write(out: &mut Writer, request: &Request<'_>, compat: &Compat<'_>, marker: At<'_>) {
    out.put(r#""tools":["#);
    for (index, tool) in request.tools.iter().enumerate() {
        out.open();
        tool.write_name(out);
        if compat.has(Flag::EagerToolInput) {
            out.put(r#""eager_input_streaming":true"#);
        }
        if tool.strict {
            out.put(r#""strict":true"#);
        }
        schema(out, &tool.schema);
        if index + 1 == request.tools.len() {
            out.member("cache_control", marker);
        }
        out.close();
    }
    out.put("]");
}

/// The root of a schema may only say what an object has; alternatives there are refused.
fn schema(out: &mut Writer, source: &str) {
    let doc = Doc::of(source);
    let root = doc.root();
    out.put(r#""input_schema":{"type":"object","properties":"#);
    out.value(root.at("properties").only(b'{').or(&NOTHING));
    out.member("required", root.at("required").only(b'[').or(&NOBODY));
    for name in ["additionalProperties", "$defs", "definitions"] {
        out.member(name, root.at(name));
    }
    out.close();
}
