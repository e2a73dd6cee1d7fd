//! What every wire does to a transcript before it converts it: system messages are folded into one, and the rest is
//! made acceptable to the target model whatever other model it comes from (PROVIDERS 1.1 and 3).

use crate::context::{Assistant, Body, Call, Content, Context, Message, Part, System, Tool, ToolResult};
use crate::literal::{clean, Literal};
use crate::model::Model;
use crate::order::NameMap;
use crate::write::escaped;
use std::borrow::Cow;

/// Prompt and tools in force.
pub(crate) struct Head<'a> {
    /// The prompt in its escaped form, without quotes; empty when there is none.
    pub prompt: String,
    pub tools: Vec<Tool<'a>>,
}

/// Replays all system messages into one prompt and one list of tools, and takes them out of the conversation. With
/// `in_place` (a model that takes system messages in mid-conversation) later prompts stay where they are.
pub(crate) fn fold<'a>(context: Context<'a>, in_place: bool) -> (Head<'a>, Vec<Message<'a>>) {
    let mut replay = Replay::default();
    let leads = context.system_prompt.is_some_and(|prompt| !prompt.is_empty()) || !context.tools.list.is_empty();
    replay.texts.extend(context.system_prompt.map(|prompt| clean(prompt.inner()).into_owned()));
    replay.add(context.tools.list);
    let mut messages = context.messages;
    let mut first = !leads;
    messages.retain_mut(|message| {
        let leading = std::mem::replace(&mut first, false);
        let Body::System(system) = &mut message.body else {
            return true;
        };
        system.removed.iter().for_each(|name| replay.remove(name));
        replay.add(std::mem::take(&mut system.added.list));
        if in_place && !leading {
            return true;
        }
        replay.prompt(system);
        false
    });
    (replay.head(), messages)
}

/// Prompt pieces and tools while system messages are replayed. Setting a known name keeps its place, as in a JS Map.
#[derive(Default)]
struct Replay<'a> {
    texts: Vec<String>,
    sections: Vec<(Cow<'a, str>, String)>,
    tools: Vec<Option<Tool<'a>>>,
    places: NameMap,
}

impl<'a> Replay<'a> {
    fn prompt(&mut self, system: &mut System<'a>) {
        self.texts.push(joined(system.content.texts(), "\\n"));
        for (name, text) in std::mem::take(&mut system.sections) {
            let known = self.sections.iter().position(|section| section.0 == name);
            match (known.and_then(|at| self.sections.get_mut(at)), text) {
                (Some(section), Some(text)) => section.1 = clean(text.inner()).into_owned(),
                (None, Some(text)) => self.sections.push((name, clean(text.inner()).into_owned())),
                (_, None) => self.sections.retain(|section| section.0 != name),
            }
        }
    }

    fn add(&mut self, tools: Vec<Tool<'a>>) {
        for tool in tools {
            let name = tool.name.text();
            match self.places.get(&name).and_then(|place| self.tools.get_mut(place)) {
                Some(known) => *known = Some(tool),
                None => {
                    self.places.set(&name, self.tools.len());
                    self.tools.push(Some(tool));
                }
            }
        }
    }

    fn remove(&mut self, name: &str) {
        if let Some(tool) = self.places.remove(name).and_then(|place| self.tools.get_mut(place)) {
            *tool = None;
        }
    }

    fn head(self) -> Head<'a> {
        let mut pieces = self.texts;
        pieces.extend(self.sections.into_iter().map(|section| section.1));
        pieces.retain(|piece| !piece.is_empty());
        Head { prompt: pieces.join("\\n\\n"), tools: self.tools.into_iter().flatten().collect() }
    }
}

/// Texts in one, still escaped and without quotes.
pub(crate) fn joined<'a>(texts: impl Iterator<Item = Literal<'a>>, separator: &str) -> String {
    let mut out = String::new();
    for (index, text) in texts.enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        out.push_str(&clean(text.inner()));
    }
    out
}

