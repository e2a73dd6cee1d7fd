//! What inputs are made of: the fixtures of the tests, and everything that was found once.

use crate::support::{files, read, root};
use serde_json::Value;
use std::fs;

pub type Corpus = Vec<Vec<u8>>;

/// Inputs that found something in one target.
pub fn found(target: &str) -> Corpus {
    let folder = root().join("fuzz/findings").join(target.replace('/', "-"));
    if !folder.is_dir() {
        return Corpus::new();
    }
    files(&folder, "bin").iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Bodies of responses of one API.
pub fn bodies(api: &str) -> Corpus {
    let folder = root().join("fixtures/wires").join(api).join("streams");
    files(&folder, "sse").iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Requests of one API as the engine gets them.
pub fn requests(api: &str) -> Corpus {
    let folder = root().join("fixtures/wires").join(api).join("requests");
    let input = |case: &str| {
        let case: Value = serde_json::from_str(case).ok()?;
        let part = |name: &str| case.get(name).cloned().unwrap_or_default();
        let input =
            serde_json::json!({ "model": part("model"), "context": part("context"), "options": part("options") });
        Some(input.to_string().into_bytes())
    };
    files(&folder, "json").iter().filter_map(|file| input(&fs::read_to_string(file).unwrap())).collect()
}

pub fn event_streams() -> Corpus {
    let cases = read(&root().join("fixtures/sse/cases.json"));
    let text = |case: &Value| -> String {
        case["chunks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let mut corpus: Corpus = cases.as_array().unwrap().iter().map(|case| text(case).into_bytes()).collect();
    corpus.extend(bodies("openai-completions"));
    corpus
}

pub fn json() -> Corpus {
    let mut corpus = Corpus::new();
    for name in ["accept.json", "refuse.json", "views.json"] {
        let text = fs::read_to_string(root().join("fixtures/json").join(name)).unwrap();
        // Lone surrogates in it: not for serde.
        let rows = steersman_wire::json::parse(&text).unwrap();
        for row in rows.as_array().unwrap() {
            corpus.push(row.as_array().unwrap()[0].as_str().unwrap().as_bytes().to_vec());
        }
        corpus.push(text.into_bytes());
    }
    corpus
}

/// A schema and a value, a line each.
pub fn schemas() -> Corpus {
    let mut corpus = Corpus::new();
    for name in ["checks.json", "coerce.json"] {
        for group in read(&root().join("fixtures/schema").join(name)).as_array().unwrap() {
            for list in ["accepts", "refuses", "rows"] {
                for value in group[list].as_array().into_iter().flatten() {
                    let value = if list == "accepts" { value } else { &value[0] };
                    corpus.push(format!("{}\n{value}", group["schema"]).into_bytes());
                }
            }
        }
    }
    corpus
}
