//! Sessions for the JavaScript side: trees live here under keys, requests and answers are JSON text.

use std::mem::ManuallyDrop;

use steersman_wire::json::{self, write_value, Object, Value};
use wasm_bindgen::prelude::*;

use super::session_ops::{branched, function, operation};
use super::session_read;
use crate::session::web_ui::import_web_ui;
use crate::session::{import, Import, Report, SessionError, SessionTree, Stamp};
use crate::table::{Key, Table};

thread_local! {
    static SESSIONS: ManuallyDrop<Table<SessionTree>> = const { ManuallyDrop::new(Table::new()) };
}

/// Does one operation: `request` is an object with `op` and what that needs, `key` the session (-1: none), `text` the
/// file to read. The answer is `{"value":...}`, or `{"error":code,"line":...}`. An operation that makes entries takes
/// `now` and fresh `ids`; `no_ids` says that it needs more of them.
#[wasm_bindgen(js_name = sessionCall)]
pub fn session_call(key: f64, request: &str, text: &str) -> String {
    let request = json::parse(request).unwrap_or_default();
    let word = |key: &str| request.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut ids = request.get("ids").and_then(Value::as_array).unwrap_or_default().iter();
    let mut draw = || ids.next().and_then(Value::as_str).map(str::to_owned);
    let now = request.get("now").and_then(Value::as_f64).unwrap_or_default();
    let stamp = &mut Stamp { ids: &mut draw, now };
    let read = match word("op") {
        "open" => import(text, stamp),
        "create" => {
            let parent = request.get("parentSession").and_then(Value::as_str);
            SessionTree::new(word("id"), word("cwd"), parent, now).map(alone)
        }
        "begin" | "rows" | "end" | "stop" => return done(session_read::step(Key::from_number(key), &request, stamp)),
        "webUi" => import_web_ui(&json::parse(text).unwrap_or_default(), word("cwd"), stamp).map(alone),
        name => {
            let key = Key::from_number(key);
            let Some(mut tree) = SESSIONS.with(|sessions| sessions.take(key)) else {
                return done(function(name, &request));
            };
            let answer = match name {
                "branched" => {
                    let parent = request.get("parentSession").and_then(Value::as_str);
                    let made = tree.branched(word("leaf"), word("id"), parent, stamp);
                    made.map(|made| kept(branched(&tree, &made), made))
                }
                "forked" => tree.forked(word("id"), now).map(|made| kept(Object::new(), made)),
                _ => operation(&mut tree, name, &request, stamp),
            };
            drop(SESSIONS.with(|sessions| sessions.restore(key, tree)));
            return done(answer);
        }
    };
    done(read.map(opened))
}

/// Forgets a session.
#[wasm_bindgen(js_name = dropSession)]
pub fn drop_session(key: f64) {
    SESSIONS.with(|sessions| drop(sessions.remove(Key::from_number(key))));
}

fn alone(tree: SessionTree) -> Import {
    Import { tree, reports: Vec::new(), store: None }
}

fn done(result: Result<Value, SessionError>) -> String {
    match result {
        Ok(value) => {
            let mut out = String::from("{\"value\":");
            write_value(&mut out, &value);
            out.push('}');
            out
        }
        Err(error) => refused(error),
    }
}

fn refused(error: SessionError) -> String {
    let mut out = Object::new();
    out.insert("error", error.code);
    out.insert("line", error.line);
    json::to_text(&Value::Object(out))
}

/// Keeps a session, and tells how to find it.
pub(super) fn kept(rest: Object, tree: SessionTree) -> Value {
    let mut out = rest;
    out.insert("header", tree.header().clone());
    out.insert("leaf", tree.leaf());
    out.insert("key", SESSIONS.with(|sessions| sessions.insert(tree)).to_number());
    Value::Object(out)
}

/// Keeps a session, and tells all of it.
fn opened(read: Import) -> Value {
    let mut out = Object::new();
    out.insert("entries", read.tree.entries().cloned().collect::<Vec<_>>());
    out.insert("reports", reports(&read.reports));
    if let Some(store) = &read.store {
        let row = |(namespace, key, list, value): (&str, &str, bool, Value)| {
            Value::Array(vec![namespace.into(), key.into(), value, list.into()])
        };
        out.insert("values", Value::Array(store.dump("").into_iter().map(row).collect()));
        out.insert("usage", store.usage().to_vec());
        out.insert("seqs", Value::Array(store.entries().map(|entry| entry.get("seq").cloned().into()).collect()));
    }
    kept(out, read.tree)
}

pub(super) fn reports(list: &[Report]) -> Value {
    let report = |report: &Report| {
        let mut row = Object::new();
        row.insert("code", report.code);
        for (key, number) in [("line", report.line), ("offset", report.offset)] {
            if let Some(number) = number {
                row.insert(key, number);
            }
        }
        if let Some(id) = &report.id {
            row.insert("id", id.as_str());
        }
        Value::Object(row)
    };
    Value::Array(list.iter().map(report).collect())
}
