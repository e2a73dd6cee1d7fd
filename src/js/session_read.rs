//! Reading a session in steps: the JavaScript side has the entries, and gives of each what the tree needs.

use std::mem::ManuallyDrop;

use steersman_wire::json::{Object, Value};

use super::session::{kept, reports};
use crate::session::reader::Reader;
use crate::session::{SessionError, Stamp};
use crate::table::{Key, Table};

thread_local! {
    static READERS: ManuallyDrop<Table<Reader>> = const { ManuallyDrop::new(Table::new()) };
}

/// One step: `begin` with a `header` gives a key; `rows` come in any number; `end` gives the session, `stop` nothing.
pub(super) fn step(key: Key, request: &Value, stamp: &mut Stamp<'_>) -> Result<Value, SessionError> {
    match request.get("op").and_then(Value::as_str) {
        Some("begin") => {
            let reader = Reader::new(request.get("header").cloned().unwrap_or_default())?;
            return Ok(READERS.with(|readers| readers.insert(reader)).to_number().into());
        }
        Some("rows") => {
            let mut reader = READERS.with(|readers| readers.take(key)).ok_or(SessionError::new("closed"))?;
            let answer = rows(&mut reader, request, stamp);
            drop(READERS.with(|readers| readers.restore(key, reader)));
            return Ok(answer);
        }
        _ => {}
    }
    let reader = READERS.with(|readers| readers.remove(key)).ok_or(SessionError::new("closed"))?;
    if request.get("op").and_then(Value::as_str) == Some("stop") {
        return Ok(Value::Null);
    }
    let (tree, found) = reader.finish(None);
    let mut out = Object::new();
    out.insert("reports", reports(&found));
    Ok(kept(out, tree))
}

/// `shapes` are added first. Of the `rows` an outline is four items: the place of its shape, id, parent (`null`; a text;
/// anything else: the entry before) and time; an object is a whole entry. Gives how many entries were `done`, those
/// that are other ones now, and `reports`. What cannot be done ends it.
fn rows(reader: &mut Reader, request: &Value, stamp: &mut Stamp<'_>) -> Value {
    let list = |key: &str| request.get(key).and_then(Value::as_array).unwrap_or_default().iter();
    list("shapes").for_each(|shape| reader.shape(shape.clone()));
    let mut rows = list("rows");
    let (mut done, mut changes) = (0, Vec::new());
    while let Some(row) = rows.next() {
        let read = match row.as_f64() {
            Some(shape) => {
                let id = rows.next().and_then(Value::as_str).unwrap_or_default();
                let parent = match rows.next() {
                    Some(Value::Null) => None,
                    parent => Some(parent.and_then(Value::as_str).unwrap_or_default()),
                };
                let time = rows.next().and_then(Value::as_str).unwrap_or_default();
                reader.outline(shape as usize, id, parent, time)
            }
            None => reader.entry(row.clone(), None, stamp).map(|changed| {
                changes.extend(changed.map(|entry| Value::Array(vec![done.into(), entry.clone()])));
            }),
        };
        if read.is_err() {
            break;
        }
        done += 1;
    }
    let mut out = Object::new();
    out.insert("done", done);
    out.insert("changes", changes);
    out.insert("reports", reports(&reader.take_reports()));
    Value::Object(out)
}
