//! Arguments of a call: prepared by the tool, converted and checked against its schema.

use steersman_wire::json::Value;
use steersman_wire::schema::{failure_text, Edit, Patterns, Step};

use super::context::Registered;
use super::message::ToolCall;
use super::pretty::pretty;
use crate::error::Error;
use crate::profile::Profile;

/// What the tool gets.
///
/// # Errors
/// The text becomes the call's error result: what `prepare_arguments` failed with, arguments that could not be read, or
/// the list of problems.
pub(super) fn valid_arguments(
    tool: &Registered,
    call: &ToolCall,
    patterns: &dyn Patterns,
    profile: Profile,
) -> Result<Value, Error> {
    let mut args = tool.tool.prepare_arguments(call.arguments.clone())?;
    if let (true, Some(problem)) = (profile.has(Profile::ARGUMENTS_ERROR), &call.arguments_error) {
        return Err(Error::from(["Invalid arguments for tool \"", &call.name, "\": ", problem].concat()));
    }
    match tool.schema.parse(&args, patterns) {
        Ok(edits) => edits.into_iter().for_each(|edit| apply(edit, &mut args)),
        Err(issues) => return Err(Error::from(failure_text(&call.name, &issues, &pretty(&args)))),
    }
    Ok(args)
}

/// Make one change of the validator. A path that leads nowhere changes nothing.
fn apply(edit: Edit, root: &mut Value) {
    let Edit { mut path, new } = edit;
    let Some(last) = path.pop() else {
        if let Some(new) = new {
            *root = new;
        }
        return;
    };
    let mut place = root;
    for step in path {
        let inner = match (place, step) {
            (Value::Object(object), Step::Key(key)) => object.get_mut(&key),
            (Value::Array(items), Step::Index(index)) => items.get_mut(index),
            _ => None,
        };
        let Some(inner) = inner else { return };
        place = inner;
    }
    match (place, last, new) {
        (Value::Object(object), Step::Key(key), Some(new)) => drop(object.insert(key, new)),
        (Value::Object(object), Step::Key(key), None) => drop(object.remove(&key)),
        (Value::Array(items), Step::Index(index), Some(new)) => {
            if let Some(item) = items.get_mut(index) {
                *item = new;
            }
        }
        _ => {}
    }
}
