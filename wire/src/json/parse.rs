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
        let (mut open, mut ready) = (Vec::new(), None);
        self.build(&mut open, &mut ready)?;
        Ok(ready.unwrap_or_default())
    }

    /// `open`: containers whose end was not read yet, each with the name of the member being read. `ready`: a value that
    /// has no container yet.
    fn build(&mut self, open: &mut Vec<(Value, String)>, ready: &mut Option<Value>) -> Result<(), JsonError> {
        loop {
            *ready = match self.peek()? {
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
                let Some((container, name)) = open.last_mut() else {
                    return Ok(());
                };
                let value = ready.take();
                let more = match container {
                    Value::Array(items) => {
                        if let Some(value) = value {
                            items.push(value);
                        }
                        self.next_item()?
                    }
                    Value::Object(members) => {
                        if let Some(value) = value {
                            members.insert(std::mem::take(name), value);
                        }
                        match self.next_key()? {
                            Some(key) => {
                                *name = key.into_owned();
                                true
                            }
                            None => false,
                        }
                    }
                    _ => false,
                };
                if more {
                    break;
                }
                *ready = open.pop().map(|container| container.0);
            }
        }
    }
}
