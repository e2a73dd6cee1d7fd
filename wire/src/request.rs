//! From a model, a context and options to an HTTP request.

use crate::anthropic_messages;
use crate::context::Message;
use crate::doc::{At, Doc, Node};
use crate::estimate::room;
use crate::google_generative_ai;
use crate::http::{base_of, Headers, HttpRequest, WireError};
use crate::literal::clean;
use crate::mistral_conversations;
use crate::model::{Level, Model};
use crate::openai_completions;
use crate::openai_responses;
use crate::pi_messages;
use crate::strict_schema;
use crate::text::{around, has, json_fault};
use crate::tools::Tool;
use crate::write::Writer;
use std::borrow::Cow;

/// Builds the request for one answer.
///
/// `input` is a JSON object `{ model, context, options }`, as `JSON.stringify` makes it of pi's `Model`,
/// `Context` (`systemPrompt`, `tools`, `messages`) and `SimpleStreamOptions`. The options read here are `apiKey`,
/// `headers` (null suppresses), `temperature`, `maxTokens`, `reasoning`, `thinkingBudgets`, `toolChoice`, `sessionId`,
/// `cacheRetention`, `metadata`, `samplingParams` and `responseSchema`.
///
/// Texts and schemas are copied from the input into the body without being parsed; lone surrogates are dropped.
///
/// # Errors
/// `invalid_request` when the input is not such an object, `unsupported` when no built-in wire speaks `model.api` or a
/// tool demands what the provider cannot do.
pub fn request(input: &str) -> Result<HttpRequest, WireError> {
    let text = clean(input);
    let doc =
        Doc::read(&text).map_err(|error| WireError::invalid(json_fault("The request is not valid JSON: ", &error)))?;
    let mut request = Request::read(doc.root());
    request.answer_by_tool();
    let api = request.model.api.as_ref();
    let Some((_, build)) = WIRES.iter().find(|wire| wire.0 == api) else {
        return Err(if api.is_empty() { WireError::invalid("The model has no api.") } else { WireError::no_wire(api) });
    };
    let mut made = Made::new(&request);
    build(&mut request, &mut made);
    match made.fault.take() {
        Some(fault) => Err(fault),
        None => Ok(request.finish(made)),
    }
}

/// How a wire makes a request.
type Build = fn(&mut Request<'_>, &mut Made);

const WIRES: [(&str, Build); 6] = [
    (google_generative_ai::API, google_generative_ai::request),
    (openai_completions::API, openai_completions::request),
    (anthropic_messages::API, anthropic_messages::request),
    (mistral_conversations::API, mistral_conversations::request),
    (pi_messages::API, pi_messages::request),
    (openai_responses::API, openai_responses::request),
];

/// What a wire makes of a request.
pub(crate) struct Made {
    /// To begin with the address of the model without slashes at its end.
    pub url: String,
    /// To begin with the fewest that a host with a bearer token takes (PROVIDERS 2).
    pub headers: Headers,
    /// The members of an object.
    pub body: Writer,
    /// Why the request cannot be made after all: the first reason.
    pub fault: Option<WireError>,
}

/// A request as it was read.
pub(crate) struct Request<'a> {
    pub model: Model<'a>,
    pub context: At<'a>,
    pub options: Options<'a>,
    /// The prompt in force once the conversation is made acceptable, escaped and without quotes.
    pub prompt: String,
    /// Of a conversation that was made acceptable the tools in force at its end.
    pub tools: Vec<Tool<'a>>,
    pub messages: Vec<Message<'a>>,
    /// The level asked for, as the model has it; `None` for no thinking.
    pub level: Option<Level>,
    /// Tokens that the window leaves for the answer.
    pub room: f64,
    /// The answer comes as arguments of [`ANSWER_TOOL`].
    pub by_tool: bool,
}

/// Options of one answer.
pub(crate) struct Options<'a> {
    /// All of them.
    pub at: At<'a>,
    /// Empty when there is none.
    pub api_key: Cow<'a, str>,
    /// NaN when there is none.
    pub temperature: f64,
    /// Absent when there is none.
    pub tool_choice: At<'a>,
    /// The session to name to the provider; empty when there is none or when nothing may be cached.
    pub session: At<'a>,
    pub retention: Retention,
    /// The JSON Schema that the answer must fit; absent when there is none.
    pub response_schema: At<'a>,
}

