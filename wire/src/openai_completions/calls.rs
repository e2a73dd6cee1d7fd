//! Which tool call a delta belongs to. Hosts name calls by index, by id, by both, or not at all (PROVIDERS 5.4).

use crate::draft::Draft;
use crate::ids::made;
use crate::order::NameMap;
use crate::source::{names, Source, ABSENT};
use crate::tool_args::is_object;
use crate::tools::grammar_start;
use crate::write::escaped;
use std::borrow::Cow;

/// Stands for the index of the one call that the older `function_call` can make.
const LEGACY: &str = "function_call";

/// The calls of one response.
#[derive(Default)]
pub(super) struct Calls {
    list: Vec<Call>,
    /// By their index, as written.
    by_index: NameMap,
    by_id: NameMap,
    last: Option<usize>,
}

#[derive(Default)]
struct Call {
    /// Index of its content block.
    block: u32,
    id: String,
    name: String,
    /// As written; empty where it is absent.
    index: String,
    /// For a grammar tool, how far the JSON around its text has got.
    grammar: Option<Grammar>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grammar {
    Untouched,
    Inside,
}

/// A delta that only added argument text: the block and the source of the text.
pub(super) type Appended<'a> = Option<(u32, &'a str)>;

/// One entry of `tool_calls`. Texts are empty where they are absent.
struct Delta<'a> {
    index: &'a str,
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    /// A string, or an object that stands for its own text.
    arguments: Source<'a>,
    /// A string: text for a grammar tool.
    input: Source<'a>,
}

impl Calls {
    /// Takes the deltas of one event: its `tool_calls`. Says so when there was no more than a piece of one call's
    /// arguments.
    pub fn take_list<'a>(&mut self, list: &Source<'a>, draft: &mut Draft) -> Appended<'a> {
        let (mut appended, mut count) = (None, 0);
        for item in list.items() {
            let [index, id, function, custom, ..] = &item.pick(names!["index", "id", "function", "custom"]);
            let index = if index.number().is_some() { index.span } else { "" };
            appended = self.take(index, id, function, custom, draft);
            count += 1;
        }
        appended.filter(|_| count == 1)
    }

    /// Takes a `function_call`.
    pub fn take_legacy(&mut self, call: &Source<'_>, draft: &mut Draft) {
        self.take(LEGACY, ABSENT, call, ABSENT, draft);
    }

    /// `function` may be the older `function_call`.
    fn take<'a>(
        &mut self,
        index: &'a str,
        id: &Source<'a>,
        function: &Source<'a>,
        custom: &Source<'a>,
        draft: &mut Draft,
    ) -> Appended<'a> {
        let [name, arguments, ..] = &function.pick(names!["name", "arguments"]);
        let [custom_name, input, ..] = &custom.pick(names!["name", "input"]);
        let delta = Delta {
            index,
            // A client library of Mistral's writes an absent one like this.
            id: if id.reads("\"null\"") { "".into() } else { id.string() },
            name: name.said().or(custom_name).string(),
            arguments: *arguments.only(b'"').or(arguments.only(b'{')),
            input: *input.only(b'"'),
        };
        let known = self.find(&delta, draft);
        let is_new = known.is_none();
        let at = known.unwrap_or(self.list.len());
        self.last = Some(at);
        if is_new {
            let block = draft.open_call(&delta.id, &delta.name);
            let grammar = Some(Grammar::Untouched).filter(|_| !delta.input.is_absent());
            self.list.push(Call { block, grammar, ..Call::default() });
        }
        let call = self.list.get_mut(at)?;
        let mut plain = !is_new && delta.id.is_empty() && delta.name.is_empty() && delta.index == call.index;
        if call.index.is_empty() && !delta.index.is_empty() {
            call.index.push_str(delta.index);
            self.by_index.set(delta.index, at);
        }
        if !delta.id.is_empty() {
            self.by_id.set(&delta.id, at);
        }
        for (name, known, text) in [("id", &mut call.id, &delta.id), ("name", &mut call.name, &delta.name)] {
            if known.is_empty() && !text.is_empty() {
                known.push_str(text);
                match name {
                    _ if is_new => {}
                    "id" => draft.set_call_id(call.block, text),
                    _ => draft.set_text(call.block, name, text),
                }
            }
        }
        if !delta.input.is_absent() {
            let text = call.grammar_piece(&delta.input.string(), &draft.grammar);
            draft.argue_text(call.block, &text);
            return None;
        }
        let arguments = delta.arguments;
        plain &= arguments.is(b'"') && call.grammar.is_none();
        if arguments.is(b'{') {
            draft.argue_text(call.block, arguments.span);
        } else {
            draft.argue(call.block, &arguments);
        }
        Some((call.block, arguments.span)).filter(|_| plain)
    }

    /// The call of a delta; `None` for a new one.
    fn find(&self, delta: &Delta<'_>, draft: &Draft) -> Option<usize> {
        if delta.index.is_empty() {
            let last = self.list.get(self.last?)?;
            if !delta.id.is_empty() {
                // A call that has neither id nor name yet gets them late.
                let late = last.id.is_empty() && last.name.is_empty();
                return self.by_id.get(&delta.id).or(self.last.filter(|_| late));
            }
            // Nothing says which: it goes on with the last one, unless it names another tool.
            return self.last.filter(|_| delta.name.is_empty() || last.name.is_empty());
        }
        let same = |at: &usize| self.list.get(*at).is_some_and(|call| call.index == delta.index);
        let at = self.last.filter(same).or_else(|| self.by_index.get(delta.index))?;
        let call = self.list.get(at)?;
        if delta.name.is_empty() || call.name.is_empty() {
            return Some(at);
        }
        // Some hosts count every call as number 0.
        let another = if delta.id.is_empty() {
            is_object(draft.call_text(call.block)) && delta.arguments.span.len() > 2
        } else {
            !call.id.is_empty() && call.id != delta.id
        };
        if another {
            return self.by_id.get(&delta.id);
        }
        Some(at)
    }

    /// The response is over: grammar texts are closed, and calls without an id get one; the response's own makes ids of
    /// different responses differ.
    pub fn finish(&mut self, draft: &mut Draft) {
        for (at, call) in self.list.iter_mut().enumerate() {
            if let Some(state) = call.grammar {
                let start = match state {
                    Grammar::Untouched => grammar_start(&draft.grammar, &call.name),
                    Grammar::Inside => String::new(),
                };
                draft.argue_text(call.block, &[&start, "\"}"].concat());
            }
            if call.id.is_empty() {
                let id = made(&[&draft.response_id, &call.name], at as u64);
                draft.set_call_id(call.block, &id);
            }
        }
    }
}

impl Call {
    /// A piece of a grammar tool's text, as a piece of JSON arguments.
    fn grammar_piece(&mut self, text: &str, grammar: &[(String, String)]) -> String {
        if text.is_empty() {
            return String::new();
        }
        let mut out = match self.grammar.replace(Grammar::Inside) {
            Some(Grammar::Inside) => String::new(),
            _ => grammar_start(grammar, &self.name),
        };
        out.push_str(&escaped(text));
        out
    }
}
