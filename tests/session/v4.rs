//! Cases of the store of version 4.

use std::collections::{BTreeMap, HashMap};

use steersman::session::branches::{set_value, Scope};
use steersman::session::jsonl::JsonlStore;
use steersman::session::memory::MemoryStore;
use steersman::session::store::{Query, SessionStore, LABELS, LANES, NAME};
use steersman::session::tokens::total_usage;
use steersman::session::{SessionError, SessionTree};
use steersman_wire::json::{Object, Value};

use crate::diff::diff;
use crate::logs;
use crate::observe::object;
use crate::ops::{resolved, Names, EPOCH};

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A kind of store: how one is made that holds what another one does, and how it is opened anew.
type Make = fn(&str, &MemoryStore) -> Box<dyn SessionStore>;

struct World {
    make: Make,
    sessions: BTreeMap<String, (Box<dyn SessionStore>, Option<String>)>,
    order: Vec<String>,
    ids: usize,
}

pub fn case(case: &Value, want: &Object) -> Result<(), String> {
    for (name, make) in [("memory", logs::in_memory as Make), ("log", logs::in_log)] {
        case_with(case, want, make).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(())
}

fn case_with(case: &Value, want: &Object, make: Make) -> Result<(), String> {
    let mut world = World { make, sessions: BTreeMap::new(), order: Vec::new(), ids: 0 };
    world.sessions.insert("s1".into(), (make("s1", &MemoryStore::new()), None));
    world.order.push("s1".into());
    let mut names = Names::new();
    for (place, op) in case.get("ops").unwrap().as_array().unwrap().iter().enumerate() {
        let op = resolved(op, &names);
        let want = want.get("ops").unwrap().as_array().unwrap()[place].clone();
        let result = world.apply(&op, EPOCH + (place as f64 + 1.0) * 1000.0);
        let checked = match (&result, want.get("value")) {
            (Err(_), _) if want.get("error").is_some() => Ok(()),
            (Err(error), _) => Err(format!("refused: {error}")),
            (Ok(_), _) if want.get("error").is_some() => Err("must be refused".into()),
            (Ok(got), Some(want)) => diff(want, got),
            (Ok(_), None) => Ok(()),
        };
        checked.map_err(|why| format!("op {place}: {why}"))?;
        if let (Some(name), Ok(Value::String(id))) = (op.get("as"), &result) {
            names.insert(name.as_str().unwrap().to_owned(), id.clone());
        }
    }
    for (name, wanted) in want.get("final").unwrap().as_object().unwrap().iter() {
        let store = &world.sessions.get(name).ok_or(format!("no session {name}"))?.0;
        diff(&shape(wanted), &observe(store.memory())).map_err(|why| format!("{name}{why}"))?;
        if let Some(log) = logs::written(name, make) {
            let again = JsonlStore::open(log).map_err(|error| error.to_string())?;
            assert_eq!(again.reports(), []);
            diff(&shape(wanted), &observe(again.memory())).map_err(|why| format!("{name} opened again{why}"))?;
        }
    }
    Ok(())
}

/// A file: the entries have ids of the file, the recording counts them.
pub fn file(store: &MemoryStore, want: &Object) -> Result<(), String> {
    let want = shape(&Value::Object(want.clone()));
    diff(&renamed(&want), &renamed(&observe(store)))
}

fn renamed(snapshot: &Value) -> Value {
    let entries = snapshot.get("entries").unwrap().as_array().unwrap();
    let ids = entries.iter().enumerate().map(|(place, entry)| (text(entry, "id"), format!("#{place}")));
    fn go(value: &Value, ids: &HashMap<&str, String>) -> Value {
        let name = |text: &str| ids.get(text).map_or(text.to_owned(), String::clone);
        match value {
            Value::String(text) => name(text).into(),
            Value::Array(items) => Value::Array(items.iter().map(|item| go(item, ids)).collect()),
            Value::Object(members) => {
                Value::Object(members.iter().map(|(key, value)| (name(key), go(value, ids))).collect())
            }
            _ => value.clone(),
        }
    }
    go(snapshot, &ids.collect())
}

/// The recorded form: no sequence numbers, pairs as objects.
fn shape(want: &Value) -> Value {
    let map = |key: &str| match want.get(key) {
        Some(Value::Array(pairs)) => Value::Object(
            pairs
                .iter()
                .map(|pair| (pair.as_array().unwrap()[0].as_str().unwrap(), pair.as_array().unwrap()[1].clone()))
                .collect(),
        ),
        other => other.cloned().unwrap(),
    };
    object([
        ("entries", Value::Array(want.get("entries").unwrap().as_array().unwrap().iter().map(without_seq).collect())),
        ("tips", map("tips")),
        ("labels", map("labels")),
        ("context", map("context")),
        ("name", want.get("name").cloned().unwrap()),
        ("stats", want.get("stats").cloned().unwrap()),
    ])
}

fn without_seq(entry: &Value) -> Value {
    let mut entry = entry.as_object().unwrap().clone();
    entry.remove("seq");
    Value::Object(entry)
}

fn observe(store: &MemoryStore) -> Value {
    let header = SessionTree::new("s", "/project", None, EPOCH).unwrap().header().clone();
    let contexts = store.tips().into_iter().map(|(branch, _)| {
        let tree = store.tree(header.clone(), branch).unwrap();
        let context = tree.context(tree.leaf());
        (branch, Value::Array(context.without_failed().cloned().collect()))
    });
    let usage = total_usage(&mut store.usage().iter().map(|row| row.get("usage").unwrap()));
    object([
        ("entries", Value::Array(store.entries().map(without_seq).collect())),
        ("tips", Value::Object(store.tips().into_iter().map(|(name, tip)| (name, Value::from(tip))).collect())),
        (
            "labels",
            Value::Object(store.scan_values(LABELS, "").into_iter().map(|(id, label)| (id, label.clone())).collect()),
        ),
        ("context", Value::Object(contexts.collect())),
        ("name", store.value(NAME, "").cloned().unwrap_or_default()),
        ("stats", object([("messageCount", store.message_count().into()), ("usage", usage)])),
    ])
}

fn query<'a>(given: Option<&'a Value>, oldest_first: &str) -> Query<'a> {
    let Some(given) = given else { return Query::default() };
    let word = |key: &str| given.get(key).and_then(Value::as_str);
    Query {
        oldest_first: word("order") == Some(oldest_first),
        stop_at_id: word("stopAtId"),
        stop_at_type: word("stopAtType"),
        kind: word("type"),
        custom_type: word("customType"),
        after_seq: given.get("cursor").and_then(|cursor| cursor.get("seq")).and_then(Value::as_f64),
        limit: given.get("limit").and_then(Value::as_f64).map(|limit| limit as usize),
    }
}

