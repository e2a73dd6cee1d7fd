//! Identifiers, anchors, and what references point to.

use super::compile::{Compiler, Reference};
use super::dialect::Dialect;
use super::node::{Keyword, NodeId};
use super::uri;
use crate::json::{Object, Value};
use crate::text::{number, pieces, replace};

impl<'d> Compiler<'d, '_> {
    /// Registers the identifier and anchors of a node that stands in `resource`; answers with the resource its
    /// keywords belong to.
    pub(super) fn identify(&mut self, id: NodeId, object: &'d Object, resource: u32) -> u32 {
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let Some(parent) = self.resource(resource) else {
            return resource;
        };
        let (mut current, mut base) = (resource, parent.uri.clone());
        let old = parent.dialect == Dialect::Draft7;
        // Draft 7 ignores what stands beside `$ref`.
        if let Some(name) = text("$id").filter(|_| !old || object.get("$ref").is_none()) {
            let dialect = parent.dialect.of(text("$schema"));
            let absolute = uri::resolve(name, &base);
            let (document, fragment) = uri::split_fragment(&absolute);
            if !(old && name.starts_with('#')) {
                base = document.to_owned();
                current = self.begin(document, dialect, id);
            }
            if !fragment.is_empty() {
                self.names.set(&absolute, id as usize);
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = text(keyword).filter(|_| !old) {
                self.names.set(&[&base, "#", name].concat(), id as usize);
                if keyword != "$anchor" {
                    self.dynamic.push((current, name.to_owned(), id));
                }
            }
        }
        current
    }

    /// Puts the node a reference names into its keyword. A reference that names nothing becomes a node that refuses
    /// every value and says so.
    pub(super) fn link(&mut self, reference: Reference<'d>) {
        let target = self.find(reference.text, reference.resource).unwrap_or_else(|| {
            let reason = ["the tool's schema refers to ", reference.text, ", which does not exist in it"];
            self.refusal(reason.concat())
        });
        let (_, fragment) = uri::split_fragment(reference.text);
        let dynamic = self.dynamic.iter().any(|(_, name, node)| name == fragment && *node == target);
        let node = self.nodes.get_mut(reference.node as usize);
        match node.and_then(|node| node.keywords.get_mut(reference.place)) {
            Some(Keyword::Ref(place)) => *place = target,
            // Without a dynamic anchor at its first target it is a plain reference.
            Some(keyword @ Keyword::DynamicRef(..)) if !dynamic => *keyword = Keyword::Ref(target),
            Some(Keyword::DynamicRef(_, fallback)) => *fallback = target,
            _ => {}
        }
    }

    fn find(&mut self, reference: &str, resource: u32) -> Option<NodeId> {
        let from = self.resource(resource)?;
        let (absolute, dialect) = (uri::resolve(reference, &from.uri), from.dialect);
        let (document, fragment) = uri::split_fragment(&absolute);
        let fragment = uri::percent_decoded(fragment)?;
        let root = match self.names.get(document) {
            Some(node) => node as NodeId,
            None => {
                let documents = self.options.documents;
                let given = |(name, _): &&(&str, &Value)| uri::split_fragment(name).0 == document;
                let (_, value) = documents.iter().find(given)?;
                self.document(value, document, dialect)
            }
        };
        if fragment.is_empty() {
            return Some(root);
        }
        if fragment.starts_with('/') {
            return self.pointer(root, &fragment);
        }
        // A document that was just added has not been read, and its anchors not met.
        self.read_all();
        let name = [document, "#", &fragment].concat();
        self.names.get(&name).map(|node| node as NodeId)
    }

    /// JSON Pointer (RFC 6901) from the root of a resource. It may lead to places that are no keyword's, where an
    /// unknown keyword keeps its schemas.
    fn pointer(&mut self, root: NodeId, pointer: &str) -> Option<NodeId> {
        let mut value = *self.sources.get(root as usize)?;
        self.read_all();
        let mut resource = self.nodes.get(root as usize)?.resource;
        for segment in pieces(pointer, b'/').into_iter().skip(1) {
            let name = replace(&replace(segment, "~1", "/"), "~0", "~");
            value = match value {
                Value::Object(object) => object.get(&name)?,
                Value::Array(items) => items.get(number(&name)? as usize)?,
                _ => return None,
            };
            let address = std::ptr::from_ref(value) as usize as u64;
            if let Some(node) = self.numbers.get(address) {
                resource = self.nodes.get(node as usize)?.resource;
            }
        }
        Some(self.node(value, resource))
    }
}
