//! Tools: what an application implements so that the model can act.

use std::future::Future;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use steersman_wire::json::{Object, Value};

use super::message::{Content, ToolDeclaration, Usage};
use crate::abort::Abort;
use crate::error::Error;

/// A tool. What `execute` fails with becomes an error result that the model sees; the run goes on.
pub trait Tool {
    /// What the model is told.
    fn declaration(&self) -> &ToolDeclaration;

    /// Whether a batch with a call of this tool must run one call after the other.
    fn sequential(&self) -> bool {
        false
    }

    /// Repair arguments before they are validated (an older name, a missing list).
    ///
    /// # Errors
    /// Becomes the call's error result.
    fn prepare_arguments(&self, arguments: Value) -> Result<Value, Error> {
        Ok(arguments)
    }

    /// Run a call. Cannot be cut short: look at `context.abort` when it takes long.
    fn execute<'a>(&'a self, args: Value, context: ToolContext) -> LocalBoxFuture<'a, Result<ToolOutput, Error>>;
}

/// What a running tool knows of its call.
#[derive(Clone)]
pub struct ToolContext {
    /// The call's id.
    pub id: String,
    /// Exact text of the arguments, where numbers have more digits than a double keeps.
    pub arguments_text: Option<String>,
    /// Whether the run was aborted.
    pub abort: Abort,
    pub(crate) updates: Rc<dyn Fn(Rc<ToolOutput>)>,
}

impl ToolContext {
    /// Report progress to the listeners. Ignored once the tool has ended.
    pub fn update(&self, partial: ToolOutput) {
        (self.updates)(Rc::new(partial));
    }
}

/// What a tool gives back.
#[derive(Clone, Default)]
pub struct ToolOutput {
    /// Text and images for the model.
    pub content: Vec<Content>,
    /// For the application only.
    pub details: Option<Value>,
    /// Machine-readable result for programs; the model does not see it.
    pub structured_content: Option<Value>,
    /// A failure reported without an error: the model sees `content` as an error result.
    pub is_error: bool,
    /// End the run after this batch, if every result of the batch says so.
    pub terminate: bool,
    /// Tokens the tool itself used.
    pub usage: Option<Usage>,
    /// Anything else for listeners of `tool_execution_end`, under its JavaScript name; it does not enter the transcript.
    pub extra: Object,
}

impl ToolOutput {
    /// One text.
    pub fn text(text: impl Into<String>) -> Self {
        let details = Some(Value::Object(Object::new()));
        ToolOutput { content: vec![Content::text(text)], details, ..ToolOutput::default() }
    }
}

/// A tool made of a function; see [`tool_fn`].
pub struct ToolFn<F> {
    declaration: ToolDeclaration,
    sequential: bool,
    run: F,
}

/// A tool from a name, a description for the model, the JSON Schema of its arguments and an async function.
pub fn tool_fn<F, R>(name: &str, description: &str, parameters: Value, run: F) -> ToolFn<F>
where
    F: Fn(Value, ToolContext) -> R,
    R: Future<Output = Result<ToolOutput, Error>>,
{
    let declaration = ToolDeclaration {
        name: name.into(),
        description: description.into(),
        parameters,
        ..ToolDeclaration::default()
    };
    ToolFn { declaration, sequential: false, run }
}

impl<F> ToolFn<F> {
    /// Batches with a call of this tool run one call after the other.
    #[must_use]
    pub fn one_at_a_time(self) -> Self {
        ToolFn { sequential: true, ..self }
    }
}

impl<F, R> Tool for ToolFn<F>
where
    F: Fn(Value, ToolContext) -> R,
    R: Future<Output = Result<ToolOutput, Error>> + 'static,
{
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn sequential(&self) -> bool {
        self.sequential
    }

    fn execute<'a>(&'a self, args: Value, context: ToolContext) -> LocalBoxFuture<'a, Result<ToolOutput, Error>> {
        Box::pin((self.run)(args, context))
    }
}
