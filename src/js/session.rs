//! Sessions for the JavaScript side: trees live here under keys, requests and answers are JSON text.

use std::mem::ManuallyDrop;

use steersman_wire::json::{self, write_value, Object, Value};
use wasm_bindgen::prelude::*;

use super::session_ops::{function, operation};
use crate::session::web_ui::import_web_ui;
use crate::session::{import, Import, SessionError, SessionTree, Stamp};
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
        "webUi" => import_web_ui(&json::parse(text).unwrap_or_default(), word("cwd"), stamp).map(alone),
        name => {
            let key = Key::from_number(key);
            let Some(mut tree) = SESSIONS.with(|sessions| sessions.take(key)) else {
                return done(function(name, &request));
            };
            let made = match name {
                "branched" => {
                    let parent = request.get("parentSession").and_then(Value::as_str);
                    Some(tree.branched(word("leaf"), word("id"), parent, stamp))
                }
                "forked" => Some(tree.forked(word("id"), now)),
                _ => None,
            };
            let answer = match made {
                Some(made) => made.map(|made| opened(alone(made))).unwrap_or_else(refused),
                None => done(operation(&mut tree, name, &request, stamp)),
            };
            drop(SESSIONS.with(|sessions| sessions.restore(key, tree)));
            return answer;
        }
    };
    read.map(opened).unwrap_or_else(refused)
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

/// Keeps a session, and tells all of it.
fn opened(read: Import) -> String {
    let mut out = String::from("{\"value\":{\"header\":");
    write_value(&mut out, read.tree.header());
    out.push_str(",\"entries\":");
    read.tree.write_entries(&mut out);
    let report = |report: &crate::session::Report| {
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
    let mut rest = Object::new();
    rest.insert("leaf", read.tree.leaf());
    rest.insert("reports", Value::Array(read.reports.iter().map(report).collect()));
    if let Some(store) = &read.store {
        let row = |(namespace, key, list, value): (&str, &str, bool, Value)| {
            Value::Array(vec![namespace.into(), key.into(), value, list.into()])
        };
        rest.insert("values", Value::Array(store.dump("").into_iter().map(row).collect()));
        rest.insert("usage", store.usage().to_vec());
        rest.insert("seqs", Value::Array(store.entries().map(|entry| entry.get("seq").cloned().into()).collect()));
    }
    rest.insert("key", SESSIONS.with(|sessions| sessions.insert(read.tree)).to_number());
    let rest = json::to_text(&Value::Object(rest));
    // The members of one object, so its brace goes.
    out.push(',');
    out.push_str(rest.get(1..).unwrap_or_default());
    out.push('}');
    out
}
