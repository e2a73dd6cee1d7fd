//! Stores over logs: in a file, in memory, and in a log that fails.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::rc::Rc;

use steersman::session::branches::{insert_entry, set_value};
use steersman::session::jsonl::{JsonlStore, Log};
use steersman::session::memory::MemoryStore;
use steersman::session::store::SessionStore;
use steersman::session::{SessionError, SessionTree};
use steersman_wire::json::{Object, Value};

use crate::ops::EPOCH;

/// A log in memory that others see too, and that fails when it is told to.
#[derive(Clone, Default, Debug)]
pub struct Shared {
    bytes: Rc<RefCell<Vec<u8>>>,
    /// So many operations go well; the next one fails, an append after the half of it.
    good: Rc<RefCell<Option<usize>>>,
    /// Whether cutting fails then, too.
    stuck: bool,
}

impl Shared {
    fn go(&self) -> Result<(), SessionError> {
        match &mut *self.good.borrow_mut() {
            Some(0) => Err(SessionError { code: "quota", line: None }),
            Some(good) => {
                *good -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Log for Shared {
    fn read_all(&mut self) -> Result<Vec<u8>, SessionError> {
        Ok(self.bytes.borrow().clone())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        let result = self.go();
        let written = if result.is_ok() { bytes } else { &bytes[..bytes.len() / 2] };
        self.bytes.borrow_mut().extend_from_slice(written);
        result
    }

    fn flush(&mut self) -> Result<(), SessionError> {
        self.go()
    }

    fn truncate(&mut self, length: u64) -> Result<(), SessionError> {
        if self.stuck {
            self.go()?;
        }
        self.bytes.borrow_mut().truncate(length as usize);
        Ok(())
    }
}

/// A log in a file.
struct FileLog(File);

impl FileLog {
    fn open(path: &Path) -> Self {
        Self(OpenOptions::new().create(true).truncate(false).read(true).append(true).open(path).unwrap())
    }
}

fn told(_: std::io::Error) -> SessionError {
    SessionError { code: "log", line: None }
}

impl Log for FileLog {
    fn read_all(&mut self) -> Result<Vec<u8>, SessionError> {
        let mut bytes = Vec::new();
        self.0.seek(SeekFrom::Start(0)).map_err(told)?;
        self.0.read_to_end(&mut bytes).map_err(told)?;
        Ok(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        self.0.write_all(bytes).map_err(told)
    }

    fn flush(&mut self) -> Result<(), SessionError> {
        self.0.sync_data().map_err(told)
    }

    fn truncate(&mut self, length: u64) -> Result<(), SessionError> {
        self.0.set_len(length).map_err(told)
    }
}

thread_local! {
    /// The logs of the case that is played, by session.
    static LOGS: RefCell<HashMap<String, Shared>> = RefCell::default();
}

fn header(id: &str) -> Value {
    SessionTree::new(id, "/project", None, EPOCH).unwrap().header().clone()
}

/// A store in memory.
pub fn in_memory(_: &str, holds: &MemoryStore) -> Box<dyn SessionStore> {
    Box::new(holds.clone())
}

/// A store in a log.
pub fn in_log(id: &str, holds: &MemoryStore) -> Box<dyn SessionStore> {
    let log = Shared::default();
    LOGS.with(|logs| logs.borrow_mut().insert(id.to_owned(), log.clone()));
    Box::new(JsonlStore::with(log, header(id), holds).unwrap())
}

/// The log of a session, as another process would find it.
pub fn written(id: &str, make: fn(&str, &MemoryStore) -> Box<dyn SessionStore>) -> Option<Shared> {
    let in_log: fn(&str, &MemoryStore) -> Box<dyn SessionStore> = in_log;
    let bytes = LOGS.with(|logs| logs.borrow().get(id).map(|log| log.bytes.borrow().clone()));
    bytes
        .filter(|_| std::ptr::fn_addr_eq(make, in_log))
        .map(|bytes| Shared { bytes: Rc::new(RefCell::new(bytes)), ..Shared::default() })
}

fn entry(id: &str, parent: Option<&str>) -> Object {
    let mut entry = Object::new();
    entry.insert("type", "custom");
    entry.insert("id", id);
    entry.insert("parentId", parent);
    entry
}

fn two(id: &str, parent: Option<&str>) -> Vec<Value> {
    vec![insert_entry(entry(id, parent)), set_value("pi.branch.tip", "main", id.into())]
}

#[test]
fn a_log_that_is_cut_anywhere_has_lost_whole_commits() {
    let log = Shared::default();
    let mut store = JsonlStore::create(log.clone(), header("s")).unwrap();
    let mut ends = vec![log.bytes.borrow().len()];
    let mut parent: Option<String> = None;
    for count in 0..6 {
        let id = format!("\u{e9}{count}");
        store.commit(two(&id, parent.as_deref()), EPOCH).unwrap();
        ends.push(log.bytes.borrow().len());
        parent = Some(id);
    }
    let whole = log.bytes.borrow().clone();
    for length in ends[0]..=whole.len() {
        let cut = Shared { bytes: Rc::new(RefCell::new(whole[..length].to_vec())), ..Shared::default() };
        let mut store = JsonlStore::open(cut.clone()).unwrap();
        let commits = ends.iter().filter(|end| **end <= length).count() - 1;
        assert_eq!(store.memory().entries().count(), commits, "cut at {length}");
        assert_eq!(store.reports().is_empty(), ends.contains(&length));
        // What follows stands on a line of its own.
        let last = commits.checked_sub(1).map(|last| format!("\u{e9}{last}"));
        store.commit(two("next", last.as_deref()), EPOCH).unwrap();
        let again = JsonlStore::open(cut).unwrap();
        assert_eq!((again.memory().entries().count(), again.reports()), (commits + 1, &[][..]));
    }
    for length in 1..ends[0] {
        let cut = Shared { bytes: Rc::new(RefCell::new(whole[..length].to_vec())), ..Shared::default() };
        assert_eq!(JsonlStore::open(cut).unwrap_err().code, "corrupt");
    }
    assert_eq!(JsonlStore::open(Shared::default()).unwrap_err().code, "empty");
    assert_eq!(JsonlStore::create(log, header("s")).unwrap_err().code, "not_empty");
}

#[test]
fn a_commit_that_fails_at_any_step_changes_nothing() {
    for stuck in [false, true] {
        for good in 0..12 {
            let log = Shared { stuck, ..Shared::default() };
            let mut store = JsonlStore::create(log.clone(), header("s")).unwrap();
            *log.good.borrow_mut() = Some(good);
            let mut done = Vec::new();
            for count in 0..8 {
                let id = format!("e{count}");
                let before = log.bytes.borrow().len();
                match store.commit(two(&id, done.last().map(String::as_str)), EPOCH) {
                    Ok(_) => done.push(id),
                    Err(error) => {
                        assert!(error.code == "quota" || (stuck && error.code == "closed"), "{error}");
                        assert_eq!(store.memory().entries().count(), done.len());
                        assert!(stuck || log.bytes.borrow().len() == before);
                    }
                }
                // There is room again.
                if count == 6 {
                    *log.good.borrow_mut() = None;
                }
            }
            let again = JsonlStore::open(log).unwrap();
            let ids: Vec<&str> =
                again.memory().entries().map(|entry| entry.get("id").unwrap().as_str().unwrap()).collect();
            if stuck && again.reports().is_empty() && ids.len() > done.len() {
                // A flush failed after the whole line was there, and could not be taken back: it happened.
                assert_eq!(ids[..done.len()], done[..]);
            } else {
                assert_eq!(ids, done, "good {good}, stuck {stuck}");
            }
        }
    }
}

#[test]
fn a_closed_store_takes_nothing_more() {
    for make in [in_memory, in_log] {
        let mut store = make("s", &MemoryStore::new());
        store.close();
        store.close();
        assert_eq!(store.commit(two("a", None), EPOCH).unwrap_err().code, "closed");
        assert_eq!(store.memory().entries().count(), 0);
    }
}

#[test]
fn a_session_in_a_file_goes_on_where_it_stood() {
    let path = std::env::temp_dir().join(format!("steersman-{}.jsonl", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let mut store = JsonlStore::create(FileLog::open(&path), header("s")).unwrap();
    store.create_branch("main", None, EPOCH).unwrap();
    store.append_to("main", "a", [("type", Value::from("custom"))].into_iter().collect(), EPOCH).unwrap();
    drop(store);
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"[{\"kind\":\"en").unwrap();
    let mut store = JsonlStore::open(FileLog::open(&path)).unwrap();
    assert_eq!(store.reports()[0].code, "truncated_tail");
    store.append_to("main", "b", [("type", Value::from("custom"))].into_iter().collect(), EPOCH).unwrap();
    let store = JsonlStore::open(FileLog::open(&path)).unwrap();
    assert_eq!(store.reports(), []);
    let tree = store.memory().tree(store.header().clone(), "main").unwrap();
    assert_eq!((tree.leaf_id(), tree.len(), tree.id()), (Some("b"), 2, "s"));
    std::fs::remove_file(&path).unwrap();
}
