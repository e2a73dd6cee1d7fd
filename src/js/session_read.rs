//! Reading a session in steps: the JavaScript side has the entries, and gives of each what the tree needs. `begin` with a
//! `header` gives a key; `rows` come in any number; `end` makes the session of what is there.

use steersman_wire::json::Value;

use super::answer::Answer;
use super::session::{reports, Done};
use crate::session::read::{items, text as word};
use crate::session::reader::Reader;
use crate::session::Stamp;

/// A pack: an `outline`, `shapes` and `whole` entries.
pub(super) fn pack(reader: &mut Reader, request: &Value, out: &mut Answer) -> Done {
    reader.pack(word(request, "outline"), items(request, "shapes"), items(request, "whole"))?;
    out.value(&Value::Null);
    Ok(())
}

/// `shapes` are added first. Of the `rows` an outline is four items: the place of its shape, id, parent (`null`; a text;
/// anything else: the entry before) and time; an object is a whole entry. Gives how many entries were `done`, those
/// that are other ones now, and `reports`. What cannot be done ends it.
pub(super) fn rows(reader: &mut Reader, request: &Value, stamp: &mut Stamp<'_>, out: &mut Answer) {
    for shape in items(request, "shapes") {
        reader.shape(shape.clone());
    }
    out.open('{').key("changes").open('[');
    let mut rows = items(request, "rows").iter();
    let mut done = 0;
    while let Some(row) = rows.next() {
        let read = match row.as_f64() {
            Some(shape) => {
                let id = rows.next().and_then(Value::as_str).unwrap_or_default();
                let parent = match rows.next() {
                    Some(Value::Null) => None,
                    parent => Some(parent.and_then(Value::as_str).unwrap_or_default()),
                };
                let time = rows.next().and_then(Value::as_str).unwrap_or_default();
                reader.outline(shape as usize, id, parent, time).map(|()| None)
            }
            None => reader.entry(row.clone(), None, stamp),
        };
        match read {
            Ok(None) => {}
            Ok(Some(entry)) => {
                out.open('[').count(done);
                out.value(entry);
                out.close(']');
            }
            Err(_) => break,
        }
        done += 1;
    }
    out.close(']');
    out.key("done").count(done);
    reports(out, &reader.take_reports());
    out.close('}');
}
