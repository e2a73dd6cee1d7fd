//! What the tests of the built-in wires share: natively over recorded bodies, and in a browser over `fetch`.

use futures::future::FutureExt;
use steersman::abort::Abort;
use steersman::host::Decision;
use steersman::native::{Hook, Hooks, TurnFacts};
use steersman_wire::json::{to_text, Value};

/// One request is enough.
pub struct Once;

impl Hooks for Once {
    fn finish_turn<'a>(&'a self, _turn: TurnFacts, _abort: &'a Abort) -> Hook<'a, Decision> {
        async { Ok(Decision::End) }.boxed_local()
    }
}

/// Where `got` is not what `want` asks for; members that `want` does not name are free.
pub fn difference(want: &Value, got: &Value, at: &str) -> Option<String> {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => want.iter().find_map(|(key, want)| {
            let at = format!("{at}.{key}");
            got.get(key).map_or_else(|| Some(format!("{at} is missing")), |got| difference(want, got, &at))
        }),
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            let mut pairs = want.iter().zip(got).enumerate();
            pairs.find_map(|(index, (want, got))| difference(want, got, &format!("{at}[{index}]")))
        }
        (Value::Number(want), Value::Number(got)) => {
            let far = (want.as_f64() - got.as_f64()).abs() > 1e-9 * want.as_f64().abs().max(1.0);
            far.then(|| format!("{at}: {} instead of {}", got.as_str(), want.as_str()))
        }
        _ => (want != got).then(|| format!("{at}: {} instead of {}", to_text(got), to_text(want))),
    }
}