/// How long the provider should keep the prompt cached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retention {
    None,
    Short,
    Long,
}

/// Takes the answer where a provider has no other way to give it a form. What it is called with becomes the text.
pub(crate) const ANSWER_TOOL: &str = "structured_answer";

/// Choices of tools.
static REQUIRED: Node<'static> = Node::of("\"required\"");
static ANY: Node<'static> = Node::of("\"any\"");

/// Hosts of Chat Completions that refuse a schema for the answer.
const WITHOUT_SCHEMAS: [&str; 4] = ["deepseek", "z.ai", "zai", "moonshot"];

/// Tokens always left for the answer where thinking and answer share one limit.
const ANSWER_TOKENS: f64 = 1024.0;

impl Made {
    fn new(request: &Request<'_>) -> Self {
        let mut headers = Headers::default();
        headers.set("content-type", "application/json");
        headers.set("accept", "text/event-stream");
        let key = &request.options.api_key;
        if !key.is_empty() {
            headers.set("authorization", &["Bearer ", key].concat());
        }
        let mut body = Writer::with_capacity(4096);
        body.open();
        Self { url: base_of(&request.model.base_url).to_owned(), headers, body, fault: None }
    }
}

impl<'a> Request<'a> {
    fn read(root: At<'a>) -> Self {
        let (model, context, options) = (Model::read(root.at("model")), root.at("context"), root.at("options"));
        let mut messages = Vec::new();
        for message in context.at("messages").items() {
            if let Some(message) = Message::read(message, &model) {
                messages.push(message);
            }
        }
        let level = Level::of(&options.text("reasoning")).map(|level| model.clamp_level(level));
        Self {
            level: level.filter(|level| *level != Level::Off),
            room: room(model.context_window, context, &messages),
            options: Options::read(options),
            prompt: String::new(),
            tools: Vec::new(),
            messages,
            context,
            model,
            by_tool: false,
        }
    }

    /// Lets a model whose host takes no schema for the answer call a tool with it.
    fn answer_by_tool(&mut self) {
        let model = &self.model;
        let id = |part: &str| has(&model.id, part);
        let takes_schemas =
            model.compat.boolean("supportsResponseSchema").unwrap_or_else(|| match model.api.as_ref() {
                google_generative_ai::API => {
                    self.context.at("tools").items().is_empty()
                        || google_generative_ai::takes_form_beside_tools(&model.id)
                }
                anthropic_messages::API => !id("claude-3") && !id("-4-0") && !id("-4-2025"),
                openai_completions::API => {
                    !WITHOUT_SCHEMAS.iter().any(|host| has(&model.base_url, host) || model.provider == *host)
                }
                _ => true,
            });
        // pi's own protocol leaves that to the server.
        if self.options.response_schema.is_absent() || takes_schemas || model.api == pi_messages::API {
            return;
        }
        // Another tool may come first, but some tool must. Claude does not take that together with thinking.
        let free = model.api == anthropic_messages::API && self.level.is_some();
        self.options.tool_choice = match model.api.starts_with("openai") {
            _ if free => At::default(),
            true => &REQUIRED,
            false => &ANY,
        };
        self.options.response_schema = At::default();
        self.by_tool = true;
    }

    /// The largest answer to ask for, in tokens.
    pub fn max_tokens(&self) -> f64 {
        let wanted = self.options.max_tokens();
        (if wanted > 0.0 { wanted } else { self.model.max_tokens }).min(self.room)
    }

    /// Tokens to think with, below a limit shared with the answer; NaN when nothing is left or nothing to be thought.
    pub fn thinking_budget(&self, ceiling: f64) -> f64 {
        let Some(level) = self.level else {
            return f64::NAN;
        };
        let usual = match level {
            Level::Off | Level::Minimal => 1024.0,
            Level::Low => 2048.0,
            Level::Medium => 8192.0,
            _ => 16384.0,
        };
        let wanted = self.options.thinking_budget(level);
        let budget = if wanted.is_nan() { usual } else { wanted }.min((ceiling - ANSWER_TOKENS).max(0.0));
        if budget > 0.0 {
            budget
        } else {
            f64::NAN
        }
    }

