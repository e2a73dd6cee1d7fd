//! Tool calls. They come whole; where a proxy asked for it, in pieces that name their place in the arguments.

use crate::draft::Draft;
use crate::ids::made;
use crate::json::{parse, to_text, Object, Value};
use crate::source::{names, Source};
use crate::text::{around, replace};

/// Deepest place in the arguments of a call that comes in pieces.
const DEPTH: usize = 64;

/// The calls of one response.
#[derive(Default)]
pub(super) struct Calls {
    count: u64,
    /// The block and the arguments so far of a call that goes on.
    open: Option<(u32, Value)>,
}

impl Calls {
    /// Takes a call or a piece of one; says no when a piece has no place. A piece without a call to belong to says
    /// nothing.
    pub fn take(&mut self, call: &Source<'_>, signature: &str, draft: &mut Draft) -> bool {
        let [id, name, args, pieces, goes_on, ..] =
            &call.pick(names!["id", "name", "args", "partialArgs", "willContinue"]);
        let name = name.string();
        if !name.is_empty() {
            self.finish(draft);
            let mut id = id.string();
            if id.is_empty() {
                // The response's id makes ids of different responses differ.
                id = made(&[&draft.response_id, &name], self.count).into();
            }
            let block = draft.open_call(&id, &name);
            if !signature.is_empty() {
                draft.set_text(block, "thoughtSignature", signature);
            }
            self.count += 1;
            let args = if args.is_absent() { "{}" } else { args.span };
            match parse(args) {
                Ok(args) => self.open = Some((block, args)),
                // Malformed in a way that is forgiven: the arguments are repaired like any others.
                Err(_) => {
                    draft.argue_text(block, args);
                    draft.close(block);
                }
            }
        }
        if let Some((_, args)) = &mut self.open {
            let mut pieces = parse(pieces.span).unwrap_or_default();
            if let Value::Array(pieces) = &mut pieces {
                if pieces.iter_mut().any(|piece| put(args, piece).is_none()) {
                    return false;
                }
            }
        }
        if !goes_on.reads("true") {
            self.finish(draft);
        }
        true
    }

    /// The call that goes on, if there is one, is complete.
    pub fn finish(&mut self, draft: &mut Draft) {
        if let Some((block, args)) = self.open.take() {
            draft.argue_text(block, &to_text(&args));
            draft.close(block);
        }
    }
}

/// Puts a piece in its place; text goes behind text that is there.
fn put(args: &mut Value, piece: &mut Value) -> Option<()> {
    let place = place(args, piece.get("jsonPath")?.as_str()?)?;
    let Value::Object(piece) = piece else {
        return None;
    };
    let value = ["stringValue", "numberValue", "boolValue"].iter().find_map(|name| piece.remove(name));
    match (place, value) {
        (Value::String(text), Some(Value::String(more))) => text.push_str(&more),
        (place, value) => *place = value.unwrap_or_default(),
    }
    Some(())
}

/// The value at a path such as `$.a[0].b`, made if it is not there yet.
fn place<'v>(root: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    // `$.a.[0.b`: every step behind a point.
    let path = replace(&replace(path, "]", ""), "[", ".[");
    let mut rest = path.strip_prefix('$')?;
    let mut value = root;
    for _ in 0..DEPTH {
        if rest.is_empty() {
            return Some(value);
        }
        let after = rest.strip_prefix('.')?;
        let (step, _) = around(after, b'.', false).unwrap_or((after, ""));
        rest = after.get(step.len()..)?;
        let index = step.strip_prefix('[');
        if value.is_null() {
            *value = if index.is_some() { Value::Array(Vec::new()) } else { Value::Object(Object::new()) };
        }
        value = match (index, value) {
            (None, Value::Object(members)) => {
                if !members.contains_key(step) {
                    members.insert(step, Value::Null);
                }
                members.get_mut(step)?
            }
            (Some(index), Value::Array(items)) => {
                let number = Source { span: index }.number()?;
                let index = number as usize;
                if index == items.len() {
                    items.push(Value::Null);
                }
                items.get_mut(index).filter(|_| number == index as f64)?
            }
            _ => return None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_find_their_place() {
        let mut args = Value::Object(Object::new());
        for (piece, fits) in [
            (r#"{"jsonPath":"$.a","stringValue":"Bos","willContinue":true}"#, true),
            (r#"{"jsonPath":"$.a","stringValue":"ton"}"#, true),
            (r#"{"jsonPath":"$.b[0].c","numberValue":1.50}"#, true),
            (r#"{"jsonPath":"$.b[1].x y","boolValue":true}"#, true),
            (r#"{"jsonPath":"$.n","nullValue":"NULL_VALUE"}"#, true),
            (r#"{"jsonPath":"$.b[9]","numberValue":1}"#, false),
            (r#"{"jsonPath":"$.a.b","numberValue":1}"#, false),
            (r#"{"jsonPath":"a","numberValue":1}"#, false),
            (r#"{"numberValue":1}"#, false),
        ] {
            assert_eq!(put(&mut args, &mut parse(piece).unwrap()).is_some(), fits, "{piece}");
        }
        let deep = ["$", &".a".repeat(70_000)].concat();
        assert!(place(&mut args, &deep).is_none());
        assert_eq!(to_text(&args), r#"{"a":"Boston","b":[{"c":1.50},{"x y":true}],"n":null}"#);
    }
}
