//! What every wire does to a transcript before it converts it: system messages are folded into one, and the rest is
//! made acceptable to the target model whatever other model it comes from (PROVIDERS 1.1 and 3).

use crate::context::{Block, Message, Part, Role};
use crate::doc::At;
use crate::ids::cleaned;
use crate::literal::Literal;
use crate::order::NameMap;
use crate::request::Request;
use crate::tools::Tool;
use std::borrow::Cow;

impl Request<'_> {
    /// Makes the conversation what the target takes, see [`fold`](Self::fold) and [`hand_off`].
    pub fn converse(&mut self, in_place: bool, ids: CallIds) {
        self.fold(in_place);
        let messages = std::mem::take(&mut self.messages);
        self.messages = hand_off(messages, self.model.images, ids);
    }

    /// Replays all system messages into one prompt and one list of tools, and takes them out of the conversation. With
    /// `in_place` (a model that takes system messages in mid-conversation) later prompts stay where they are.
    fn fold(&mut self, in_place: bool) {
        let mut replay = Replay::default();
        add_piece(&mut replay.prompt, self.context.literal("systemPrompt").inner());
        replay.add(std::mem::take(&mut self.tools));
        let mut leading = replay.prompt.is_empty() && replay.tools.is_empty();
        self.messages.retain(|message| {
            let leads = std::mem::replace(&mut leading, false);
            if message.role != Role::System {
                return true;
            }
            replay.remove(message.at.at("toolsRemoved"));
            replay.add(Tool::list(message.at.at("toolsAdded")));
            if in_place && !leads {
                return true;
            }
            replay.say(message);
            false
        });
        for (_, text) in replay.sections {
            add_piece(&mut replay.prompt, text.inner());
        }
        replay.tools.retain(|tool| !tool.removed);
        (self.prompt, self.tools) = (replay.prompt, replay.tools);
    }
}

/// Prompt and tools while system messages are replayed. Setting a known name keeps its place, as in a JS Map.
#[derive(Default)]
struct Replay<'a> {
    prompt: String,
    sections: Vec<(Cow<'a, str>, Literal<'a>)>,
    tools: Vec<Tool<'a>>,
    places: NameMap,
}

impl<'a> Replay<'a> {
    fn say(&mut self, message: &Message<'a>) {
        add_piece(&mut self.prompt, &message.text());
        for (name, text) in message.at.at("sections").members() {
            let name = name.text();
            let known = self.sections.iter_mut().find(|section| section.0 == name);
            match (known, text.as_literal()) {
                (Some(section), Some(text)) => section.1 = text,
                (None, Some(text)) => self.sections.push((name, text)),
                (_, None) => self.sections.retain(|section| section.0 != name),
            }
        }
    }

    fn add(&mut self, tools: Vec<Tool<'a>>) {
        for tool in tools {
            match self.places.get(&tool.name).and_then(|place| self.tools.get_mut(place)) {
                Some(known) => *known = tool,
                None => {
                    self.places.set(&tool.name, self.tools.len());
                    self.tools.push(tool);
                }
            }
        }
    }

    fn remove(&mut self, tools: At<'_>) {
        for tool in tools.items() {
            let place = self.places.remove(&tool.text("name"));
            if let Some(tool) = place.and_then(|place| self.tools.get_mut(place)) {
                tool.removed = true;
            }
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
    for (name, text) in message.at.at("sections").members() {
        let text = text.as_literal();
        let (before, after) = match text {
            Some(_) => ("Updated system prompt section \\\"", "\\\":\\n\\n"),
            None => ("Removed system prompt section \\\"", "\\\"."),
        };
        add_piece(&mut out, &[before, name.inner(), after, text.unwrap_or_default().inner()].concat());
    }
    out
}

/// How a provider wants tool-call ids: the form of `id` for the target. `own`: the target model itself made it. Attempts
/// above 0 ask for another form each, because the ones before belong to other calls.
pub(crate) type CallIds = fn(id: &str, own: bool, attempt: u32) -> String;

const USER_IMAGE: &str = "\"(image omitted: model does not support images)\"";
const TOOL_IMAGE: &str = "\"(tool image omitted: model does not support images)\"";
const NO_WORDS: &str = "\"(empty message)\"";
const NO_RESULT: &str = "\"No result provided\"";

/// Makes a conversation acceptable to a model, which may take `images` or not. Afterwards every call has an id of its
/// own in the provider's form and exactly one result, in [`Message::results`]; no result lacks its call; answers that
/// failed are gone, and so is everything only their author may see again.
fn hand_off<'a>(messages: Vec<Message<'a>>, images: bool, ids: CallIds) -> Vec<Message<'a>> {
    let mut turns: Vec<Message<'a>> = Vec::with_capacity(messages.len());
    // The turn whose calls wait for a result, by the id they came with. Only the latest message with an id counts, for
    // providers use ids again.
    let mut open = NameMap::default();
    // Adapted ids that are taken.
    let mut used = NameMap::default();
    for mut message in messages {
        match message.role {
            Role::System => {}
            Role::User => {
                if !images {
                    without_images(&mut message.parts, USER_IMAGE);
                }
            }
            Role::Assistant => {
                let (own, failed) = (message.own, message.failed);
                message.parts.retain_mut(|part| keep(part, own));
                for part in message.parts.iter_mut().filter(|part| part.kind == Block::Call) {
                    let came = part.came.text();
                    if failed {
                        // Results of a dropped message must not find an older call.
                        open.remove(&came);
                        continue;
                    }
                    open.set(&came, turns.len());
                    part.id = used.add_free(&|attempt| ids(&came, own, attempt as u32));
                    part.name = tool_name(&part.name);
                }
                if failed {
                    continue;
                }
            }
            Role::Result => {
                let call_id = message.at.text("toolCallId");
                if let Some(turn) = open.get(&call_id).and_then(|turn| turns.get_mut(turn)) {
                    if !images {
                        without_images(&mut message.parts, TOOL_IMAGE);
                    }
                    turn.answer(&call_id, message);
                }
                continue;
            }
        }
        turns.push(message);
    }
    for turn in &mut turns {
        for part in turn.parts.iter().filter(|part| part.kind == Block::Call && !part.answered) {
            let parts = vec![Part::of_text(Literal::of_span(NO_RESULT))];
            turn.results.push(Message { parts, is_error: true, ..Message::default() }.of_call(part));
        }
    }
    fill_end(&mut turns);
    turns
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
        message.parts = vec![Part::of_text(Literal::of_span(NO_WORDS))];
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
            let Some(part) = self.parts.get_mut(place) else { return };
            if part.kind == Block::Call && !part.answered && part.came.is(call_id) {
                part.answered = true;
                self.next = place + 1;
                self.results.push(result.of_call(part));
                return;
            }
        }
    }
}

/// Every run of images becomes one text.
fn without_images(parts: &mut Vec<Part<'_>>, placeholder: &'static str) {
    let placeholder = Literal::of_span(placeholder);
    let mut said = false;
    parts.retain_mut(|part| {
        let image = part.is_image();
        if image {
            *part = Part::of_text(placeholder);
        }
        let before = std::mem::replace(&mut said, part.is_text() && part.text.inner() == placeholder.inner());
        !(image && before)
    });
}

/// Whether a part of an answer goes back. Thinking and signatures are for the model alone that made them.
fn keep(part: &mut Part<'_>, own: bool) -> bool {
    if !own {
        part.signature = Literal::EMPTY;
        return part.kind != Block::Thinking;
    }
    part.kind != Block::Thinking || part.redacted || !part.signature.is_empty() || !part.text.is_blank()
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
