//! What is done with an input, and what must hold whatever it is. Each target panics when it does not.

use crate::noise::Noise;
use crate::support::message::Host;
use serde_json::{json, Value as Free};
use std::borrow::Cow;
use steersman_wire::json::partial::{Edits, Literal, Partial, Piece, Verdict};
use steersman_wire::json::{parse, repair, to_text, write_string, Builder, Reader, Value};
use steersman_wire::schema::{Edit, NativePatterns, Options, Profile, Schema, Step};
use steersman_wire::sniff::sniff;
use steersman_wire::sse::{Event, Sink, Sse, Trailing};
use steersman_wire::{is_context_overflow, is_retryable, request, Ended, Response};

const KEY: &str = "sk-fuzz-SECRET";

fn model(api: &str) -> Free {
    json!({
        "id": "m", "name": "M", "api": api, "provider": "test", "baseUrl": "https://provider.example/v1",
        "reasoning": true, "input": ["text", "image"], "contextWindow": 200_000, "maxTokens": 8192,
        "cost": { "input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25 },
    })
}

/// A response: one end, well-formed records, no key in its texts, and the same message however its bytes are cut.
pub fn response(api: &str, input: &[u8], noise: &mut Noise) {
    let mut reply = model(api);
    reply["secrets"] = json!([KEY]);
    reply["answersByTool"] = json!(noise.below(2) == 0);
    let reply = reply.to_string();
    let status = *noise.pick(&[200, 200, 200, 200, 200, 200, 400, 429, 502]);
    let kind = *noise.pick(&["text/event-stream", "text/event-stream", "application/json", "text/html", ""]);
    let open = || {
        let mut response = Response::new(&reply).unwrap();
        response.head(status, kind, "Status");
        (response, Host::new(&model(api)))
    };
    let play = |pieces: &[&[u8]], last: &mut dyn FnMut(&mut Response)| {
        let (mut response, mut host) = open();
        host.take(&mut response);
        for piece in pieces {
            response.push(piece);
            host.take(&mut response);
        }
        last(&mut response);
        host.take(&mut response);
        assert!(response.finished());
        assert!(host.events.last().is_some_and(|last| last["type"] == "done" || last["type"] == "error"));
        assert_ne!(host.text("stopReason"), "pending");
        let failed = ["error", "aborted"].contains(&host.text("stopReason"));
        assert_eq!(failed, host.message.contains_key("errorMessage"), "{:?}", host.message);
        if failed {
            assert!(!host.text("errorMessage").contains(KEY));
        }
        host
    };
    let pieces = noise.pieces(input);
    let whole = play(&[input], &mut Response::end);
    let cut = play(&pieces, &mut Response::end);
    assert_eq!(whole.events, cut.events);
    assert_eq!(Free::Object(whole.message.clone()), Free::Object(cut.message));
    let ended =
        Ended { stop_reason: whole.text("stopReason"), error_message: whole.text("errorMessage"), ..Ended::default() };
    let _ = (is_retryable(&ended), is_context_overflow(&ended, Some(1e5)));
    let some = noise.below(pieces.len() + 1);
    match noise.below(3) {
        0 => play(&pieces[..some], &mut |response| response.abort("stop")),
        1 => play(&pieces[..some], &mut |response| response.fail("lost")),
        _ => play(&pieces[..some], &mut |response| response.give_up("stream_idle", KEY)),
    };
}

/// A request: refused, or a body that is JSON and an address without the key.
pub fn make_request(api: &str, input: &[u8], _noise: &mut Noise) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // What a page sends has a key and names the API.
    let mut given = text.to_owned();
    if let Ok(Free::Object(mut members)) = serde_json::from_str::<Free>(text) {
        if let Some(model) = members.get_mut("model").and_then(Free::as_object_mut) {
            model.insert("api".into(), json!(api));
        }
        if let Some(options) = members.get_mut("options").and_then(Free::as_object_mut) {
            options.insert("apiKey".into(), json!(KEY));
        }
        given = Free::Object(members).to_string();
    }
    let Ok(made) = request(&given) else { return };
    let body = std::str::from_utf8(&made.body).unwrap();
    assert!(parse(body).is_ok(), "{body}");
    if !text.contains(KEY) {
        assert!(!made.url.contains(KEY) && !body.contains(KEY), "{} {body}", made.url);
    }
    assert!(Response::new(&made.reply).is_ok());
}

