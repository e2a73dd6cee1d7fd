//! Which draft and which vocabularies a schema resource is written in.

use crate::json::Value;

/// Vocabularies of 2020-12 that the specification defines.
const VOCABULARIES: &str = "https://json-schema.org/draft/2020-12/vocab/";

/// How to read the keywords of a resource.
#[derive(Clone, Default)]
pub(super) struct Dialect {
    /// Draft 7 or older.
    pub draft7: bool,
    /// Older than 2020-12, which brought `prefixItems`.
    pub old_tuples: bool,
    /// Whether the keywords of the validation vocabulary count.
    pub assertions: bool,
    /// Whether `format` is checked.
    pub formats: bool,
    /// Why nothing written in it can be trusted to mean what it says.
    pub refused: Option<Box<str>>,
}

impl Dialect {
    pub fn of_draft(draft7: bool, formats: bool) -> Self {
        Self { draft7, old_tuples: draft7, assertions: true, formats, refused: None }
    }

    /// The dialect of a resource that stands in this one: its own `$schema`, else the same.
    pub fn declared_in(&self, resource: &Value, documents: &[(&str, &Value)]) -> Self {
        let Some(name) = resource.get("$schema").and_then(Value::as_str) else {
            return self.clone();
        };
        let name = name.trim_end_matches('#');
        if let Some((_, after)) = name.split_once("//json-schema.org/") {
            let old = ["draft-07/", "draft-06/", "draft-05/", "draft-04/", "draft-03/"];
            let draft7 = old.iter().any(|draft| after.starts_with(draft));
            return Self {
                old_tuples: draft7 || after.starts_with("draft/2019-09/"),
                ..Self::of_draft(draft7, self.formats)
            };
        }
        let given = documents.iter().find(|(uri, _)| *uri == name);
        match given {
            Some((_, meta)) => self.of_meta_schema(meta),
            None => Self {
                refused: Some(["the tool's schema is written in the unsupported dialect ", name].concat().into()),
                ..self.clone()
            },
        }
    }

    /// A custom meta-schema counts for the vocabularies it declares, no more.
    fn of_meta_schema(&self, meta: &Value) -> Self {
        let mut dialect = Self::of_draft(false, self.formats);
        let Some(vocabularies) = meta.get("$vocabulary").and_then(Value::as_object) else {
            return dialect;
        };
        dialect.assertions = false;
        for (uri, required) in vocabularies.iter() {
            match uri.strip_prefix(VOCABULARIES) {
                Some("validation") => dialect.assertions = true,
                Some("format-assertion") => dialect.formats = true,
                Some(_) => {}
                None if required == &Value::Bool(true) => {
                    let reason = ["the tool's schema needs the unsupported vocabulary ", uri];
                    dialect.refused = Some(reason.concat().into());
                }
                None => {}
            }
        }
        dialect
    }
}
