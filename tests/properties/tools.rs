//! Tools that do anything a tool may do.

use std::rc::{Rc, Weak};

use futures::future::{FutureExt, LocalBoxFuture};
use steersman::error::Error;
use steersman::native::{Content, Tool, ToolContext, ToolDeclaration, ToolOutput};
use steersman_wire::json::{parse, Value};

use crate::world::World;

/// Names in use; models call others too.
pub const NAMES: [&str; 4] = ["read", "write", "search", "think_hard"];

pub struct RandomTool {
    world: Weak<World>,
    declaration: ToolDeclaration,
    sequential: bool,
}

impl RandomTool {
    pub fn new(world: &Rc<World>) -> Self {
        let parameters =
            r#"{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"]}"#;
        let declaration = ToolDeclaration {
            name: (world.random.pick(&NAMES)).into(),
            description: format!("version {}", world.random.below(3)),
            parameters: parse(parameters).unwrap(),
            ..ToolDeclaration::default()
        };
        RandomTool { world: Rc::downgrade(world), declaration, sequential: world.random.one_in(4) }
    }
}

impl Tool for RandomTool {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn sequential(&self) -> bool {
        self.sequential
    }

    fn prepare_arguments(&self, arguments: Value) -> Result<Value, Error> {
        let world = self.world.upgrade().expect("the schedule runs");
        world.meddle("prepare_arguments");
        if world.random.one_in(20) {
            return Err("cannot be prepared".into());
        }
        Ok(arguments)
    }

    fn execute<'a>(&'a self, _args: Value, context: ToolContext) -> LocalBoxFuture<'a, Result<ToolOutput, Error>> {
        let world = self.world.upgrade().expect("the schedule runs");
        world.contexts.borrow_mut().push(context.clone());
        async move {
            for _ in 0..world.random.below(3) {
                context.update(ToolOutput::text("under way"));
                world.wait().await;
                world.meddle("a tool");
                if context.abort.aborted() && world.random.one_in(2) {
                    return Err("stopped".into());
                }
            }
            let content = match world.random.below(6) {
                0 => return Err("the tool failed".into()),
                1 => Vec::new(),
                2 => vec![Content::text("")],
                3 => vec![Content::Image { data: "aGk=".into(), mime_type: "image/png".into() }],
                _ => vec![Content::text("done")],
            };
            let (is_error, terminate) = (world.random.one_in(8), world.random.one_in(6));
            Ok(ToolOutput { content, is_error, terminate, ..ToolOutput::default() })
        }
        .boxed_local()
    }
}
