//! What every wire does to a transcript before it converts it: system messages are folded into one, and the rest is
//! made acceptable to the target model whatever other model it comes from (PROVIDERS 1.1 and 3).

use crate::context::{said, Block, Message, Part, Role};
use crate::doc::{At, Node};
use crate::ids::cleaned;
use crate::order::NameMap;
use crate::request::{place, Made, Request};
use crate::tools::Tool;

/// What a provider takes.
pub(crate) struct Target<'k> {
    /// System messages in mid-conversation.
    pub in_place: bool,
    pub ids: CallIds,
    /// Tools bound to a grammar.
    pub grammar: bool,
    /// Tools bound to their schema.
    pub strict: bool,
    /// Keywords that its strict mode refuses beyond those that all refuse.
    pub refused: &'k [u8],
}

impl<'a> Request<'a> {
    /// Makes the conversation what the target takes. All system messages are replayed into one prompt and one list of
    /// tools and taken out, but for those that may stay where they are. Afterwards every call has an id of its own in the
    /// provider's form and exactly one result, in [`Message::results`]; no result lacks its call; answers that failed are
    /// gone, and so is everything only their author may see again. A tool that demands what cannot be had is a fault.
    pub fn converse(&mut self, target: &Target<'_>, made: &mut Made) {
        let mut replay = Replay::default();
        add_piece(&mut replay.prompt, self.context.at("systemPrompt").inner());
        replay.add_all(self.context.at("tools"));
        if self.by_tool {
            replay.add(Tool::own(self.options.at.at("responseSchema")));
        }
        let mut leads = replay.prompt.is_empty() && replay.tools.is_empty();
        let messages = std::mem::take(&mut self.messages);
        let mut turns = Turns {
            list: Vec::new(),
            images: self.model.images,
            ids: target.ids,
            open: NameMap::default(),
            used: NameMap::default(),
        };
        for message in messages {
            let mut stays = true;
            if message.role == Role::System {
                for tool in message.at.at("toolsRemoved").items() {
                    replay.remove(&tool.text("name"));
                }
                replay.add_all(message.at.at("toolsAdded"));
                stays = target.in_place && !leads;
                if !stays {
                    replay.say(&message);
                }
            }
            leads = false;
            if stays {
                turns.add(message);
            }
        }
        for text in &replay.sections {
            add_piece(&mut replay.prompt, text.inner());
        }
        replay.tools.retain(|tool| !tool.removed);
        (self.prompt, self.tools, self.messages) = (replay.prompt, replay.tools, turns.end());
        for tool in &mut self.tools {
            let fault = tool.declare(target);
            if made.fault.is_none() {
                made.fault = fault;
            }
        }
    }
}

/// Prompt and tools while system messages are replayed. Setting a known name keeps its place, as in a JS Map.
#[derive(Default)]
struct Replay<'a> {
    prompt: String,
    /// Members of `sections`, the last of each name.
    sections: Vec<At<'a>>,
    tools: Vec<Tool<'a>>,
    places: NameMap,
}

impl<'a> Replay<'a> {
    fn say(&mut self, message: &Message<'a>) {
        add_piece(&mut self.prompt, &message.text());
        for text in message.at.at("sections").members() {
            let mut known = place(&self.sections, text);
            if let Some(place) = known.filter(|_| !text.is_string()) {
                self.sections.remove(place);
                known = None;
            }
            match known.and_then(|place| self.sections.get_mut(place)) {
                Some(section) => *section = text,
                None if text.is_string() => self.sections.push(text),
                None => {}
            }
        }
    }

    fn add_all(&mut self, tools: At<'a>) {
        for tool in tools.items() {
            self.add(Tool::read(tool));
        }
    }

    fn add(&mut self, tool: Tool<'a>) {
        match self.places.get(&tool.name).and_then(|place| self.tools.get_mut(place)) {
            Some(known) => *known = tool,
            None => {
                self.places.set(&tool.name, self.tools.len());
                self.tools.push(tool);
            }
        }
    }

    fn remove(&mut self, name: &str) {
        let place = self.places.remove(name);
        if let Some(tool) = place.and_then(|place| self.tools.get_mut(place)) {
            tool.removed = true;
        }
    }
}

/// Adds a piece of a prompt behind an empty line.
#[inline(never)]
fn add_piece(prompt: &mut String, piece: &str) {
    if !prompt.is_empty() && !piece.is_empty() {
        prompt.push_str("\\n\\n");
    }
    prompt.push_str(piece);
}

/// A later system message as the model reads it in place (escaped, without quotes). Changed sections are named.
pub(crate) fn update_text(message: &Message<'_>) -> String {
    let mut out = message.text();
    for text in message.at.at("sections").members() {
        let (before, after) = if text.is_string() {
            ("Updated system prompt section \\\"", "\\\":\\n\\n")
        } else {
            ("Removed system prompt section \\\"", "\\\".")
        };
        add_piece(&mut out, &[before, text.name().inner(), after, text.inner()].concat());
    }
    out
}

/// How a provider wants tool-call ids: the form of `id` for the target. `own`: the target model itself made it. Attempts
/// above 0 ask for another form each, because the ones before belong to other calls.
pub(crate) type CallIds = fn(id: &str, own: bool, attempt: u32) -> String;

