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

/// A container whose end was not read yet.
enum Open {
    Array(Vec<Value>),
    /// With the name of the member being read.
    Object(Object, String),
}

impl Reader<'_> {
    /// Reads the next value of any kind into memory.
    pub fn value(&mut self) -> Result<Value, JsonError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match self.peek()? {
                Kind::Null => {
                    self.null()?;
                    Value::Null
                }
                Kind::Bool => Value::Bool(self.boolean()?),
                Kind::Number => Value::Number(Number::trusted(self.number()?)),
                Kind::String => Value::String(self.string()?.into_owned()),
                Kind::Array => {
                    self.begin_array()?;
                    if self.next_item()? {
                        open.push(Open::Array(Vec::new()));
                        continue;
                    }
                    Value::Array(Vec::new())
                }
                Kind::Object => {
                    self.begin_object()?;
                    if let Some(key) = self.next_key()? {
                        open.push(Open::Object(Object::new(), key.into_owned()));
                        continue;
                    }
                    Value::Object(Object::new())
                }
            };
            // Hand the value to its container; a container that ends is the next value to hand on.
            loop {
                value = match open.pop() {
                    None => return Ok(value),
                    Some(Open::Array(mut items)) => {
                        items.push(value);
                        if self.next_item()? {
                            open.push(Open::Array(items));
                            break;
                        }
                        Value::Array(items)
                    }
                    Some(Open::Object(mut object, key)) => {
                        object.insert(key, value);
                        if let Some(key) = self.next_key()? {
                            open.push(Open::Object(object, key.into_owned()));
                            break;
                        }
                        Value::Object(object)
                    }
                };
            }
        }
    }
}
