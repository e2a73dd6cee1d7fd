//! From a model, a context and options to an HTTP request.

use crate::anthropic_messages;
use crate::context::{Context, Tool};
use crate::estimate::clamp_max_tokens;
use crate::google_generative_ai;
use crate::http::{Headers, HttpRequest, WireError};
use crate::json::{Kind, Reader};
use crate::literal::{clean, Literal};
use crate::mistral_conversations;
use crate::model::{Level, Model};
use crate::openai_completions;
use crate::openai_responses;
use crate::pi_messages;
use crate::read::{self, Read};
use crate::strict_schema;
use crate::text::{around, has, json_fault};
use crate::write::Writer;
use std::borrow::Cow;

/// Builds the request for one answer.
///
/// `input` is a JSON object `{ model, context, options }` in UTF-8, as `JSON.stringify` makes it of pi's `Model`,
/// `Context` (`systemPrompt`, `tools`, `messages`) and `SimpleStreamOptions`. The options read here are `apiKey`,
/// `headers` (null suppresses), `temperature`, `maxTokens`, `reasoning`, `thinkingBudgets`, `toolChoice`, `sessionId`,
/// `cacheRetention`, `metadata`, `samplingParams` and `responseSchema`.
///
/// Texts and schemas are copied from the input into the body without being parsed; lone surrogates are dropped.
///
/// # Errors
/// `invalid_request` when the input is not such an object, `unsupported` when no built-in wire speaks `model.api` or a
/// tool demands what the provider cannot do.
pub fn request(input: &[u8]) -> Result<HttpRequest, WireError> {
    let text = std::str::from_utf8(input).map_err(|_| WireError::invalid("The request is not valid UTF-8."))?;
    let mut request = Request::read(text)
        .map_err(|error| WireError::invalid(json_fault("The request is not valid JSON: ", &error)))?;
    request.answer_by_tool();
    match request.model.api.as_ref() {
        google_generative_ai::API => google_generative_ai::request(request),
        openai_completions::API => openai_completions::request(request),
        anthropic_messages::API => anthropic_messages::request(request),
        mistral_conversations::API => mistral_conversations::request(request),
        pi_messages::API => pi_messages::request(request),
        openai_responses::API => openai_responses::request(request),
        "" => Err(WireError::invalid("The model has no api.")),
        api => Err(WireError::no_wire(api)),
    }
}

/// A request as it was read.
#[derive(Default)]
pub(crate) struct Request<'a> {
    pub model: Model<'a>,
    pub context: Context<'a>,
    pub options: Options<'a>,
    /// Source of the model.
    source: &'a str,
    /// Source of all of it, for a wire that passes parts on as they are.
    pub input: &'a str,
}

/// Options of one answer.
#[derive(Default)]
pub(crate) struct Options<'a> {
    pub api_key: Option<Cow<'a, str>>,
    pub headers: Vec<(Cow<'a, str>, Option<Cow<'a, str>>)>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<f64>,
    pub reasoning: Option<Level>,
    pub thinking_budgets: [Option<f64>; 7],
    /// Source.
    pub tool_choice: Option<&'a str>,
    pub session_id: Option<Literal<'a>>,
    pub retention: Retention,
    /// Source of an object.
    pub metadata: Option<&'a str>,
    /// Source of an object.
    pub sampling: Option<&'a str>,
    /// The host wants to see the provider's events too.
    pub echo: bool,
    /// Source of the JSON Schema that the answer must fit.
    pub response_schema: Option<&'a str>,
    /// The answer comes as arguments of [`ANSWER_TOOL`].
    by_tool: bool,
}

/// How long the provider should keep the prompt cached.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Retention {
    None,
    #[default]
    Short,
    Long,
}

/// Takes the answer where a provider has no other way to give it a form. What it is called with becomes the text.
pub(crate) const ANSWER_TOOL: &str = "structured_answer";
const ANSWER_TOOL_SPAN: &str = "\"structured_answer\"";
const ANSWER_TOOL_TEXT: &str = "\"Gives the final answer. Call it once everything else is done.\"";

/// Hosts of Chat Completions that refuse a schema for the answer.
const WITHOUT_SCHEMAS: [&str; 4] = ["deepseek", "z.ai", "zai", "moonshot"];

/// Tokens always left for the answer where thinking and answer share one limit.
const ANSWER_TOKENS: f64 = 1024.0;

