//! A conversation that is kept in a file, in plain Rust and without a network: `cargo run --example session`.
//!
//! It is recorded, summarised, taken back to an earlier place, and opened again. The model is scripted here.
#![allow(clippy::disallowed_macros, clippy::disallowed_types, clippy::print_stdout)] // an example has a clock, and may print

use std::cell::RefCell;
use std::collections::hash_map::RandomState;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures::executor::block_on;
use futures::future::LocalBoxFuture;
use steersman::agent::Agent;
use steersman::json::parse;
use steersman::model::Model;
use steersman::native::{
    AgentEvent, AgentMessage, AssistantMessage, Request, ResponseEvent, ResponseSink, StopReason, StreamFn,
};
use steersman::session::append::Extras;
use steersman::session::branches::set_value;
use steersman::session::files::by_name;
use steersman::session::jsonl::{JsonlStore, Log};
use steersman::session::store::{SessionStore, TIPS};
use steersman::session::summary::{answer_text, compaction_requests, compaction_summary, SYSTEM_PROMPT};
use steersman::session::{SessionError, SessionTree, Stamp};

/// The log of a session in a file. The library knows no files.
struct FileLog(File);

impl FileLog {
    fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self(OpenOptions::new().create(true).read(true).append(true).open(path)?))
    }
}

/// What the store hands on.
fn failed(_: std::io::Error) -> SessionError {
    SessionError { code: "file", line: None }
}

impl Log for FileLog {
    fn read_all(&mut self) -> Result<Vec<u8>, SessionError> {
        let mut bytes = Vec::new();
        self.0.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.0.read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
    fn append(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        self.0.write_all(bytes).map_err(failed)
    }
    fn flush(&mut self) -> Result<(), SessionError> {
        self.0.sync_data().map_err(failed)
    }
    fn truncate(&mut self, length: u64) -> Result<(), SessionError> {
        self.0.set_len(length).map_err(failed)
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_millis() as f64)
}

/// Eight random digits, as in files of pi.
fn random_id() -> Option<String> {
    Some(format!("{:08x}", RandomState::new().build_hasher().finish() as u32))
}

/// A conversation and where it is kept.
struct Notebook {
    tree: SessionTree,
    store: JsonlStore<FileLog>,
}

impl Notebook {
    /// Begins a session in a file that is not there yet.
    fn create(path: &Path) -> Result<Self, Box<dyn Error>> {
        let tree = SessionTree::new("harbour", "/project", None, now())?;
        let mut store = JsonlStore::create(FileLog::open(path)?, tree.header().clone())?;
        store.create_branch("main", None, now())?;
        Ok(Self { tree, store })
    }

    /// Opens it again. What a crash left of a last line is cut off.
    fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        let store = JsonlStore::open(FileLog::open(path)?)?;
        let tree = store.memory().tree(store.header().clone(), "main")?;
        Ok(Self { tree, store })
    }

