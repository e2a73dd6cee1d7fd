//! The first difference of two JSON values, without regard to the order of members.

use steersman_wire::json::{to_text, Value};

pub fn diff(want: &Value, got: &Value) -> Result<(), String> {
    at(want, got, "")
}

fn at(want: &Value, got: &Value, path: &str) -> Result<(), String> {
    match (want, got) {
        (Value::Array(a), Value::Array(b)) => {
            for (place, (want, got)) in a.iter().zip(b).enumerate() {
                at(want, got, &format!("{path}/{place}"))?;
            }
            if a.len() == b.len() {
                return Ok(());
            }
            Err(format!("{path}: want {} items, got {}", a.len(), b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            for (key, want) in a.iter() {
                let path = format!("{path}/{key}");
                at(want, b.get(key).ok_or_else(|| format!("{path} is missing, want {}", to_text(want)))?, &path)?;
            }
            match b.iter().find(|(key, _)| !a.contains_key(key)) {
                Some((key, value)) => Err(format!("{path}/{key} is too much: {}", to_text(value))),
                None => Ok(()),
            }
        }
        _ if want == got => Ok(()),
        _ => Err(format!("{path}: want {}, got {}", to_text(want), to_text(got))),
    }
}
