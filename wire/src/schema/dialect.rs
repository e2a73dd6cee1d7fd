//! Which draft a schema resource is written in.

/// The drafts as far as they differ here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Draft 7 and older.
    Draft7,
    Draft2019,
    Draft2020,
    /// Nothing written in it can be trusted to mean what it says.
    Unknown,
}

impl Dialect {
    /// The dialect of a resource that stands in this one: its own `$schema` (`schema`), else the same. Meta-schemas of others,
    /// with vocabularies of their own, are unknown.
    pub fn of(self, schema: Option<&str>) -> Self {
        let Some(name) = schema else {
            return self;
        };
        let name = name.strip_prefix("https").or(name.strip_prefix("http")).unwrap_or(name);
        match name.strip_prefix("://json-schema.org/") {
            Some(rest) if rest.starts_with("draft-0") => Self::Draft7,
            Some(rest) if rest.starts_with("draft/2019") => Self::Draft2019,
            Some(_) => Self::Draft2020,
            None => Self::Unknown,
        }
    }
}
