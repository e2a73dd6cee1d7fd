//! System messages: which tools and which prompt the model has been told about, and how a change is declared.

use std::rc::Rc;

use steersman_wire::json;

use super::message::{AgentMessage, SystemMessage, ToolDeclaration};

/// The tools in force after every system message, in order of declaration.
pub(crate) fn current_tools<'a>(messages: impl Iterator<Item = &'a Rc<AgentMessage>>) -> Vec<&'a ToolDeclaration> {
    let mut tools: Vec<&ToolDeclaration> = Vec::new();
    for message in messages {
        let AgentMessage::System(system) = &**message else { continue };
        tools.retain(|tool| !system.tools_removed.contains(&tool.name));
        for added in &system.tools_added {
            match tools.iter_mut().find(|tool| tool.name == added.name) {
                Some(known) => *known = added,
                None => tools.push(added),
            }
        }
    }
    tools
}

/// One message with the prompt and tools that all system messages come to; `None` when there is none.
pub(crate) fn baseline(messages: &[Rc<AgentMessage>]) -> Option<SystemMessage> {
    let mut all = messages.iter().filter_map(|message| match &**message {
        AgentMessage::System(system) => Some(system),
        _ => None,
    });
    let mut base = all.next()?.clone();
    let mut parts = vec![std::mem::take(&mut base.content)];
    base.tools_removed.clear();
    for later in all {
        parts.push(later.content.clone());
        for (name, text) in &later.sections {
            base.sections.retain(|(known, _)| known != name || text.is_some());
            match base.sections.iter_mut().find(|(known, _)| known == name) {
                Some(section) => section.1.clone_from(text),
                None if text.is_some() => base.sections.push((name.clone(), text.clone())),
                None => {}
            }
        }
    }
    base.sections.retain(|(_, text)| text.is_some());
    parts.retain(|part| !part.is_empty());
    base.content = parts.join("\n\n");
    base.tools_added = current_tools(messages.iter()).into_iter().cloned().collect();
    Some(base)
}

/// The prompt text in force.
pub(crate) fn prompt(messages: &[Rc<AgentMessage>]) -> String {
    let Some(base) = baseline(messages) else { return String::new() };
    let sections = base.sections.into_iter().filter_map(|(_, text)| text);
    let parts = std::iter::once(base.content).chain(sections).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The messages that enter, with the difference between what was declared and `tools` on the last system message among
/// them, or on a new one before the first message that is none.
pub(crate) fn declare_changes(
    context: &[Rc<AgentMessage>],
    mut entering: Vec<Rc<AgentMessage>>,
    tools: &[&ToolDeclaration],
    now: f64,
) -> Vec<Rc<AgentMessage>> {
    let place = entering.iter().rposition(|message| matches!(**message, AgentMessage::System(_)));
    // What that message says about tools is intent: it is replaced by the difference.
    let others = entering.iter().enumerate().filter(|(index, _)| Some(*index) != place).map(|(_, message)| message);
    let declared = current_tools(context.iter().chain(others));
    let same = |left: &ToolDeclaration, right: &ToolDeclaration| left == right && texts_equal(left, right);
    // Of several tools with one name the last counts, as in a map.
    let known = |list: &[&ToolDeclaration], tool: &ToolDeclaration| {
        list.iter().rfind(|other| other.name == tool.name).is_some_and(|other| same(other, tool))
    };
    let added: Vec<_> = tools.iter().filter(|tool| !known(&declared, tool)).map(|tool| (*tool).clone()).collect();
    let removed: Vec<_> = declared.iter().filter(|tool| !known(tools, tool)).map(|tool| tool.name.clone()).collect();
    let unchanged = added.is_empty() && removed.is_empty();
    if let Some(AgentMessage::System(system)) = place.and_then(|place| entering.get(place)).map(|message| &**message) {
        if unchanged && system.tools_added.is_empty() && system.tools_removed.is_empty() {
            return entering;
        }
        let update = SystemMessage { tools_added: added, tools_removed: removed, ..system.clone() };
        if let Some(message) = place.and_then(|place| entering.get_mut(place)) {
            *message = Rc::new(AgentMessage::System(update));
        }
        return entering;
    }
    if !unchanged {
        let update =
            SystemMessage { tools_added: added, tools_removed: removed, timestamp: now, ..SystemMessage::default() };
        let first = entering.iter().position(|message| !matches!(**message, AgentMessage::System(_)));
        entering.insert(first.unwrap_or(entering.len()), Rc::new(AgentMessage::System(update)));
    }
    entering
}

/// JSON equality ignores the order of members; what the model is told does not.
fn texts_equal(left: &ToolDeclaration, right: &ToolDeclaration) -> bool {
    json::to_text(&left.parameters) == json::to_text(&right.parameters)
}