/// A later system message as the model reads it in place (escaped, without quotes). Changed sections are named.
pub(crate) fn update_text(system: &System<'_>) -> String {
    let mut parts = vec![joined(system.content.texts(), "\\n")];
    for (name, text) in &system.sections {
        let name = &escaped(&["\"", name, "\""].concat());
        parts.push(match text {
            Some(text) => ["Updated system prompt section ", name, ":\\n\\n", &clean(text.inner())].concat(),
            None => ["Removed system prompt section ", name, "."].concat(),
        });
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\\n\\n")
}

/// How a provider wants tool-call ids.
pub(crate) trait CallIds {
    /// The form of `id` for the target. `own`: the target model itself made it. Attempts above 0 ask for another
    /// form each, because the ones before belong to other calls.
    fn adapt(&self, id: &str, own: bool, attempt: u32) -> String;
}

/// Makes a conversation acceptable to `model`. Afterwards every call has an id of its own in the provider's form and
/// exactly one result, right behind its message; no result lacks its call; answers that failed are gone, and so is
/// everything only their author may see again.
pub(crate) fn hand_off<'a>(messages: Vec<Message<'a>>, model: &Model<'_>, ids: &dyn CallIds) -> Vec<Message<'a>> {
    let mut turns =
        Turns { ids, turns: Vec::with_capacity(messages.len()), open: NameMap::default(), used: NameMap::default() };
    for Message { timestamp, body } in messages {
        match body {
            Body::Assistant(assistant) if assistant.failed => turns.forget(&assistant),
            Body::Assistant(assistant) => {
                let own = is_own(&assistant, model);
                turns.assistant(timestamp, for_model(assistant, own), own);
            }
            Body::Result(mut result) => {
                if !model.images {
                    result.parts = without_images(result.parts, TOOL_IMAGE);
                }
                turns.result(result);
            }
            Body::User(Content::Parts(parts)) if !model.images => {
                turns.plain(timestamp, Body::User(Content::Parts(without_images(parts, USER_IMAGE))));
            }
            body => turns.plain(timestamp, body),
        }
    }
    let mut messages = turns.into_messages();
    fill_end(&mut messages);
    messages
}

/// Providers leave out what says nothing. Where the conversation would then end with an answer, or be empty, the message
/// of the user gets words.
fn fill_end(messages: &mut [Message<'_>]) {
    let (mut blank, mut answered) = (None, true);
    for (at, message) in messages.iter().enumerate() {
        match &message.body {
            Body::System(_) => {}
            Body::User(content) if is_blank(content) => blank = Some(at),
            body => (answered, blank) = (matches!(body, Body::Assistant(_)), None),
        }
    }
    if let Some(message) = blank.filter(|_| answered).and_then(|at| messages.get_mut(at)) {
        message.body = Body::User(Content::Text(Literal::of_span(NO_WORDS)));
    }
}

fn is_blank(content: &Content<'_>) -> bool {
    match content {
        Content::Text(text) => text.is_blank(),
        Content::Parts(parts) => parts.iter().all(|part| match part {
            Part::Image { .. } => false,
            part => part.text().is_none_or(Literal::is_blank),
        }),
    }
}

const USER_IMAGE: &str = "\"(image omitted: model does not support images)\"";
const TOOL_IMAGE: &str = "\"(tool image omitted: model does not support images)\"";
const NO_WORDS: &str = "\"(empty message)\"";
const NO_RESULT: &str = "\"No result provided\"";

/// Every run of images becomes one text.
fn without_images<'a>(parts: Vec<Part<'a>>, placeholder: &'static str) -> Vec<Part<'a>> {
    let placeholder = Literal::of_span(placeholder);
    let mut out: Vec<Part<'a>> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Image { .. } => {
                let said = out.last().and_then(Part::text).is_some_and(|text| text.inner() == placeholder.inner());
                if !said {
                    out.push(Part::Text { text: placeholder, signature: None });
                }
            }
            part => out.push(part),
        }
    }
    out
}

/// Whether the target model itself made an answer.
pub(crate) fn is_own(assistant: &Assistant<'_>, model: &Model<'_>) -> bool {
    assistant.provider.is(&model.provider) && assistant.api.is(&model.api) && assistant.model.is(&model.id)
}

/// Leaves out what only the model that made it may see: thinking and signatures.
fn for_model(mut assistant: Assistant<'_>, own: bool) -> Assistant<'_> {
    if own {
        assistant.parts.retain(|part| match part {
            Part::Thinking { text, signature, redacted } => *redacted || signature.is_some() || !text.is_blank(),
            _ => true,
        });
        return assistant;
    }
    assistant.parts.retain(|part| !matches!(part, Part::Thinking { .. }));
    for part in &mut assistant.parts {
        match part {
            Part::Text { signature, .. } | Part::Call(Call { signature, .. }) => *signature = None,
            _ => {}
        }
    }
    assistant
}

/// A message with the results that belong right behind it.
struct Turn<'a> {
    message: Message<'a>,
    calls: Vec<Pending<'a>>,
    results: Vec<ToolResult<'a>>,
}

