//! Tool declarations.

use crate::compat::{Compat, Flag};
use crate::doc::Doc;
use crate::request::Request;
use crate::write::Writer;

/// Keywords that strict mode refuses here beyond what it refuses everywhere (PROVIDERS 4.1).
pub(super) const REFUSED: [&str; 9] = [
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

/// Writes `tools`. `marker` is the source of a cache marker for the last one.
pub(super) fn write(out: &mut Writer, request: &Request<'_>, compat: &Compat<'_>, marker: Option<&str>) {
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
    out.raw(root.source("properties", b'{').unwrap_or("{}"));
    out.key("required").raw(root.source("required", b'[').unwrap_or("[]"));
    for name in ["additionalProperties", "$defs", "definitions"] {
        let value = root.at(name).span();
        if !value.is_empty() {
            out.key(name).raw(value);
        }
    }
    out.close();
}