#[derive(Debug, Default, PartialEq)]
struct Heard {
    events: Vec<(String, String, Option<String>)>,
    trailing: Option<Trailing>,
}

impl Sink for Heard {
    fn event(&mut self, event: Event<'_>) {
        self.events.push((event.name.to_owned(), event.data.to_owned(), event.id.map(str::to_owned)));
    }
}

/// An event stream: the same events however it is cut.
pub fn sse(input: &[u8], noise: &mut Noise) {
    let hear = |pieces: &[&[u8]], limit: Option<usize>| {
        let (mut sse, mut heard) = (limit.map_or_else(Sse::default, Sse::new), Heard::default());
        let fits = pieces.iter().all(|piece| sse.push(piece, &mut heard).is_ok());
        heard.trailing = if fits { sse.end(&mut heard) } else { None };
        (heard, fits)
    };
    let pieces = noise.pieces(input);
    assert_eq!(hear(&[input], None), hear(&pieces, None));
    let limit = noise.below(64);
    let (heard, _) = hear(&pieces, Some(limit));
    // Characters: one that stands for broken bytes is longer than they were.
    assert!(heard.events.iter().all(|event| event.1.chars().count() <= limit), "{limit}: {heard:?}");
    let _ = sniff(input);
}

/// JSON: the same verdict as another library, lossless through writing, repair leaves good text alone.
pub fn whole_json(input: &[u8], _noise: &mut Noise) {
    let text = String::from_utf8_lossy(input);
    let ours = parse(&text);
    let theirs = serde_json::from_str::<Free>(&text);
    match (&ours, &theirs) {
        (Ok(value), Ok(theirs)) => {
            let again: Free = serde_json::from_str(&to_text(value)).unwrap();
            assert_eq!(&again, theirs, "{text}");
        }
        (Err(error), Ok(_)) => panic!("refused: {error:?}"),
        // Theirs refuses lone surrogates, numbers beyond a double and 128 levels.
        (Ok(_), Err(error)) => {
            let words = error.to_string();
            let known = ["surrogate", "escape", "out of range", "recursion", "unexpected end of hex"];
            assert!(known.iter().any(|word| words.contains(word)), "accepted: {words}");
        }
        _ => {}
    }
    let mut reader = Reader::new(&text);
    let skipped = reader.skip().and_then(|()| reader.finish());
    assert_eq!(skipped.is_ok(), ours.is_ok(), "{skipped:?} {ours:?}");
    let repaired = repair(&text);
    if let Ok(value) = &ours {
        assert_eq!(to_text(&parse(&repaired).unwrap()), to_text(value));
        let written = to_text(value);
        assert_eq!(to_text(&parse(&written).unwrap()), written);
    }
    let mut quoted = String::new();
    write_string(&mut quoted, &text);
    assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
}

/// Writes down edits, the text of one string joined.
#[derive(Default)]
struct Log(Vec<String>, Builder);

impl Edits for Log {
    fn open_object(&mut self) {
        self.0.push("{".into());
        self.1.open_object();
    }
    fn open_array(&mut self) {
        self.0.push("[".into());
        self.1.open_array();
    }
    fn key(&mut self, name: &str) {
        self.0.push(format!("key {name}"));
        self.1.key(name);
    }
    fn string_start(&mut self) {
        self.0.push("string ".into());
        self.1.string_start();
    }
    fn string_append(&mut self, piece: Piece<'_>) {
        self.0.last_mut().unwrap().push_str(piece.text);
        self.1.string_append(piece);
    }
    fn number(&mut self, text: &str) {
        self.0.push(format!("number {text}"));
        self.1.number(text);
    }
    fn literal(&mut self, value: Literal) {
        self.0.push(format!("{value:?}"));
        self.1.literal(value);
    }
    fn close(&mut self) {
        self.0.push("close".into());
        self.1.close();
    }
}