impl<'a> Request<'a> {
    fn read(text: &'a str) -> Read<Self> {
        let mut request = Self { source: "{}", input: text, ..Self::default() };
        let mut reader = Reader::new(text);
        read::members(&mut reader, |key, reader| {
            match key {
                "model" => {
                    request.source = read::span(reader, Kind::Object)?.unwrap_or("{}");
                    request.model = Model::read(&mut Reader::new(request.source))?;
                }
                "context" => request.context = Context::read(reader)?,
                "options" => request.options = Options::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.finish()?;
        Ok(request)
    }

    /// Lets a model whose host takes no schema for the answer call a tool with it.
    fn answer_by_tool(&mut self) {
        let (schema, model) = (self.options.response_schema, &self.model);
        let id = |part: &str| has(&model.id, part);
        let takes_schemas = model.takes_schemas.unwrap_or_else(|| match model.api.as_ref() {
            google_generative_ai::API => {
                self.context.tools.list.is_empty() || google_generative_ai::takes_form_beside_tools(&model.id)
            }
            anthropic_messages::API => !id("claude-3") && !id("-4-0") && !id("-4-2025"),
            openai_completions::API => {
                !WITHOUT_SCHEMAS.iter().any(|host| has(&model.base_url, host) || model.provider == *host)
            }
            _ => true,
        });
        // pi's own protocol leaves that to the server.
        if schema.is_none() || takes_schemas || model.api == pi_messages::API {
            return;
        }
        // Another tool may come first, but some tool must. Claude does not take that together with thinking.
        let free = model.api == anthropic_messages::API && self.level().is_some();
        let word = if model.api.starts_with("openai") { "\"required\"" } else { "\"any\"" };
        self.options.tool_choice = Some(word).filter(|_| !free);
        self.options.response_schema = None;
        self.options.by_tool = true;
        self.context.tools.list.push(Tool {
            name: Literal::of_span(ANSWER_TOOL_SPAN),
            description: Some(Literal::of_span(ANSWER_TOOL_TEXT)),
            parameters: schema,
            sampling: Some("{}"),
        });
    }

    /// The level asked for, as the model has it; `None` for no thinking.
    pub fn level(&self) -> Option<Level> {
        let level = self.options.reasoning.map(|level| self.model.clamp_level(level));
        level.filter(|level| *level != Level::Off)
    }

    /// The largest answer to ask for, in tokens.
    pub fn max_tokens(&self) -> f64 {
        let wanted = self.options.max_tokens.unwrap_or(self.model.max_tokens);
        clamp_max_tokens(&self.model, &self.context, wanted)
    }

    /// Tokens to think with at a level, below a limit shared with the answer; `None` when nothing is left.
    pub fn thinking_budget(&self, level: Level, ceiling: f64) -> Option<f64> {
        let level = level.min(Level::High);
        let usual = match level {
            Level::Off | Level::Minimal => 1024.0,
            Level::Low => 2048.0,
            Level::Medium => 8192.0,
            _ => 16384.0,
        };
        let budget = self.options.thinking_budgets.get(level as usize).copied().flatten().unwrap_or(usual);
        Some(budget.min((ceiling - ANSWER_TOKENS).max(0.0))).filter(|budget| *budget > 0.0)
    }

    /// Parameters that go into the body as they are and win over everything else there: the model's, those of the
    /// thinking level, the caller's, later ones over earlier ones. Name and source of each.
    pub fn sampling(&self) -> Read<Vec<(String, &'a str)>> {
        let level = self.level().unwrap_or(self.model.clamp_level(Level::Off));
        let mut by_level = None;
        if let Some(source) = self.model.sampling_by_level {
            read::members(&mut Reader::new(source), |key, reader| {
                let span = read::span(reader, Kind::Object)?;
                if key == level.name() {
                    by_level = span;
                }
                Ok(())
            })?;
        }
        let mut merged: Vec<(String, &'a str)> = Vec::new();
        for source in [self.model.sampling, by_level, self.options.sampling].into_iter().flatten() {
            read::members(&mut Reader::new(source), |key, reader| {
                let value = reader.raw()?;
                match merged.iter_mut().find(|param| param.0 == key) {
                    Some(param) => param.1 = value,
                    None => merged.push((key.to_owned(), value)),
                }
                Ok(())
            })?;
        }
        Ok(merged)
    }

    /// The fewest headers of a host that takes a bearer token (PROVIDERS 2).
    pub fn bearer_headers(&self) -> Headers {
        let mut headers = Headers::default();
        headers.set("content-type", "application/json");
        headers.set("accept", "text/event-stream");
        if let Some(key) = &self.options.api_key {
            headers.set("authorization", ["Bearer ", key].concat());
        }
        headers
    }

    /// The request, once a wire has made URL, own headers and body. `grammar` names the grammar tools in it.
    pub fn finish(self, url: String, mut headers: Headers, body: String, grammar: &[(String, String)]) -> HttpRequest {
        for (name, value) in &self.model.headers {
            headers.set(name, value.as_ref());
        }
        headers.apply(&self.options.headers);
        let mut reply = Writer::default();
        reply.object(|reply| {
            reply.members_of(self.source);
            if !grammar.is_empty() {
                reply.key("grammarTools").object(|reply| {
                    grammar.iter().for_each(|(name, property)| reply.key(name).string(property));
                });
            }
            for (name, wanted) in [("echo", self.options.echo), ("answersByTool", self.options.by_tool)] {
                if wanted {
                    reply.key(name).bool(true);
                }
            }
            // Without what may be secret in it.
            reply.key("url").string(around(&url, b'?', false).map_or(url.as_str(), |parts| parts.0));
            reply.key("secrets").array(|reply| {
                headers.secrets().into_iter().for_each(|secret| reply.string(secret));
                self.options.api_key.iter().filter(|key| key.len() >= 8).for_each(|key| reply.string(key));
            });
        });
        HttpRequest {
            method: "POST",
            url,
            headers: headers.into_list(),
            body: body.into_bytes(),
            reply: reply.into_text().into_bytes(),
        }
    }
}

/// Writes the members that ask a host of OpenAI's protocols (and Mistral) for an answer that fits a schema.
pub(crate) fn response_form(out: &mut Writer, schema: &str) {
    out.key("name").string("answer");
    out.key("schema").raw(schema);
    out.key("strict").bool(strict_schema::is_strict(schema));
}

/// Writes a data URL of an image, in its escaped form.
pub(crate) fn data_url<'a>(mime: Literal<'a>, data: Literal<'a>) -> impl FnOnce(&mut String) + 'a {
    move |out| {
        out.push_str("data:");
        out.push_str(&clean(mime.inner()));
        out.push_str(";base64,");
        out.push_str(&clean(data.inner()));
    }
}

impl<'a> Options<'a> {
    fn read(reader: &mut Reader<'a>) -> Read<Self> {
        let mut options = Self::default();
        read::members(reader, |key, reader| {
            match key {
                "apiKey" => read::set(&mut options.api_key, reader)?,
                "temperature" => read::set(&mut options.temperature, reader)?,
                "maxTokens" => options.max_tokens = read::number(reader)?.filter(|tokens| *tokens > 0.0),
                "reasoning" => options.reasoning = read::text(reader)?.and_then(|level| Level::of(&level)),
                "sessionId" => options.session_id = read::literal(reader)?.filter(|id| !id.is_empty()),
                "metadata" => read::set_span(&mut options.metadata, Kind::Object, reader)?,
                "echo" => options.echo = reader.raw()? == "true",
                "responseSchema" => read::set_span(&mut options.response_schema, Kind::Object, reader)?,
                "samplingParams" => read::set_span(&mut options.sampling, Kind::Object, reader)?,
                "toolChoice" => {
                    let absent = reader.peek()? == Kind::Null;
                    options.tool_choice = Some(reader.raw()?).filter(|_| !absent);
                }
                "cacheRetention" => {
                    options.retention = match read::text(reader)?.as_deref() {
                        Some("none") => Retention::None,
                        Some("long") => Retention::Long,
                        _ => Retention::Short,
                    }
                }
                "thinkingBudgets" => read::members(reader, |key, reader| {
                    let budget = read::number(reader)?;
                    if let Some(entry) =
                        Level::of(key).and_then(|level| options.thinking_budgets.get_mut(level as usize))
                    {
                        *entry = budget;
                    }
                    Ok(())
                })?,
                "headers" => read::members(reader, |name, reader| {
                    let value = match reader.peek()? {
                        Kind::String => Some(reader.string()?),
                        _ => reader.skip().map(|()| None)?,
                    };
                    options.headers.push((Cow::Owned(name.to_owned()), value));
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(options)
    }

    /// The session to name to the provider, unless nothing may be cached.
    pub fn cached_session(&self) -> Option<Literal<'a>> {
        self.session_id.filter(|_| self.retention != Retention::None)
    }
}