impl World {
    fn apply(&mut self, op: &Value, now: f64) -> Result<Value, SessionError> {
        let name = op.get("session").and_then(Value::as_str).unwrap_or("s1").to_owned();
        let branch = op.get("branch").and_then(Value::as_str).unwrap_or("main");
        let get = |key: &str| op.get(key).cloned().unwrap_or_default();
        let optional = |key: &str| op.get(key).and_then(Value::as_str);
        let ids = |entries: Vec<&Value>| Value::Array(entries.iter().map(|entry| text(entry, "id").into()).collect());
        let fresh = format!("u{}", self.ids + 1);
        let store = &mut self.sessions.get_mut(&name).unwrap().0;
        match text(op, "op") {
            "createBranch" => store.create_branch(text(op, "name"), optional("at"), now)?,
            "attachLane" => drop(store.commit(vec![set_value(LANES, text(op, "name"), Value::Bool(true))], now)?),
            "appendMessage" | "appendCustomEntry" => {
                let members: Object = match op.get("message") {
                    Some(message) => [("type", "message".into()), ("message", message.clone())].into_iter().collect(),
                    None => [("type", "custom".into()), ("customType", get("customType")), ("data", get("data"))]
                        .into_iter()
                        .collect(),
                };
                store.append_to(branch, &fresh, members, now)?;
                self.ids += 1;
                return Ok(fresh.into());
            }
            "commit" => {
                let writes = op.get("writes").unwrap().as_array().unwrap().to_vec();
                let count = writes.len();
                let first = store.commit(writes, now)?;
                return Ok(object([("count", count.into()), ("firstSeq", first.into())]));
            }
            "moveTip" => store.move_tip(branch, optional("to"), now)?,
            "setName" => store.set_name(optional("name"), now)?,
            "setLabel" => store.set_label(text(op, "target"), optional("label"), now)?,
            "setValue" => {
                store.commit(vec![set_value(text(op, "namespace"), text(op, "key"), get("value"))], now)?;
            }
            "appendList" => {
                let mut write = set_value(text(op, "namespace"), text(op, "key"), get("value"));
                if let Value::Object(members) = &mut write {
                    members.insert("kind", "list");
                    members.insert("op", "append");
                }
                store.commit(vec![write], now)?;
            }
            "readList" => {
                let options = get("options");
                let limit = options.get("limit").and_then(Value::as_f64);
                let newest_first = text(&options, "order") == "desc";
                let items = store.memory().read_list(text(op, "namespace"), text(op, "key"), newest_first, limit)?;
                return Ok(Value::Array(items.into_iter().cloned().collect()));
            }
            "scanValues" => {
                let found = store.memory().scan_values(text(op, "namespace"), text(op, "key"));
                let pair = |(key, value): (&str, &Value)| Value::Array(vec![key.into(), value.clone()]);
                return Ok(Value::Array(found.into_iter().map(pair).collect()));
            }
            "scanBranch" => {
                let given = op.get("query").unwrap();
                return Ok(ids(store
                    .memory()
                    .scan_branch(text(given, "start"), &query(Some(given), "oldestFirst"))?));
            }
            "findEntries" => return Ok(ids(store.memory().scan_entries(&query(op.get("query"), "asc")))),
            "fork" => {
                let options = op.get("options").unwrap();
                let id = text(options, "id").to_owned();
                let scope = match text(options, "scope") {
                    "tree" => Scope::Tree,
                    _ => Scope::Branch {
                        branch: text(options, "branch"),
                        entry: options.get("entryId").and_then(Value::as_str),
                        before: text(options, "position") == "before",
                    },
                };
                let fork = store.memory().fork(&scope)?;
                if self.order.contains(&id) {
                    // The catalogue's business, which the store does not know.
                    return store.create_branch("", None, now).map(|()| Value::Null);
                }
                self.order.push(id.clone());
                let fork = (self.make)(&id, &fork);
                self.sessions.insert(id, (fork, Some(name.clone())));
                return Ok(object([("parentSessionId", name.into())]));
            }
            "list" => {
                let row = |id: &String| {
                    object([("id", id.as_str().into()), ("parentSessionId", self.sessions[id].1.as_deref().into())])
                };
                return Ok(Value::Array(self.order.iter().map(row).collect()));
            }
            other => panic!("unknown op {other}"),
        }
        Ok(Value::Null)
    }
}