    /// Puts the parameters into the body that go there as they are and win over everything else there: the model's,
    /// those of the thinking level, the caller's, later ones over earlier ones.
    pub fn add_sampling(&self, body: &mut Writer) {
        let level = self.level.unwrap_or_else(|| self.model.clamp_level(Level::Off));
        let by_level = self.model.at.at("samplingParamsByThinkingLevel").at(level.name());
        let mut params: Vec<At<'_>> = Vec::new();
        for source in [self.model.at.at("samplingParams"), by_level, self.options.at.at("samplingParams")] {
            for value in source.members() {
                match place(&params, value).and_then(|place| params.get_mut(place)) {
                    Some(param) => *param = value,
                    None => params.push(value),
                }
            }
        }
        if params.is_empty() {
            return;
        }
        body.close();
        let written = std::mem::take(body).into_text();
        body.open();
        let doc = Doc::of(&written);
        let kept = doc.root().members().iter().filter(|value| place(&params, value).is_none());
        for value in kept.chain(params.iter().copied()) {
            body.member(&value.name().text(), value);
        }
    }

    /// The request, once a wire has made URL, own headers and body.
    fn finish(self, made: Made) -> HttpRequest {
        let Made { url, mut headers, mut body, .. } = made;
        body.close();
        for (of, own) in [(self.model.at, true), (self.options.at, false)] {
            for value in of.at("headers").members() {
                let (name, text) = (value.name().text(), value.as_text());
                if !text.is_empty() || !own && value.is_string() {
                    headers.set(&name, &text);
                } else if !own {
                    headers.remove(&name);
                }
            }
        }
        let mut reply = Writer::default();
        reply.open();
        reply.members_of(self.model.at.span());
        if self.tools.iter().any(|tool| !tool.property.is_empty()) {
            reply.put(r#""grammarTools":{"#);
            for tool in &self.tools {
                if !tool.property.is_empty() {
                    reply.key(&tool.name).string(&tool.property);
                }
            }
            reply.put("}");
        }
        reply.key("echo").bool(self.options.at.is_true("echo"));
        reply.key("answersByTool").bool(self.by_tool);
        // Without what may be secret in it.
        reply.key("url").string(around(&url, b'?', false).map_or(url.as_str(), |parts| parts.0));
        reply.put(r#""secrets":["#);
        for secret in headers.secrets() {
            reply.string(secret);
        }
        if self.options.api_key.len() >= 8 {
            reply.string(&self.options.api_key);
        }
        reply.put("]}");
        HttpRequest {
            method: "POST",
            url,
            headers: headers.into_list(),
            body: body.into_text().into_bytes(),
            reply: reply.into_text(),
        }
    }
}

/// Where a member of the same name stands.
#[inline(never)]
pub(crate) fn place(members: &[At<'_>], member: At<'_>) -> Option<usize> {
    let name = member.name().text();
    members.iter().position(|other| other.name().is(&name))
}

/// Writes the members that ask a host of OpenAI's protocols (and Mistral) for an answer that fits a schema.
pub(crate) fn response_form(out: &mut Writer, schema: At<'_>) {
    out.put(r#""name":"answer","schema":"#).raw(schema.span());
    out.key("strict").bool(strict_schema::is_strict(schema.span()));
}

impl<'a> Options<'a> {
    fn read(at: At<'a>) -> Self {
        let retention = at.at("cacheRetention");
        let choice = at.at("toolChoice");
        let mut options = Self {
            at,
            api_key: at.text("apiKey"),
            temperature: at.number("temperature"),
            tool_choice: if choice.first() == b'n' { At::default() } else { choice },
            session: at.string("sessionId"),
            retention: Retention::Short,
            response_schema: at.at("responseSchema").only(b'{'),
        };
        if retention.is("none") {
            (options.session, options.retention) = (At::default(), Retention::None);
        } else if retention.is("long") {
            options.retention = Retention::Long;
        }
        options
    }

    /// Tokens that the caller wants at most; 0 or less where that is left to us.
    pub fn max_tokens(&self) -> f64 {
        self.at.count("maxTokens")
    }

    /// Tokens that the caller wants to be thought with at a level; NaN where that is left to us.
    pub fn thinking_budget(&self, level: Level) -> f64 {
        self.at.at("thinkingBudgets").number(level.min(Level::High).name())
    }
}
