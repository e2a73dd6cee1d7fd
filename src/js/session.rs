//! Sessions for the JavaScript side: trees live here under keys, requests and answers are JSON text.

use std::hint::black_box;
use std::mem::ManuallyDrop;

use steersman_wire::json::{self, Value};
use wasm_bindgen::prelude::*;

use super::answer::Answer;
use super::session_ops::{branched, function, operation};
use super::session_read::{pack, rows};
use crate::session::read::text as word;
use crate::session::reader::Reader;
use crate::session::web_ui::import_web_ui;
use crate::session::{Report, SessionError, SessionTree, Stamp};
use crate::table::{Key, Table};

/// Whether an operation was done. What it says was written then.
pub(super) type Done = Result<(), SessionError>;

/// Bytes in a page of memory.
const PAGE: usize = 65_536;

/// What lives under a key.
enum Held {
    Reader(Box<Reader>),
    Tree(Box<SessionTree>),
}

thread_local! {
    static HELD: ManuallyDrop<Table<Held>> = const { ManuallyDrop::new(Table::new()) };
}

/// Room for a request. Engines may collect garbage whenever the memory of a module grows, and the allocator takes no more
/// than it lacks: so each time an eighth of all there is comes along.
fn make_room(request: usize) {
    let before = pages();
    reserve(request * 4);
    if pages() != before {
        reserve((1 << 20) + pages() * PAGE / 8);
    }
}

/// Grows the memory unless so much is free in one piece.
fn reserve(bytes: usize) {
    drop(black_box(Vec::<u8>::with_capacity(bytes)));
}

/// How large the memory is.
fn pages() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>();
    #[cfg(not(target_arch = "wasm32"))]
    0
}

/// Does one operation: `request` is an object with `op` and what that needs, `key` the session (-1: none). The answer is
/// `{"value":...}`, or `{"error":code,"line":...}`. An operation that makes entries takes `now` and fresh `ids`; `no_ids`
/// says that it needs more of them.
#[wasm_bindgen(js_name = sessionCall)]
pub fn session_call(key: f64, request: &str) -> String {
    make_room(request.len());
    let mut out = Answer::new();
    let done = call(Key::from_number(key), &json::parse(request).unwrap_or_default(), &mut out);
    out.end(done)
}

fn call(key: Key, request: &Value, out: &mut Answer) -> Done {
    let mut ids = request.get("ids").and_then(Value::as_array).unwrap_or_default().iter();
    let mut draw = || ids.next().and_then(Value::as_str).map(str::to_owned);
    let now = request.get("now").and_then(Value::as_f64).unwrap_or_default();
    let stamp = &mut Stamp { ids: &mut draw, now };
    let parent = request.get("parentSession").and_then(Value::as_str);
    let name = word(request, "op");
    let made = match name {
        "create" => SessionTree::new(word(request, "id"), word(request, "cwd"), parent, now)?,
        "webUi" => import_web_ui(request.get("row").unwrap_or(&Value::Null), word(request, "cwd"), stamp)?,
        "begin" => {
            let reader = Reader::new(request.get("header").cloned().unwrap_or_default())?;
            out.number(keep(Held::Reader(Box::new(reader))));
            return Ok(());
        }
        _ => {
            let Some(held) = HELD.with(|held| held.take(key)) else { return function(name, request, out) };
            let mut done = Ok(());
            let held = match held {
                Held::Reader(reader) if name == "end" => {
                    let (tree, found) = reader.finish(None);
                    reports(out.open('{'), &found);
                    told(out, &tree);
                    out.key("key").number(key.to_number());
                    out.close('}');
                    Held::Tree(Box::new(tree))
                }
                Held::Reader(mut reader) => {
                    match name {
                        "pack" => done = pack(&mut reader, request, out),
                        "rows" => rows(&mut reader, request, stamp, out),
                        // A pack that is no JSON.
                        _ => done = Err(SessionError::new("corrupt")),
                    }
                    Held::Reader(reader)
                }
                Held::Tree(mut tree) => {
                    done = match name {
                        "branched" => {
                            let made = tree.branched(word(request, "leaf"), word(request, "id"), parent, stamp);
                            made.map(|made| {
                                branched(&tree, &made, out.open('{'));
                                kept(out, made);
                            })
                        }
                        "forked" => tree.forked(word(request, "id"), now).map(|made| kept(out.open('{'), made)),
                        _ => operation(&mut tree, name, request, stamp, out),
                    };
                    Held::Tree(tree)
                }
            };
            drop(HELD.with(|table| table.restore(key, held)));
            return done;
        }
    };
    out.open('{').key("entries").open('[');
    for position in 0..made.len() {
        out.value(made.value_at(position));
    }
    out.close(']');
    kept(out, made);
    Ok(())
}

/// Forgets a session, or one that is being read.
#[wasm_bindgen(js_name = dropSession)]
pub fn drop_session(key: f64) {
    HELD.with(|held| drop(held.remove(Key::from_number(key))));
}

fn keep(held: Held) -> f64 {
    HELD.with(|table| table.insert(held)).to_number()
}

fn told(out: &mut Answer, tree: &SessionTree) {
    out.key("header").value(tree.header());
    out.key("leaf").place(tree.leaf());
}

/// Keeps a session, and ends an object with how to find it.
fn kept(out: &mut Answer, tree: SessionTree) {
    told(out, &tree);
    out.key("key").number(keep(Held::Tree(Box::new(tree))));
    out.close('}');
}

/// Writes the member `reports`.
pub(super) fn reports(out: &mut Answer, list: &[Report]) {
    out.key("reports").open('[');
    for report in list {
        out.open('{').key("code").text(report.code);
        if let Some(line) = report.line {
            out.key("line").count(line);
        }
        if let Some(id) = &report.id {
            out.key("id").text(id);
        }
        out.close('}');
    }
    out.close(']');
}
