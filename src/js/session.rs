//! Sessions for the JavaScript side: trees live here under keys, requests and answers are JSON text.

use std::mem::ManuallyDrop;

use steersman_wire::json::{self, Value};
use wasm_bindgen::prelude::*;

use super::answer::Answer;
use super::session_ops::{branched, function, operation};
use super::session_read;
use crate::session::read::text as word;
use crate::session::web_ui::import_web_ui;
use crate::session::{Report, SessionError, SessionTree, Stamp};
use crate::table::{Key, Table};

/// Whether an operation was done. What it says was written then.
pub(super) type Done = Result<(), SessionError>;

thread_local! {
    static SESSIONS: ManuallyDrop<Table<SessionTree>> = const { ManuallyDrop::new(Table::new()) };
}

/// Does one operation: `request` is an object with `op` and what that needs, `key` the session (-1: none). The answer is
/// `{"value":...}`, or `{"error":code,"line":...}`. An operation that makes entries takes `now` and fresh `ids`; `no_ids`
/// says that it needs more of them.
#[wasm_bindgen(js_name = sessionCall)]
pub fn session_call(key: f64, request: &str) -> String {
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
        "begin" | "rows" | "end" | "stop" => return session_read::step(name, key, request, stamp, out),
        _ => {
            let Some(mut tree) = SESSIONS.with(|sessions| sessions.take(key)) else {
                return function(name, request, out);
            };
            let done = match name {
                "branched" => tree.branched(word(request, "leaf"), word(request, "id"), parent, stamp).map(|made| {
                    branched(&tree, &made, out.open('{'));
                    kept(out, made);
                }),
                "forked" => tree.forked(word(request, "id"), now).map(|made| kept(out.open('{'), made)),
                _ => operation(&mut tree, name, request, stamp, out),
            };
            drop(SESSIONS.with(|sessions| sessions.restore(key, tree)));
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

/// Forgets a session.
#[wasm_bindgen(js_name = dropSession)]
pub fn drop_session(key: f64) {
    SESSIONS.with(|sessions| drop(sessions.remove(Key::from_number(key))));
}

/// Keeps a session, and ends an object with how to find it.
pub(super) fn kept(out: &mut Answer, tree: SessionTree) {
    out.key("header").value(tree.header());
    out.key("leaf").place(tree.leaf());
    out.key("key").number(SESSIONS.with(|sessions| sessions.insert(tree)).to_number());
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