/// JSON that streams in: the same edits and verdict however it is cut, and the value of the strict parser.
pub fn partial_json(input: &[u8], noise: &mut Noise) {
    let text = String::from_utf8_lossy(input);
    let run = |pieces: &[&str]| {
        let (mut log, mut partial) = (Log::default(), Partial::new());
        for piece in pieces {
            partial.push(piece, &mut log);
        }
        (log.0, to_text(&Value::Object(log.1.into_object())), partial.finish())
    };
    let mut pieces = Vec::new();
    let (mut from, most) = (0, *noise.pick(&[1, 4, 40]));
    while from < text.len() {
        let mut end = (from + 1 + noise.below(most)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        pieces.push(&text[from..end]);
        from = end;
    }
    let whole = run(&[&text]);
    assert_eq!(whole, run(&pieces));
    let (_, value, verdict) = whole;
    if let Verdict::Complete { repaired, .. } = verdict {
        let text = if repaired { repair(&text) } else { Cow::from(&*text) };
        assert_eq!(value, to_text(&parse(&text).unwrap()));
    } else if let Ok(strict) = parse(&text) {
        assert!(strict.as_object().is_none(), "{verdict:?}");
    }
}

/// The value with the edits applied, as a host does it.
fn apply(value: &Value, edits: &[Edit]) -> Value {
    let mut result = value.clone();
    for edit in edits {
        let Some((last, path)) = edit.path.split_last() else {
            result = edit.new.clone().unwrap();
            continue;
        };
        let parent = path.iter().fold(&mut result, |value, step| match (value, step) {
            (Value::Object(object), Step::Key(key)) => object.get_mut(key).unwrap(),
            (Value::Array(items), Step::Index(index)) => &mut items[*index],
            _ => panic!("{:?} leads nowhere", edit.path),
        });
        match (parent, last, &edit.new) {
            (Value::Object(object), Step::Key(key), Some(new)) => *object.get_mut(key).unwrap() = new.clone(),
            (Value::Object(object), Step::Key(key), None) => assert!(object.remove(key).is_some()),
            (Value::Array(items), Step::Index(index), Some(new)) => items[*index] = new.clone(),
            _ => panic!("{edit:?} does not fit"),
        }
    }
    result
}

/// A schema and a value: both ways to check agree, and what was converted fits.
pub fn schema(input: &[u8], noise: &mut Noise) {
    let text = String::from_utf8_lossy(input);
    let Some((schema, value)) = text.split_once('\n') else { return };
    let (Ok(schema), Ok(value)) = (parse(schema), parse(value)) else { return };
    let profile = *noise.pick(&[Profile::V1_6, Profile::V1_6, Profile::V0_85]);
    let options = Options { profile, ..Options::default() };
    let Ok(schema) = Schema::compile(&schema, &options) else { return };
    let patterns = NativePatterns::default();
    let issues = schema.check(&value, &patterns);
    assert_eq!(schema.is_valid(&value, &patterns), issues.is_empty());
    assert!(issues.iter().all(|issue| !issue.message.is_empty()));
    match schema.parse(&value, &patterns) {
        Ok(edits) => {
            let fits = apply(&value, &edits);
            assert!(schema.is_valid(&fits, &patterns), "{edits:?}: {:?}", schema.check(&fits, &patterns));
        }
        Err(issues) => assert!(!issues.is_empty() && issues.iter().all(|issue| !issue.message.is_empty())),
    }
}
