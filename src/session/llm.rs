//! Messages in the form of requests (SESSIONS 1.3 and 3).

use std::borrow::Cow;

use steersman_wire::json::{Object, Value};

use super::read::{add, number, set, text, text_blocks};

/// What a model is sent of a message. `None`: nothing.
pub fn for_model(message: &Value) -> Option<Value> {
    seen(message).map(Cow::into_owned)
}

/// The same, borrowed where the message is sent as it is.
pub(crate) fn seen(message: &Value) -> Option<Cow<'_, Value>> {
    let content = match text(message, "role") {
        "user" | "assistant" | "toolResult" | "system" => return Some(Cow::Borrowed(message)),
        "custom" => match message.get("content") {
            Some(Value::String(text)) => text_blocks(text),
            content => content.cloned().unwrap_or_default(),
        },
        "branchSummary" => wrapped(
            "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
            message,
            "</summary>",
        ),
        "compactionSummary" => wrapped(
            "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
            message,
            "\n</summary>",
        ),
        "bashExecution" if message.get("excludeFromContext") != Some(&Value::Bool(true)) => {
            text_blocks(&command_text(message))
        }
        _ => return None,
    };
    let mut user = Object::new();
    set(&mut user, "role", "user");
    set(&mut user, "content", content);
    set(&mut user, "timestamp", message.get("timestamp").cloned());
    Some(Cow::Owned(Value::Object(user)))
}

fn wrapped(before: &str, message: &Value, after: &str) -> Value {
    text_blocks(&[before, text(message, "summary"), after].concat())
}

/// A command that the user ran, as text.
fn command_text(message: &Value) -> String {
    let is = |key| message.get(key) == Some(&Value::Bool(true));
    let mut out = String::new();
    add(&mut out, &["Ran `", text(message, "command"), "`\n"]);
    match text(message, "output") {
        "" => add(&mut out, &["(no output)"]),
        output => add(&mut out, &["```\n", output, "\n```"]),
    }
    if is("cancelled") {
        add(&mut out, &["\n\n(command cancelled)"]);
    } else if let Some(Value::Number(code)) = message.get("exitCode").filter(|_| number(message, "exitCode") != 0.0) {
        add(&mut out, &["\n\nCommand exited with code ", code.as_str()]);
    }
    let path = text(message, "fullOutputPath");
    if is("truncated") && !path.is_empty() {
        add(&mut out, &["\n\n[Output truncated. Full output: ", path, "]"]);
    }
    out
}
