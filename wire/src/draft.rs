//! The message while it is being received: what every decoder writes to. It keeps the books that all wires share and
//! turns each step into records.

use crate::batch::{kind, Batch, Range};
use crate::failure::Failure;
use crate::json::{repair, Reader};
use crate::model::Model;
use crate::order::NameMap;
use crate::request::ANSWER_TOOL;
use crate::source::Source;
use crate::text::decimal;
use crate::tool_args::{is_object, ToolArgs};
use crate::usage::Usage;
use crate::write::Writer;

/// Kinds of content blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Text,
    Thinking,
    Call,
}

/// Members to be set: an object that is open.
pub(crate) fn members() -> Writer {
    let mut out = Writer::default();
    out.open();
    out
}

struct Block {
    kind: Kind,
    /// A call whose arguments are the answer: the host sees a text.
    answers: bool,
    open: bool,
    /// Of a call, if it came when the call began.
    id: String,
    /// First half of a surrogate pair whose other half comes with the next delta.
    carry: Option<u16>,
    arguments: Option<Box<ToolArgs>>,
}

/// A message in the making.
#[derive(Default)]
pub(crate) struct Draft {
    pub batch: Batch,
    blocks: Vec<Block>,
    /// Ids of its calls.
    ids: NameMap,
    scratch: String,
    /// Source of the model's `cost`.
    pub cost: String,
    /// Whether the host wants to see the provider's events too.
    pub echo: bool,
    by_tool: bool,
    pub usage: Option<Usage>,
    /// The provider's own word for why it stopped; empty while there is none.
    pub raw_stop_reason: String,
    /// Grammar tools of the request: name and the argument that takes the text.
    pub grammar: Vec<(String, String)>,
    /// The provider's id of the response, once it is known.
    pub response_id: String,
    /// The model that was asked for; empty once another one has answered.
    model: String,
    /// What is to be said of a stream that ends too early.
    pub unfinished: String,
    /// Why the response fails.
    pub failure: Failure,
    /// The stop reason, once it is known.
    pub stop: &'static str,
}

impl Draft {
    /// Takes over what it needs of the model.
    pub fn set_up(&mut self, model: &Model<'_>) {
        self.cost.push_str(model.at.at("cost").span());
        self.echo = model.at.is_true("echo");
        self.by_tool = model.at.is_true("answersByTool");
        self.model.push_str(&model.id);
        for tool in model.at.at("grammarTools").members() {
            self.grammar.push((tool.name().text().into_owned(), tool.as_text().into_owned()));
        }
    }