static USER_IMAGE: Node<'static> = Node::of("\"(image omitted: model does not support images)\"");
static TOOL_IMAGE: Node<'static> = Node::of("\"(tool image omitted: model does not support images)\"");
static NO_WORDS: Node<'static> = Node::of("\"(empty message)\"");
static NO_RESULT: Node<'static> = Node::of("\"No result provided\"");

/// A conversation while it is handed off.
struct Turns<'a> {
    list: Vec<Message<'a>>,
    /// The target takes images.
    images: bool,
    ids: CallIds,
    /// The turn whose calls wait for a result, by the id they came with. Only the latest message with an id counts, for
    /// providers use ids again.
    open: NameMap,
    /// Adapted ids that are taken, each with the last attempt to find another form of it.
    used: NameMap,
}

impl<'a> Turns<'a> {
    fn add(&mut self, mut message: Message<'a>) {
        match message.role {
            Role::System => {}
            Role::User => self.show(&mut message, &USER_IMAGE),
            Role::Assistant => {
                let (own, failed) = (message.own, message.failed);
                filter(&mut message.parts, &mut |part| keep(part, own));
                for part in message.parts.iter_mut().filter(|part| part.is_call()) {
                    let came = part.came().as_text();
                    if failed {
                        // Results of a dropped message must not find an older call.
                        self.open.remove(&came);
                        continue;
                    }
                    self.open.set(&came, self.list.len());
                    let ids = self.ids;
                    part.id = self.used.add_free(&|attempt| ids(&came, own, attempt as u32));
                    part.name = tool_name(&part.name);
                }
                if failed {
                    return;
                }
            }
            Role::Result => {
                self.show(&mut message, &TOOL_IMAGE);
                let call_id = message.at.text("toolCallId");
                if let Some(turn) = self.open.get(&call_id).and_then(|turn| self.list.get_mut(turn)) {
                    turn.answer(&call_id, message);
                }
                return;
            }
        }
        self.list.push(message);
    }

    /// Every run of images becomes one text, where the target takes none.
    fn show(&self, message: &mut Message<'_>, placeholder: At<'static>) {
        let mut said = false;
        filter(&mut message.parts, &mut |part| {
            let image = part.is_image() && !self.images;
            if image {
                *part = Part::of_text(placeholder);
            }
            let before = std::mem::replace(&mut said, part.is_text() && part.text.inner() == placeholder.inner());
            !(image && before)
        });
    }

    /// The conversation, in which calls that nothing answered have a result that says so.
    fn end(mut self) -> Vec<Message<'a>> {
        for turn in &mut self.list {
            for part in turn.parts.iter().filter(|part| part.is_call() && !part.answered) {
                let result = Message { parts: said(&NO_RESULT), is_error: true, ..Message::default() };
                turn.results.push(result.of_call(part));
            }
        }
        fill_end(&mut self.list);
        self.list
    }
}

/// Keeps the parts that are wanted. In one copy of code.
#[inline(never)]
fn filter<'a>(parts: &mut Vec<Part<'a>>, wanted: &mut dyn FnMut(&mut Part<'a>) -> bool) {
    parts.retain_mut(wanted);
}

/// Providers leave out what says nothing. Where the conversation would then end with an answer, or be empty, the message
/// of the user gets words.
fn fill_end(messages: &mut [Message<'_>]) {
    let (mut blank, mut answered) = (None, true);
    for (at, message) in messages.iter().enumerate() {
        match message.role {
            Role::System => {}
            Role::User if !message.parts.iter().any(Part::is_shown) => blank = Some(at),
            role => (answered, blank) = (role == Role::Assistant && message.results.is_empty(), None),
        }
    }
    if let Some(message) = blank.filter(|_| answered).and_then(|at| messages.get_mut(at)) {
        message.parts = said(&NO_WORDS);
        message.whole = true;
    }
}

impl<'a> Message<'a> {
    /// A result, named as its call.
    fn of_call(mut self, call: &Part<'a>) -> Self {
        (self.id, self.name) = (call.id.clone(), call.name.clone());
        self
    }

    /// Adds the result of a call to an answer; one that no call waits for is left out. Results may come in any order;
    /// the search starts where the one before ended, so that a batch in order is linear.
    fn answer(&mut self, call_id: &str, result: Message<'a>) {
        let count = self.parts.len();
        for step in 0..count {
            let place = (self.next + step) % count;
            let Some(part) = self.parts.get_mut(place) else {
                return;
            };
            if part.is_call() && !part.answered && part.came().is(call_id) {
                part.answered = true;
                self.next = place + 1;
                self.results.push(result.of_call(part));
                return;
            }
        }
    }
}

/// Whether a part of an answer goes back. Thinking and signatures are for the model alone that made them.
fn keep(part: &mut Part<'_>, own: bool) -> bool {
    if !own {
        part.signature = At::default();
        return part.kind != Block::Thinking;
    }
    part.kind != Block::Thinking || part.is_redacted() || !part.signature.is_empty() || !part.text.is_blank()
}

/// A tool name every provider takes. A model may have called something that is no name at all.
pub(crate) fn tool_name(name: &str) -> String {
    let mut clean = cleaned(name, b"_-.:");
    let starts = clean.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if !starts || name.len() > 128 || clean != name {
        clean.truncate(120);
        if !starts {
            clean.insert_str(0, if clean.is_empty() { "unknown" } else { "_" });
        }
    }
    clean
}
