//! Short ways to look into JSON values and to make them.

use steersman_wire::json::{Number, Object, Value};

/// Looking into a value; everything missing or of another type is absent.
pub trait Look {
    fn has(&self, key: &str) -> bool;
    fn text(&self, key: &str) -> Option<&str>;
    fn number(&self, key: &str) -> Option<f64>;
    fn flag(&self, key: &str) -> Option<bool>;
    fn list(&self, key: &str) -> &[Value];
}

impl Look for Value {
    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.as_f64()
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }

    fn list(&self, key: &str) -> &[Value] {
        self.get(key).and_then(Value::as_array).unwrap_or_default()
    }
}

/// An object of its members.
pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().collect())
}

/// Set a member when there is a value.
pub fn set(into: &mut Object, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        into.insert(key, value);
    }
}

/// Compact text with sorted members and numbers as JavaScript writes them.
pub fn sorted(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let texts = members.into_iter().map(|(key, value)| format!("{}:{}", sorted(&key.into()), sorted(value)));
            format!("{{{}}}", texts.collect::<Vec<_>>().join(","))
        }
        Value::Number(number) => number_text(number.as_f64()),
        other => steersman_wire::json::to_text(other),
    }
}

fn number_text(number: f64) -> String {
    Number::from_f64(number).map_or_else(|| "null".to_owned(), |number| number.as_str().to_owned())
}
