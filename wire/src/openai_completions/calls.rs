//! Which tool call a delta belongs to. Hosts name calls by index, by id, by both, or not at all (PROVIDERS 5.4).

use super::chunk::CallDelta;
use crate::draft::{Draft, Source};
use crate::ids::hash;
use crate::json::Reader;
use crate::order::NameMap;
use crate::read::Read;
use crate::text::decimal;
use crate::tool_args::is_object;
use crate::tools::grammar_start;
use crate::write::escaped;

/// Index of the one call that the older `function_call` can make.
const LEGACY: i64 = i64::MIN;

/// The calls of one response.
#[derive(Default)]
pub(super) struct Calls {
    list: Vec<Call>,
    /// By their number, written out.
    by_index: NameMap,
    by_id: NameMap,
    last: Option<usize>,
}

struct Call {
    /// Index of its content block.
    block: u32,
    id: String,
    name: String,
    index: Option<i64>,
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

impl Calls {
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes the deltas of one event: the source of `tool_calls`. `grammar` lists the grammar tools of the request.
    /// Says so when the event held no more than a piece of one call's arguments.
    pub fn take_list<'a>(
        &mut self,
        list: &'a str,
        grammar: &[(String, String)],
        draft: &mut Draft,
    ) -> Read<Appended<'a>> {
        let source = Source { span: list };
        let (mut appended, mut count) = (None, 0);
        crate::read::items(&mut source.reader(), |reader| {
            count += 1;
            appended = self.take(&CallDelta::read(reader)?, grammar, draft);
            Ok(())
        })?;
        Ok(appended.filter(|_| count == 1))
    }

    /// Takes the source of a `function_call`.
    pub fn take_legacy(&mut self, source: &str, draft: &mut Draft) -> Read<()> {
        let mut delta = CallDelta { index: Some(LEGACY), ..CallDelta::default() };
        let mut reader: Reader<'_> = Reader::new(source);
        delta.function(&mut reader)?;
        self.take(&delta, &[], draft);
        Ok(())
    }

    fn take<'a>(&mut self, delta: &CallDelta<'a>, grammar: &[(String, String)], draft: &mut Draft) -> Appended<'a> {
        let known = self.find(delta, draft);
        let at = known.unwrap_or_else(|| self.open(delta, draft));
        self.last = Some(at);
        let call = self.list.get_mut(at)?;
        let mut plain = known.is_some() && delta.id.is_none() && delta.name.is_none() && delta.index == call.index;
        if let (Some(index), None) = (delta.index, call.index) {
            call.index = Some(index);
            self.by_index.set(&name_of(index), at);
        }
        if let Some(id) = &delta.id {
            self.by_id.set(id, at);
            if call.id.is_empty() {
                call.id = id.clone().into_owned();
                draft.set_text(call.block, "id", id);
            }
        }
        if let Some(name) = delta.name.as_deref().filter(|_| call.name.is_empty()) {
            call.name = name.to_owned();
            draft.set_text(call.block, "name", name);
        }
        if let Some(input) = delta.input {
            let text = call.grammar_piece(Source { span: input }, grammar);
            draft.argue_text(call.block, &text);
            return None;
        }
        let span = delta.arguments.unwrap_or("\"\"");
        plain &= span.starts_with('"') && delta.arguments.is_some() && call.grammar.is_none();
        if span.starts_with('"') {
            draft.argue(call.block, Source { span });
        } else {
            draft.argue_text(call.block, span);
        }
        Some((call.block, span)).filter(|_| plain)
    }

    /// The call of a delta; `None` for a new one.
    fn find(&self, delta: &CallDelta<'_>, draft: &Draft) -> Option<usize> {
        let by_id = || delta.id.as_deref().and_then(|id| self.by_id.get(id));
        let Some(index) = delta.index else {
            let last = self.list.get(self.last?)?;
            if delta.id.is_some() {
                // A call that has neither id nor name yet gets them late.
                return by_id().or(self.last.filter(|_| last.id.is_empty() && last.name.is_empty()));
            }
            // Nothing says which: it goes on with the last one, unless it names another tool.
            return self.last.filter(|_| delta.name.is_none() || last.name.is_empty());
        };
        let same = |at: &usize| self.list.get(*at).is_some_and(|call| call.index == Some(index));
        let at = self.last.filter(same).or_else(|| self.by_index.get(&name_of(index)))?;
        let call = self.list.get(at)?;
        if delta.name.is_none() || call.name.is_empty() {
            return Some(at);
        }
        // Some hosts count every call as number 0.
        let another = match delta.id.as_deref() {
            Some(id) => !call.id.is_empty() && call.id != id,
            None => is_object(draft.call_text(call.block)) && delta.arguments.is_some_and(|span| span.len() > 2),
        };
        if another {
            return by_id();
        }
        Some(at)
    }

    fn open(&mut self, delta: &CallDelta<'_>, draft: &mut Draft) -> usize {
        let id = delta.id.as_deref().unwrap_or_default();
        let name = delta.name.as_deref().unwrap_or_default();
        let at = self.list.len();
        let block = draft.open_call(id, name);
        let grammar = delta.input.map(|_| Grammar::Untouched);
        self.list.push(Call { block, id: id.to_owned(), name: name.to_owned(), index: delta.index, grammar });
        if let Some(index) = delta.index {
            self.by_index.set(&name_of(index), at);
        }
        at
    }

    /// The response is over: grammar texts are closed, and calls without an id get one. `seed` makes ids of different
    /// responses differ.
    pub fn finish(&mut self, seed: &str, grammar: &[(String, String)], draft: &mut Draft) {
        for (at, call) in self.list.iter_mut().enumerate() {
            if let Some(state) = call.grammar {
                let start = if state == Grammar::Untouched { call.grammar_start(grammar) } else { String::new() };
                draft.argue_text(call.block, &[&start, "\"}"].concat());
            }
            if call.id.is_empty() {
                let number = decimal(at as u64);
                let id = ["call_", &hash(&[seed, &call.name].concat()), "_", &number].concat();
                draft.set_text(call.block, "id", &id);
            }
        }
    }
}

/// An index as a name.
fn name_of(index: i64) -> String {
    [if index < 0 { "-" } else { "" }, &decimal(index.unsigned_abs())].concat()
}

impl Call {
    /// A piece of a grammar tool's text, as a piece of JSON arguments.
    fn grammar_piece(&mut self, input: Source<'_>, grammar: &[(String, String)]) -> String {
        let text = input.reader().string().unwrap_or_default();
        if text.is_empty() {
            return String::new();
        }
        let mut out = match self.grammar.replace(Grammar::Inside) {
            Some(Grammar::Inside) => String::new(),
            _ => self.grammar_start(grammar),
        };
        out.push_str(&escaped(&text));
        out
    }

    fn grammar_start(&self, grammar: &[(String, String)]) -> String {
        grammar_start(grammar, &self.name)
    }
}
