//! From a schema document to numbered nodes.

use super::dialect::Dialect;
use super::memo::Memo;
use super::node::{Keyword, Node, NodeId, FALSE, TRUE};
use super::values::Values;
use super::{keywords, uri, Draft, Options, Schema, SchemaError};
use crate::json::Value;
use crate::order::NameMap;

/// Node numbers stay far below what the tables of a run can tell apart.
const MAX_NODES: usize = 1 << 20;

/// A schema and its parts are read with a list of what is left to read, so depth costs no stack; references are
/// linked when everything that can have a name is known.
pub(super) fn compile(document: &Value, options: &Options) -> Result<Schema, SchemaError> {
    if !matches!(document, Value::Object(_) | Value::Bool(_)) {
        return Err(SchemaError::NotASchema);
    }
    let mut compiler = Compiler {
        nodes: Vec::new(),
        sources: Vec::new(),
        numbers: Memo::default(),
        resources: Vec::new(),
        names: NameMap::default(),
        constants: Values::new(),
        dynamic: Vec::new(),
        unread: Vec::new(),
        unlinked: Vec::new(),
        options,
    };
    // TRUE and FALSE.
    compiler.add(Vec::new(), document);
    compiler.add(vec![Keyword::Never("no value is allowed here".to_owned())], document);
    let dialect = match options.draft {
        Draft::V7 => Dialect::Draft7,
        Draft::V2020_12 => Dialect::Draft2020,
    };
    let root = compiler.document(document, uri::DEFAULT_BASE, dialect);
    loop {
        if compiler.nodes.len() > MAX_NODES {
            return Err(SchemaError::TooLarge);
        }
        compiler.read_all();
        match compiler.unlinked.pop() {
            Some(reference) => compiler.link(reference),
            None if compiler.unread.is_empty() => break,
            None => {}
        }
    }
    Ok(Schema {
        nodes: compiler.nodes,
        root,
        constants: compiler.constants,
        dynamic: compiler.dynamic,
        profile: options.profile,
    })
}

/// A part of a document with an identifier of its own, or a whole document.
pub(super) struct Resource {
    /// Absolute, without fragment.
    pub uri: String,
    pub dialect: Dialect,
}

/// A reference to link: the keyword at `place` in `node`.
pub(super) struct Reference<'d> {
    pub node: NodeId,
    pub place: usize,
    pub text: &'d str,
    pub resource: u32,
}

pub(super) struct Compiler<'d, 'o> {
    pub nodes: Vec<Node>,
    /// What each node was made from.
    pub sources: Vec<&'d Value>,
    /// Address of a subschema to its node.
    pub numbers: Memo,
    pub resources: Vec<Resource>,
    /// Node by URI, anchors as its fragment.
    pub names: NameMap,
    pub constants: Values,
    pub dynamic: Vec<(u32, String, NodeId)>,
    unread: Vec<NodeId>,
    pub unlinked: Vec<Reference<'d>>,
    pub options: &'o Options<'d>,
}

impl<'d> Compiler<'d, '_> {
    /// Adds a whole document under a URI; `dialect` holds unless its `$schema` says otherwise.
    pub fn document(&mut self, value: &'d Value, uri: &str, dialect: Dialect) -> NodeId {
        let root = self.node(value, self.resources.len() as u32);
        self.begin(uri, dialect.of(value.get("$schema").and_then(Value::as_str)), root);
        root
    }

    /// Adds a resource whose root is a node.
    pub fn begin(&mut self, uri: &str, dialect: Dialect, root: NodeId) -> u32 {
        self.names.set(uri, root as usize);
        self.resources.push(Resource { uri: uri.to_owned(), dialect });
        (self.resources.len() - 1) as u32
    }

    /// The node of a subschema, to be read later unless it is known already.
    pub fn node(&mut self, value: &'d Value, resource: u32) -> NodeId {
        match value {
            Value::Bool(true) => TRUE,
            Value::Bool(false) => FALSE,
            Value::Object(_) => {
                let address = std::ptr::from_ref(value) as usize as u64;
                if let Some(known) = self.numbers.get(address) {
                    return known;
                }
                let id = self.add(Vec::new(), value);
                if let Some(node) = self.nodes.get_mut(id as usize) {
                    node.resource = resource;
                }
                self.numbers.set(address, id);
                self.unread.push(id);
                id
            }
            _ => self.refusal("the tool's schema has something here that is not a schema".into()),
        }
    }

    /// A node that accepts no value, for a reason the model and the developer get to read.
    pub fn refusal(&mut self, reason: String) -> NodeId {
        // Only a node that was read has a source that matters.
        match self.sources.first() {
            Some(&any) => self.add(vec![Keyword::Never(reason)], any),
            None => FALSE,
        }
    }

    pub fn resource(&self, number: u32) -> Option<&Resource> {
        self.resources.get(number as usize)
    }

    fn add(&mut self, keywords: Vec<Keyword>, source: &'d Value) -> NodeId {
        self.nodes.push(Node { keywords, resource: 0 });
        self.sources.push(source);
        (self.nodes.len() - 1) as NodeId
    }

    /// Reads every node met so far, so that all their names are known.
    pub fn read_all(&mut self) {
        while let Some(id) = self.unread.pop() {
            self.read(id);
            if self.nodes.len() > MAX_NODES {
                self.unread.clear();
            }
        }
    }

    /// Reads the keywords of a node.
    fn read(&mut self, id: NodeId) {
        let source = self.sources.get(id as usize).and_then(|value| value.as_object());
        let (Some(object), Some(node)) = (source, self.nodes.get(id as usize)) else {
            return;
        };
        let resource = self.identify(id, object, node.resource);
        let keywords = keywords::read(self, id, object, resource);
        if let Some(node) = self.nodes.get_mut(id as usize) {
            *node = Node { keywords, resource };
        }
    }
}