    /// How many blocks there are; the index of the next one.
    pub fn len(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The response begins.
    pub fn start(&mut self) {
        self.batch.record(kind::START, 0, Range::default());
    }

    /// The kind of a block that is open.
    #[inline(never)]
    pub fn kind_of(&self, index: u32) -> Option<Kind> {
        self.blocks.get(index as usize).filter(|block| block.open).map(|block| block.kind)
    }

    /// Whether any block is a tool call.
    pub fn has_call(&self) -> bool {
        self.blocks.iter().any(|block| block.kind == Kind::Call && !block.answers)
    }

    /// Whether a call gave the answer.
    pub fn has_answer(&self) -> bool {
        self.blocks.iter().any(|block| block.answers)
    }

    fn answers(&self, index: u32) -> bool {
        self.blocks.get(index as usize).is_some_and(|block| block.answers)
    }

    /// Opens a text or thinking block.
    pub fn open(&mut self, kind: Kind) -> u32 {
        let index = self.len();
        self.blocks.push(Block { kind, answers: false, open: true, id: String::new(), carry: None, arguments: None });
        let record = if kind == Kind::Text { kind::TEXT_START } else { kind::THINKING_START };
        self.batch.record(record, index, Range::default());
        index
    }

    /// Opens a tool call; id and name may come later. An id that another call has gets a number.
    pub fn open_call(&mut self, id: &str, name: &str) -> u32 {
        let index = self.len();
        let answers = self.by_tool && name == ANSWER_TOOL;
        let id = self.own_id(id);
        if answers {
            self.batch.record(kind::TEXT_START, index, Range::default());
        } else {
            self.batch.push(kind::TOOLCALL_START, index, &id);
            self.batch.push(kind::MORE, index, name);
        }
        let arguments = Some(Box::default());
        self.blocks.push(Block { kind: Kind::Call, answers, open: true, id, carry: None, arguments });
        index
    }

    /// The id of a call comes late.
    pub fn set_call_id(&mut self, index: u32, id: &str) {
        let id = self.own_id(id);
        self.set_text(index, "id", &id);
    }

    fn own_id(&mut self, id: &str) -> String {
        let numbered = |number| match number {
            0 => id.to_owned(),
            _ => [id, "_", &decimal(number as u64)].concat(),
        };
        if id.is_empty() {
            String::new()
        } else {
            self.ids.add_free(&numbered)
        }
    }

    /// More text for a text or thinking block. An empty piece makes no record.
    pub fn say(&mut self, index: u32, piece: &Source<'_>) {
        let Some(block) = self.blocks.get_mut(index as usize) else {
            return;
        };
        let range = self.batch.place_with(|text| piece.decode(text, &mut block.carry));
        self.batch.say_record(block.kind, index, range);
    }

    /// The provider said nothing, in so many words.
    pub fn say_nothing(&mut self, index: u32) {
        if let Some(kind) = self.kind_of(index) {
            let record = if kind == Kind::Text { kind::TEXT_DELTA } else { kind::THINKING_DELTA };
            self.batch.record(record, index, Range::default());
        }
    }

    /// One more delta for a block of any kind, if `span` is exactly one string of well-formed JSON. Otherwise nothing
    /// happens and the answer is false.
    pub fn append(&mut self, index: u32, span: &str) -> bool {
        let Some(block) = self.blocks.get_mut(index as usize) else {
            return false;
        };
        let (mark, carry) = (self.batch.mark(), block.carry);
        let mut reader = Reader::new(span);
        let mut read = Ok(());
        let range = if block.kind == Kind::Call {
            self.scratch.clear();
            read = reader.string_onto(&mut self.scratch, &mut block.carry);
            Range::default()
        } else {
            self.batch.place_with(|text| read = reader.string_onto(text, &mut block.carry))
        };
        if read.is_err() || reader.offset() != span.len() {
            block.carry = carry;
            self.batch.rewind(mark);
            return false;
        }
        match block.kind {
            Kind::Call => self.argue_scratch(index),
            kind => self.batch.say_record(kind, index, range),
        }
        true
    }

    /// More argument text for a call. Every piece makes a record, an empty one too.
    pub fn argue(&mut self, index: u32, piece: &Source<'_>) {
        let Some(block) = self.blocks.get_mut(index as usize) else {
            return;
        };
        self.scratch.clear();
        piece.decode(&mut self.scratch, &mut block.carry);
        self.argue_scratch(index);
    }

    /// [`argue`](Self::argue) with the text itself.
    pub fn argue_text(&mut self, index: u32, piece: &str) {
        self.scratch.clear();
        self.scratch.push_str(piece);
        self.argue_scratch(index);
    }

    fn argue_scratch(&mut self, index: u32) {
        let answers = self.answers(index);
        let arguments = self.blocks.get_mut(index as usize).and_then(|block| block.arguments.as_deref_mut());
        if let Some(arguments) = arguments {
            let range = self.batch.place(&self.scratch);
            let mark = self.batch.mark();
            arguments.push(&self.scratch, range, index, &mut self.batch);
            if answers {
                self.batch.rewind(mark);
                return self.batch.say_record(Kind::Text, index, range);
            }
            self.batch.record(kind::TOOLCALL_DELTA, index, range);
        }
    }

    /// The argument text of an open call so far.
    pub fn call_text(&self, index: u32) -> &str {
        let block = self.blocks.get(index as usize);
        block.and_then(|block| block.arguments.as_deref()).map(ToolArgs::text).unwrap_or_default()
    }

    /// Sets [`members`] on a block.
    pub fn set(&mut self, index: u32, members: Writer) {
        // What is said of the call has no place on a text.
        if !self.answers(index) {
            self.put(kind::BLOCK_FIELDS, index, members);
        }
    }

    /// Sets a text member on a block.
    pub fn set_text(&mut self, index: u32, name: &str, text: &str) {
        let mut out = members();
        out.key(name).string(text);
        self.set(index, out);
    }

    /// Sets a member on a block, to a value given as JSON.
    pub fn set_json(&mut self, index: u32, name: &str, value: &str) {
        let mut out = members();
        out.key(name).raw(value);
        self.set(index, out);
    }

    fn put(&mut self, record: u32, index: u32, mut members: Writer) {
        members.close();
        let text = members.into_text();
        if text.len() > 2 {
            self.batch.push(record, index, &text);
        }
    }

    /// Puts a text in place of what was said in a text or thinking block.
    pub fn replace_text(&mut self, index: u32, text: &Source<'_>) {
        if let Some(block) = self.blocks.get_mut(index as usize) {
            block.carry = None;
            let range = self.batch.place_with(|out| text.decode(out, &mut None));
            let record = if block.kind == Kind::Text { kind::TEXT_SET } else { kind::THINKING_SET };
            self.batch.record(record, index, range);
        }
    }

    /// Puts a text in place of all arguments gathered for a call, of which no more come.
    pub fn replace_arguments(&mut self, index: u32, text: &str) {
        let mut arguments = ToolArgs::default();
        // What the edits would say is said by the value itself.
        let mark = self.batch.mark();
        arguments.push(text, Range::default(), index, &mut self.batch);
        self.batch.rewind(mark);
        if self.answers(index) {
            self.batch.push(kind::TEXT_SET, index, text);
        }
        let shown = repair(text);
        self.set_json(index, "arguments", if is_object(&shown) { &shown } else { "{}" });
        if let Some(block) = self.blocks.get_mut(index as usize) {
            block.arguments = Some(Box::new(arguments));
        }
    }

    /// Sets the members of a finished call (source of an object) in place of what was gathered. The id it has stays.
    pub fn replace_call(&mut self, index: u32, call: &str) {
        let Some(block) = self.blocks.get_mut(index as usize) else { return };
        let Some(arguments) = block.arguments.take() else { return };
        let mut id = std::mem::take(&mut block.id);
        if id.is_empty() {
            id = self.own_id(&Source { span: call }.member("id").string());
        }
        let mut out = members();
        arguments.exact_text(&mut out);
        out.members_of(call);
        out.key("id").string(&id);
        self.set(index, out);
    }

    /// The block is complete; further deltas would be wrong.
    pub fn close(&mut self, index: u32) {
        let Some(block) = self.blocks.get_mut(index as usize).filter(|block| block.open) else {
            return;
        };
        block.open = false;
        let record = match block.kind {
            Kind::Text => kind::TEXT_END,
            Kind::Thinking => kind::THINKING_END,
            Kind::Call if block.answers => kind::TEXT_END,
            Kind::Call => kind::TOOLCALL_END,
        };
        if let Some(arguments) = block.arguments.take() {
            let mut out = members();
            arguments.finish(&mut out);
            self.set(index, out);
        }
        self.batch.record(record, index, Range::default());
    }

    /// Completes every open block, in order.
    pub fn close_all(&mut self) {
        (0..self.len()).for_each(|index| self.close(index));
    }

    /// The provider's id of the response; the first one counts.
    pub fn response_id(&mut self, id: &Source<'_>) {
        if self.response_id.is_empty() {
            self.latest_id(id);
        }
    }

    /// The provider's id of the response; the last one counts.
    pub fn latest_id(&mut self, id: &Source<'_>) {
        let id = id.string();
        if !id.is_empty() && id != self.response_id {
            self.field("responseId", &id);
            self.response_id = id.into_owned();
        }
    }

    /// The model that answers. Another one than was asked for is told; the first word counts.
    pub fn response_model(&mut self, model: &Source<'_>) {
        let model = model.string();
        if !model.is_empty() && !self.model.is_empty() && model != self.model {
            self.field("responseModel", &model);
            self.model.clear();
        }
    }

    /// Sets a text member on the message.
    pub fn field(&mut self, name: &str, value: &str) {
        let mut out = members();
        out.key(name).string(value);
        self.fields(out);
    }

    /// Sets [`members`] on the message.
    pub fn fields(&mut self, members: Writer) {
        self.put(kind::FIELDS, 0, members);
    }

    /// Token counts, from nothing on.
    #[inline(never)]
    pub fn new_usage(&mut self) -> &mut Usage {
        self.usage.insert(Usage::NONE)
    }
}

impl Batch {
    /// A delta record for text that is already placed, unless it is empty.
    fn say_record(&mut self, kind: Kind, index: u32, range: Range) {
        if range.len > 0 {
            let record = if kind == Kind::Text { kind::TEXT_DELTA } else { kind::THINKING_DELTA };
            self.record(record, index, range);
        }
    }
}