/// A call of a message.
struct Pending<'a> {
    /// The id it came with.
    came: Cow<'a, str>,
    id: String,
    name: Literal<'a>,
    answered: bool,
}

struct Turns<'a, 'c> {
    ids: &'c dyn CallIds,
    turns: Vec<Turn<'a>>,
    /// The turn whose calls wait for a result, by the id they came with. Only the latest message with an id counts,
    /// for providers use ids again.
    open: NameMap,
    /// Adapted ids that are taken, each with the last attempt to find another form of it.
    used: NameMap,
}

impl<'a> Turns<'a, '_> {
    fn plain(&mut self, timestamp: f64, body: Body<'a>) {
        self.turns.push(Turn { message: Message { timestamp, body }, calls: Vec::new(), results: Vec::new() });
    }

    /// Results of a dropped message must not find an older call.
    fn forget(&mut self, assistant: &Assistant<'a>) {
        for part in &assistant.parts {
            if let Part::Call(call) = part {
                self.open.remove(call.id.as_ref());
            }
        }
    }

    fn assistant(&mut self, timestamp: f64, mut assistant: Assistant<'a>, own: bool) {
        let turn = self.turns.len();
        let mut calls = Vec::new();
        for part in &mut assistant.parts {
            if let Part::Call(call) = part {
                let id = self.unique(&call.id, own);
                self.open.set(&call.id, turn);
                call.came = std::mem::replace(&mut call.id, Cow::Owned(id.clone()));
                let came = call.came.clone();
                calls.push(Pending { came, id, name: call.name, answered: false });
            }
        }
        let message = Message { timestamp, body: Body::Assistant(assistant) };
        self.turns.push(Turn { message, calls, results: Vec::new() });
    }

    fn unique(&mut self, id: &str, own: bool) -> String {
        let first = self.ids.adapt(id, own, 0);
        let mut adapted = first.clone();
        if let Some(mut attempt) = self.used.get(&first) {
            while self.used.get(&adapted).is_some() {
                attempt += 1;
                adapted = self.ids.adapt(id, own, attempt as u32);
            }
            self.used.set(&first, attempt);
        }
        self.used.set(&adapted, 0);
        adapted
    }

    /// Puts a result behind its call; without one it is left out.
    fn result(&mut self, mut result: ToolResult<'a>) {
        let Some(turn) = self.open.get(&result.call_id).and_then(|turn| self.turns.get_mut(turn)) else {
            return;
        };
        // Results may come in any order; the search starts where the one before ended, so that a batch in order is
        // linear.
        let waits = |call: &Pending<'_>| !call.answered && call.came == result.call_id;
        let answered = turn.results.len().min(turn.calls.len());
        let (before, after) = turn.calls.split_at_mut(answered);
        let found = after.iter_mut().find(|call| waits(call)).or_else(|| before.iter_mut().find(|call| waits(call)));
        if let Some(call) = found {
            call.answered = true;
            result.call_id = Cow::Owned(call.id.clone());
            result.tool_name = call.name;
            turn.results.push(result);
        }
    }

    fn into_messages(self) -> Vec<Message<'a>> {
        let mut messages = Vec::with_capacity(self.turns.len());
        for turn in self.turns {
            let timestamp = turn.message.timestamp;
            messages.push(turn.message);
            let missing = turn.calls.into_iter().filter(|call| !call.answered).map(|call| ToolResult {
                call_id: Cow::Owned(call.id),
                tool_name: call.name,
                parts: vec![Part::Text { text: Literal::of_span(NO_RESULT), signature: None }],
                is_error: true,
            });
            let results = turn.results.into_iter().chain(missing);
            messages.extend(results.map(|result| Message { timestamp, body: Body::Result(result) }));
        }
        messages
    }
}

/// A tool name every provider takes. A model may have called something that is no name at all.
pub(crate) fn tool_name(name: Literal<'_>) -> Cow<'_, str> {
    let text = name.text();
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    if text.len() <= 128
        && text.bytes().all(|byte| fits(&byte))
        && text.bytes().next().is_some_and(|byte| starts(&byte))
    {
        return text;
    }
    let kept =
        text.bytes().filter(|byte| byte & 0xc0 != 0x80).map(|byte| if fits(&byte) { char::from(byte) } else { '_' });
    let mut clean: String = kept.take(120).collect();
    if !clean.bytes().next().is_some_and(|byte| starts(&byte)) {
        clean.insert_str(0, if clean.is_empty() { "unknown" } else { "_" });
    }
    Cow::Owned(clean)
}