    /// Adds an entry to the tree, and to the file.
    fn add(
        &mut self,
        append: impl FnOnce(&mut SessionTree, &mut Stamp<'_>) -> Result<usize, SessionError>,
    ) -> Result<(), SessionError> {
        let mut ids = random_id;
        let added = append(&mut self.tree, &mut Stamp { ids: &mut ids, now: now() })?;
        self.store.record("main", &self.tree, added)
    }

    /// Goes on from an entry. The file remembers the place.
    fn go_to(&mut self, id: &str) -> Result<(), SessionError> {
        self.tree.branch(Some(id))?;
        self.store.commit(vec![set_value(TIPS, "main", id.into())], now()).map(drop)
    }

    /// What the model is to see, as messages of an agent.
    fn messages(&self) -> Result<Vec<Rc<AgentMessage>>, Box<dyn Error>> {
        let messages = self.tree.context(self.tree.leaf()).for_model();
        let messages: Result<Vec<_>, _> = messages.iter().map(AgentMessage::from_json).collect();
        Ok(messages?.into_iter().map(Rc::new).collect())
    }
}

/// A model that counts what it is sent.
struct Scripted;

impl StreamFn for Scripted {
    fn stream<'a>(&'a self, request: Request, answer: &'a ResponseSink) -> LocalBoxFuture<'a, AssistantMessage> {
        Box::pin(async move {
            let asked = request.messages.last().map(|message| message.text()).unwrap_or_default();
            let said = match asked.contains("<conversation>") {
                true => "## Goal\nA trip to the harbour.".to_owned(),
                false => format!("I was sent {} messages.", request.messages.len()),
            };
            let sent = async {
                answer.push(ResponseEvent::Start).await?;
                answer.push(ResponseEvent::TextStart { index: 0 }).await?;
                answer.push(ResponseEvent::TextDelta { index: 0, delta: said.into() }).await?;
                answer.push(ResponseEvent::TextEnd { index: 0 }).await
            };
            let stop_reason = if sent.await.is_ok() { StopReason::Stop } else { StopReason::Error };
            AssistantMessage { stop_reason, ..answer.partial() }
        })
    }
}

fn agent(system_prompt: &str) -> Result<Agent, Box<dyn Error>> {
    let model = Model::openai_compatible("http://localhost:8080/v1", "scripted");
    Ok(Agent::builder().system_prompt(system_prompt).model(model).stream_fn(Scripted).build()?)
}

/// Puts a summary in place of all but the newest messages. `false`: there is nothing to summarise.
fn compact(notebook: &mut Notebook, keep_tokens: f64) -> Result<bool, Box<dyn Error>> {
    let Some(ready) = notebook.tree.prepare_compaction(notebook.tree.leaf(), keep_tokens, &by_name) else {
        return Ok(false);
    };
    let mut answers = Vec::new();
    for request in compaction_requests(&ready, "") {
        // A conversation of its own.
        let writer = agent(SYSTEM_PROMPT)?;
        block_on(writer.prompt(request.as_str()))?;
        let answer = writer.messages().last().map(|message| message.to_json()).unwrap_or_default();
        answers.push(answer_text(&parse(&answer)?)?);
    }
    let summary = compaction_summary(&ready, &answers);
    let extras = Extras { details: Some(ready.files.details()), ..Extras::default() };
    notebook.add(|tree, stamp| {
        tree.append_compaction(&summary, Some(&ready.first_kept), ready.tokens_before, &extras, stamp)
    })?;
    Ok(true)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("steersman-example-{}.jsonl", std::process::id()));
    let notebook = Rc::new(RefCell::new(Notebook::create(&path)?));

    // Every message goes into the file before the run goes on: the prompt that is there, and what comes.
    let agent = agent("Be brief.")?;
    for message in agent.messages() {
        let message = parse(&message.to_json())?;
        notebook.borrow_mut().add(|tree, stamp| tree.append_message(message, stamp))?;
    }
    let recorder = Rc::clone(&notebook);
    let _subscription = agent.subscribe(move |event: &AgentEvent| {
        let AgentEvent::MessageEnd { message } = event else { return };
        let message = parse(&message.to_json()).unwrap_or_default();
        if let Err(error) = recorder.borrow_mut().add(|tree, stamp| tree.append_message(message, stamp)) {
            println!("not stored: {error}");
        }
    });
    for question in ["When does the ferry leave?", "And the next one?", "What does it cost?"] {
        block_on(agent.prompt(question))?;
    }
    let said = agent.messages().last().map(|message| message.text()).unwrap_or_default();
    println!("before: {said}");

    // A summary in place of the older part; the entries stay in the file.
    println!("compacted: {}", compact(&mut notebook.borrow_mut(), 10.0)?);
    agent.set_messages(notebook.borrow().messages()?);
    block_on(agent.prompt("Where do I buy tickets?"))?;
    let said = agent.messages().last().map(|message| message.text()).unwrap_or_default();
    println!("after: {said}");

    // Back to the first answer, and on from there: a second branch.
    let path_to_leaf = notebook.borrow().tree.path(notebook.borrow().tree.leaf());
    let first_answer = path_to_leaf.get(2).map(|&position| notebook.borrow().tree.id_at(position).to_owned());
    notebook.borrow_mut().go_to(&first_answer.unwrap_or_default())?;
    agent.set_messages(notebook.borrow().messages()?);
    block_on(agent.prompt("Is there a train?"))?;

    // Another process: the same tree, and it goes on where it stood.
    let entries = notebook.borrow().tree.len();
    drop((agent, _subscription, notebook));
    let again = Notebook::open(&path)?;
    println!("opened: {} of {entries} entries", again.tree.len());
    let leaves = (0..again.tree.len()).filter(|&at| again.tree.children(Some(at)).is_empty()).count();
    println!("branches: {leaves}");
    for message in again.messages()? {
        println!("{}: {}", message.role(), message.text());
    }

    // The file of pi, too.
    let file = again.tree.export();
    println!("file: {} lines", file.lines().count());
    std::fs::remove_file(&path)?;
    Ok(())
}
