//! [`Model`]: what is asked, as an application describes it.

use steersman_wire::json::{self, Object, Value};

use crate::error::{Error, ErrorKind};

/// A model: `id`, `api`, `provider`, `baseUrl`, window, prices and flags, kept as the JSON object of the JavaScript
/// API so that every flag a wire knows can be given.
#[derive(Clone)]
pub struct Model(Object);

impl Model {
    /// A model of an OpenAI-compatible server with the usual limits of models nobody has described: a window of 128,000
    /// tokens, answers of at most 16,384. Change them with [`Model::with`] (`contextWindow`, `maxTokens`).
    pub fn openai_compatible(base_url: &str, id: &str) -> Self {
        let mut fields = Object::new();
        for (key, value) in [
            ("id", id),
            ("name", id),
            ("api", "openai-completions"),
            ("provider", "openai-compatible"),
            ("baseUrl", base_url),
        ] {
            fields.insert(key, Value::String(value.into()));
        }
        Model(fields).with("contextWindow", 128_000).with("maxTokens", 16_384)
    }

    /// Stands in until the application chooses a model; requests with it fail.
    pub fn unknown() -> Self {
        Model(["id", "name", "api", "provider"].into_iter().map(|field| (field, "unknown")).collect())
    }

    /// A model from the JSON object of the JavaScript API.
    ///
    /// # Errors
    /// Not JSON, or not an object.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        match json::parse(text) {
            Ok(Value::Object(fields)) => Ok(Model(fields)),
            Ok(_) => Err(Error::new(ErrorKind::InvalidRequest, "a model is a JSON object")),
            Err(error) => Err(Error::new(ErrorKind::InvalidRequest, format!("the model is not JSON: {error}"))),
        }
    }

    /// Set a field, for instance `contextWindow` or `compat`.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field, value);
        self
    }

    /// A text field; empty when it is missing or no text.
    pub fn text(&self, field: &str) -> &str {
        match self.0.get(field) {
            Some(Value::String(text)) => text,
            _ => "",
        }
    }

    /// All fields.
    pub fn fields(&self) -> &Object {
        &self.0
    }
}
