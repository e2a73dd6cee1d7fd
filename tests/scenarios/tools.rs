//! Scripted tools.

use std::rc::{Rc, Weak};

use futures::future::{FutureExt, LocalBoxFuture};
use steersman::error::Error;
use steersman::native::{Tool, ToolContext, ToolDeclaration, ToolOutput};
use steersman_wire::json::{parse, Object, Value};

use crate::json::{object, sorted, Look};
use crate::normal::norm;
use crate::values::{output, text_content};
use crate::world::{signal, World};

pub struct ScriptedTool {
    world: Weak<World>,
    name: String,
    spec: Value,
    declaration: ToolDeclaration,
}

impl World {
    /// The tool of that name; one object per name.
    pub fn tool(self: &Rc<Self>, name: &str) -> Rc<dyn Tool> {
        if let Some(tool) = self.tools.borrow().get(name) {
            return tool.clone();
        }
        let spec = self.scenario.get("tools").and_then(|tools| tools.get(name)).expect("the scenario has the tool");
        let parameters = spec.get("parameters").cloned();
        let declaration = ToolDeclaration {
            name: spec.text("name").unwrap_or(name).to_owned(),
            description: spec.text("description").map_or_else(|| format!("tool {name}"), str::to_owned),
            parameters: parameters.unwrap_or_else(|| parse(r#"{"type":"object","properties":{}}"#).unwrap()),
            ..ToolDeclaration::default()
        };
        let tool = ScriptedTool { world: Rc::downgrade(self), name: name.into(), spec: spec.clone(), declaration };
        let tool = Rc::new(tool);
        self.tools.borrow_mut().insert(name.into(), tool.clone());
        tool
    }

    pub fn tool_list(self: &Rc<Self>, names: &[Value]) -> Vec<Rc<dyn Tool>> {
        names.iter().filter_map(Value::as_str).map(|name| self.tool(name)).collect()
    }
}

impl Tool for ScriptedTool {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn sequential(&self) -> bool {
        self.spec.text("executionMode") == Some("sequential")
    }

    fn prepare_arguments(&self, arguments: Value) -> Result<Value, Error> {
        let Some(prepare) = self.spec.get("prepareArguments") else { return Ok(arguments) };
        if let Some(world) = self.world.upgrade() {
            let members = [("tool", self.name.as_str().into()), ("args", norm(&arguments))];
            world.put("prepareArguments", members);
        }
        if let Some(message) = prepare.text("throw") {
            return Err(message.into());
        }
        if prepare.flag("same") == Some(true) {
            return Ok(arguments);
        }
        if let Some(value) = prepare.get("return") {
            return Ok(value.clone());
        }
        let Value::Object(mut members) = arguments else { return Ok(arguments) };
        for (from, to) in prepare.get("rename").and_then(Value::as_object).into_iter().flat_map(Object::iter) {
            if let Some(value) = members.remove(from) {
                members.insert(to.as_str().unwrap(), value);
            }
        }
        for key in prepare.list("wrapArray").iter().filter_map(Value::as_str) {
            if let Some(value) = members.get(key).filter(|value| value.as_array().is_none()).cloned() {
                members.insert(key, vec![value]);
            }
        }
        Ok(members.into())
    }

    fn execute<'a>(&'a self, args: Value, context: ToolContext) -> LocalBoxFuture<'a, Result<ToolOutput, Error>> {
        let world = self.world.upgrade().expect("the scenario is in play");
        let call = world.count(&format!("tool {}", self.name));
        let entry = [
            ("name", self.name.as_str().into()),
            ("id", context.id.as_str().into()),
            ("args", norm(&args)),
            ("signal", signal(Some(&context.abort)).into()),
        ];
        world.put("tool", entry);
        let steps = match self.spec.list("runs") {
            [] => self.spec.get("run").cloned().unwrap_or_default(),
            runs => runs[call.min(runs.len()) - 1].clone(),
        };
        let steps = match steps {
            Value::Array(steps) => steps,
            Value::Null => Vec::new(),
            step => vec![step],
        };
        run(world, self.name.clone(), steps, args, context).boxed_local()
    }
}

async fn run(
    world: Rc<World>,
    name: String,
    steps: Vec<Value>,
    mut args: Value,
    context: ToolContext,
) -> Result<ToolOutput, Error> {
    for step in &steps {
        if let Some(message) = step.text("syncThrow").or(step.text("throw")).filter(|_| step.has("syncThrow")) {
            return Err(message.into());
        }
        if let Some(value) = step.get("syncReturn") {
            return Ok(output(value));
        }
        if let Some(ms) = step.number("delay") {
            match step.get("onAbort") {
                None => world.clock.sleep(ms).await,
                Some(then) => {
                    if world.clock.sleep_unless(ms, &context.abort).await {
                        world.put("toolAbort", [("name", name.into()), ("id", context.id.as_str().into())]);
                        return match then.as_str() {
                            Some(message) => Err(message.into()),
                            None => Ok(output(then.get("return").unwrap())),
                        };
                    }
                }
            }
        }
        if let Some(value) = step.get("update") {
            context.update(output(value));
        }
        if let Some(late) = step.get("lateUpdate") {
            let (world_then, then, value) = (world.clone(), context.clone(), output(late.get("value").unwrap()));
            world.clock.after(late.number("after").unwrap(), move || {
                let note = [("id", then.id.as_str().into()), ("note", "late update sent".into())];
                world_then.put("toolNote", note);
                then.update(value);
            });
        }
        if let (Some(Value::Object(changes)), Value::Object(args)) = (step.get("mutateArgs"), &mut args) {
            changes.iter().for_each(|(key, value)| drop(args.insert(key, value.clone())));
        }
        world.start(step.list("do"));
        if let Some(message) = step.text("throw") {
            return Err(message.into());
        }
        if let Some(value) = step.get("return") {
            return Ok(output(value));
        }
    }
    let said = object([("content", text_content(&sorted(&norm(&args)))), ("details", Object::new().into())]);
    Ok(output(&said))
}
