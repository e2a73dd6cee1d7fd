//! The messages of a request, read once and borrowed: texts stay spans of the input.
//!
//! Shapes are pi's `Message`. Members of a wrong type count as absent, content that is missing or null is empty, and
//! messages with a role no provider knows are left out, as pi's converters do.

use crate::doc::At;
use crate::literal::Literal;
use crate::model::Model;
use crate::tool_args::is_object;
use crate::write::Writer;
use std::borrow::Cow;

/// Whose message it is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Assistant,
    #[default]
    Result,
}

const ROLES: [(&str, Role); 4] =
    [("system", Role::System), ("user", Role::User), ("assistant", Role::Assistant), ("toolResult", Role::Result)];

/// A message. What it has beside its parts depends on its role.
#[derive(Default)]
pub(crate) struct Message<'a> {
    pub role: Role,
    /// All of it.
    pub at: At<'a>,
    pub parts: Vec<Part<'a>>,
    /// The content is one string; it stands in the only part.
    pub whole: bool,
    /// Of an answer: the target model itself made it.
    pub own: bool,
    /// Of an answer: it ended in `error` or `aborted`.
    pub failed: bool,
    /// Of an answer, once it is handed off: the results of its calls.
    pub results: Vec<Message<'a>>,
    /// Of an answer while it is handed off: the part behind the call that was answered last.
    pub next: usize,
    /// Of a result, once it is handed off: the id of its call.
    pub id: String,
    /// Of a result, once it is handed off: the name of the tool.
    pub name: String,
    /// Of a result: whether the tool failed. Chat Completions has no place for it.
    pub is_error: bool,
}

/// Kinds of content blocks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Block {
    #[default]
    Text,
    Thinking,
    Image,
    Call,
}

/// Kinds by type, with the members that hold text and signature.
const BLOCKS: [(&str, Block, &str, &str); 4] = [
    ("text", Block::Text, "text", "textSignature"),
    ("thinking", Block::Thinking, "thinking", "thinkingSignature"),
    ("image", Block::Image, "data", ""),
    ("toolCall", Block::Call, "", "thoughtSignature"),
];

/// A content block.
#[derive(Default)]
pub(crate) struct Part<'a> {
    pub kind: Block,
    /// A text, a thought, or the data of an image.
    pub text: Literal<'a>,
    /// Empty when there is none.
    pub signature: Literal<'a>,
    /// Of a thought.
    pub redacted: bool,
    /// Of an image.
    pub mime: Literal<'a>,
    /// Of a call: the id it came with.
    pub came: Literal<'a>,
    /// Of a call, once it is handed off: its id for the target.
    pub id: String,
    /// Of a call: the name of the tool.
    pub name: String,
    /// Of a call: an object, or it has none.
    pub arguments: At<'a>,
    /// Of a call: the text the provider sent, where `arguments` cannot hold its digits exactly; else empty.
    pub exact: Literal<'a>,
    /// Of a call, while it is handed off: there is a result.
    pub answered: bool,
}

impl<'a> Message<'a> {
    /// Reads a message; `None` for a role no provider knows.
    pub fn read(at: At<'a>, model: &Model<'_>) -> Option<Self> {
        let role = at.literal("role");
        let (_, role) = ROLES.into_iter().find(|known| role.is(known.0))?;
        let content = at.at("content");
        let mut parts = Vec::new();
        let whole = content.as_literal();
        if let Some(text) = whole {
            parts.push(Part::of_text(text));
        }
        for item in content.items() {
            if let Some(part) = Part::read(item) {
                parts.push(part);
            }
        }
        let stop = at.literal("stopReason");
        Some(Self {
            role,
            at,
            parts,
            whole: whole.is_some(),
            own: at.literal("provider").is(&model.provider)
                && at.literal("api").is(&model.api)
                && at.literal("model").is(&model.id),
            failed: stop.is("error") || stop.is("aborted"),
            is_error: at.is_true("isError"),
            ..Self::default()
        })
    }

    /// Whether a part of it is of that kind.
    #[inline(never)]
    pub fn has(&self, kind: Block) -> bool {
        self.parts.iter().any(|part| part.kind == kind)
    }

    /// Its texts in one, escaped and without quotes.
    pub fn text(&self) -> String {
        joined(&self.parts, Part::is_text, "\\n")
    }

    /// Whether there is nothing to be read in its texts.
    #[inline(never)]
    pub fn is_blank(&self) -> bool {
        !self.parts.iter().any(Part::says_text)
    }
}

/// The texts of some parts in one, escaped and without quotes.
#[inline(never)]
pub(crate) fn joined<'a>(parts: &[Part<'a>], wanted: fn(&Part<'a>) -> bool, separator: &str) -> String {
    let mut out = String::new();
    let mut first = true;
    for part in parts {
        if wanted(part) {
            if !std::mem::replace(&mut first, false) {
                out.push_str(separator);
            }
            out.push_str(part.text.inner());
        }
    }
    out
}

impl<'a> Part<'a> {
    /// A text block.
    pub fn of_text(text: Literal<'a>) -> Self {
        Self { text, ..Self::default() }
    }

    /// `None` for what no provider knows, and for an image without data or type.
    fn read(at: At<'a>) -> Option<Self> {
        let kind = at.literal("type");
        let (_, kind, text, signature) = BLOCKS.into_iter().find(|known| kind.is(known.0))?;
        let part = Self {
            kind,
            text: at.literal(text),
            signature: at.literal(signature),
            redacted: kind == Block::Thinking && at.is_true("redacted"),
            mime: at.literal("mimeType"),
            came: at.literal("id"),
            name: at.text("name").into_owned(),
            arguments: at.at("arguments"),
            exact: at.literal("argumentsText"),
            ..Self::default()
        };
        let missing = at.source("data", b'"').is_none() || at.source("mimeType", b'"').is_none();
        Some(part).filter(|_| kind != Block::Image || !missing)
    }

    /// Of a call: source of the arguments object.
    pub fn arguments(&self) -> &'a str {
        if self.arguments.first() == b'{' {
            self.arguments.span()
        } else {
            "{}"
        }
    }

    /// Of a call: the arguments as the provider sent them, where that is an object and differs; else their source.
    pub fn exact_arguments(&self) -> Cow<'a, str> {
        let exact = self.exact.text();
        if is_object(&exact) {
            exact
        } else {
            Cow::Borrowed(self.arguments())
        }
    }

    /// Of a call: writes the arguments as text.
    pub fn write_arguments(&self, out: &mut Writer) {
        if self.exact.is_empty() {
            out.embedded(self.arguments());
        } else {
            out.literal(self.exact);
        }
    }

    pub fn is_text(&self) -> bool {
        self.kind == Block::Text
    }

    pub fn is_image(&self) -> bool {
        self.kind == Block::Image
    }

    /// A text with something to read in it.
    pub fn says_text(&self) -> bool {
        self.is_text() && !self.text.is_blank()
    }

    /// A thought with something to read in it.
    pub fn says_thought(&self) -> bool {
        self.kind == Block::Thinking && !self.text.is_blank()
    }

    /// An image, or a text that is not empty: what a user message can hold for several providers.
    pub fn is_sent(&self) -> bool {
        self.is_image() || self.is_text() && !self.text.is_empty()
    }

    /// An image, or a text with something to read in it.
    pub fn is_shown(&self) -> bool {
        self.is_image() || self.says_text()
    }
}
