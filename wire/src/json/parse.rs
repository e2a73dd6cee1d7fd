//! A whole document at once.

use super::{JsonError, JsonErrorKind, Kind, Number, Object, Reader, Value};

/// Reads one JSON document (RFC 8259), with white space around it and nothing else.
///
/// A repeated member name keeps its first place and takes the last value. A lone surrogate escape becomes U+FFFD, in
/// member names too.
/// More than [`MAX_DEPTH`](super::MAX_DEPTH) levels are refused.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    let mut reader = Reader::new(text);
    let value = reader.value()?;
    reader.finish()?;
    Ok(value)
}

/// [`parse`] for bytes; bytes that are not UTF-8 are refused with the offset of the first wrong one. A byte order mark
/// is not skipped.
pub fn parse_bytes(bytes: &[u8]) -> Result<Value, JsonError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => Err(JsonError::new(JsonErrorKind::BadUtf8, error.valid_up_to())),
    }
}

impl Reader<'_> {
    /// Reads the next value of any kind into memory.
    pub fn value(&mut self) -> Result<Value, JsonError> {
        // Containers whose end was not read yet, each with the name of the member being read.
        let mut open: Vec<(Value, String)> = Vec::new();
        loop {
            let mut ready = match self.peek()? {
                Kind::Null => {
                    self.null()?;
                    Some(Value::Null)
                }
                Kind::Bool => Some(Value::Bool(self.boolean()?)),
                Kind::Number => Some(Value::Number(Number::trusted(self.number()?))),
                Kind::String => Some(Value::String(self.string()?.into_owned())),
                Kind::Array => {
                    self.begin_array()?;
                    open.push((Value::Array(Vec::new()), String::new()));
                    None
                }
                Kind::Object => {
                    self.begin_object()?;
                    open.push((Value::Object(Object::new()), String::new()));
                    None
                }
            };
            // Hand the value to its container; a container that ends is the next value to hand on.
            loop {
                let more = match open.last_mut() {
                    Some((Value::Array(items), _)) => {
                        items.extend(ready.take());
                        self.next_item()?
                    }
                    Some((Value::Object(members), name)) => {
                        if let Some(value) = ready.take() {
                            members.insert(std::mem::take(name), value);
                        }
                        let key = self.next_key()?;
                        let more = key.is_some();
                        *name = key.unwrap_or_default().into_owned();
                        more
                    }
                    _ => return Ok(ready.unwrap_or_default()),
                };
                if more {
                    break;
                }
                ready = open.pop().map(|container| container.0);
            }
        }
    }
}
