//! The messages of a request, read once and borrowed: texts stay spans of the input.
//!
//! Shapes are pi's `Message`. Members of a wrong type count as absent, content that is missing or null is empty, and
//! messages with a role no provider knows are left out, as pi's converters do.

use crate::doc::{At, Node};
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
    /// All of it.
    pub at: At<'a>,
    /// A text, a thought, or the data of an image.
    pub text: At<'a>,
    /// Absent or empty when there is none.
    pub signature: At<'a>,
    /// Of a call, once it is handed off: its id for the target.
    pub id: String,
    /// Of a call: the name of the tool.
    pub name: String,
    /// Of a call, while it is handed off: there is a result.
    pub answered: bool,
}

impl<'a> Message<'a> {
    /// Reads a message; `None` for a role no provider knows.
    pub fn read(at: At<'a>, model: &Model<'_>) -> Option<Self> {
        let role = at.at("role");
        let (_, role) = ROLES.into_iter().find(|known| role.is(known.0))?;
        let content = at.at("content");
        let mut message = Self { role, at, whole: content.is_string(), ..Self::default() };
        if message.whole {
            message.parts = said(content);
        }
        for item in content.items() {
            // Only an answer thinks and calls.
            message
                .parts
                .extend(Part::read(item).filter(|part| role == Role::Assistant || part.is_text() || part.is_image()));
        }
        let same = |name, value| at.at(name).is(value);
        message.own = same("provider", &model.provider) && same("api", &model.api) && same("model", &model.id);
        message.failed = same("stopReason", "error") || same("stopReason", "aborted");
        message.is_error = at.is_true("isError");
        Some(message)
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

/// Content that is one text.
#[inline(never)]
pub(crate) fn said(text: At<'_>) -> Vec<Part<'_>> {
    vec![Part::of_text(text)]
}

impl<'a> Part<'a> {
    /// A text block.
    pub fn of_text(text: At<'a>) -> Self {
        Self { text, ..Self::default() }
    }

    /// `None` for what no provider knows, and for an image without data or type.
    fn read(at: At<'a>) -> Option<Self> {
        let kind = at.at("type");
        let (_, kind, text, signature) = BLOCKS.into_iter().find(|known| kind.is(known.0))?;
        let text = at.string(text);
        if kind == Block::Image && (text.is_empty() || at.string("mimeType").is_absent()) {
            return None;
        }
        let name = if kind == Block::Call { at.text("name").into_owned() } else { String::new() };
        Some(Self { kind, at, text, signature: at.string(signature), name, ..Self::default() })
    }

    /// Of an image: its media type.
    pub fn mime(&self) -> At<'a> {
        self.at.string("mimeType")
    }

    /// Of a call: the id it came with.
    pub fn came(&self) -> At<'a> {
        self.at.at("id")
    }

    /// Of a thought: only its signature goes back.
    pub fn is_redacted(&self) -> bool {
        self.kind == Block::Thinking && self.at.is_true("redacted")
    }

    /// Of a call: source of the arguments object.
    pub fn arguments(&self) -> &'a str {
        static NONE: Node<'static> = Node::of("{}");
        self.at.at("arguments").only(b'{').or(&NONE).span()
    }

    /// Of a call of a grammar tool: writes its text, an argument. Another model may have called the tool in another way:
    /// what it wrote is what there is.
    pub fn write_input(&self, out: &mut Writer, property: &str) {
        let input = self.at.at("arguments").string(property);
        if input.is_absent() {
            out.embedded(self.arguments());
        } else {
            out.value(input);
        }
    }

    /// Of a call: the arguments as the provider sent them, where that is an object and `arguments` cannot hold its digits
    /// exactly; else their source.
    pub fn exact_arguments(&self) -> Cow<'a, str> {
        let exact = self.at.text("argumentsText");
        if is_object(&exact) {
            exact
        } else {
            Cow::Borrowed(self.arguments())
        }
    }

    /// Of a call: writes the arguments as text.
    pub fn write_arguments(&self, out: &mut Writer) {
        out.embedded(&self.exact_arguments());
    }

    pub fn is_text(&self) -> bool {
        self.kind == Block::Text
    }

    pub fn is_image(&self) -> bool {
        self.kind == Block::Image
    }

    pub fn is_call(&self) -> bool {
        self.kind == Block::Call
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
