//! Hooks that change anything a hook may change.

use std::rc::{Rc, Weak};

use futures::future::FutureExt;
use steersman::abort::Abort;
use steersman::host::Decision;
use steersman::native::{
    AfterToolCall, AgentMessage, BeforeToolCall, Content, Hook, Hooks, NextTurn, RequestState, ToolCallFacts,
    ToolResultFacts, TurnFacts,
};

use crate::world::World;

pub struct RandomHooks(pub Weak<World>);

impl RandomHooks {
    fn world(&self) -> Rc<World> {
        self.0.upgrade().expect("the schedule runs")
    }

    /// A change of what the next requests are made of.
    fn change(world: &Rc<World>, messages: &[Rc<AgentMessage>]) -> NextTurn {
        let random = &world.random;
        let mut change = NextTurn::default();
        if random.one_in(6) {
            let keep = random.below(6);
            change.context = Some(messages[messages.len().saturating_sub(keep)..].to_vec());
        }
        if random.one_in(10) {
            change.model = Some(Rc::new(world.model()));
        }
        if random.one_in(10) {
            change.tools = Some(world.tools());
        }
        if random.one_in(10) {
            change.messages.push(world.message());
        }
        if random.one_in(10) {
            change.thinking_level = Some((random.pick(&["off", "high"])).into());
        }
        change
    }
}

impl Hooks for RandomHooks {
    fn prepare_next_turn<'a>(&'a self, turn: TurnFacts, _abort: &'a Abort) -> Hook<'a, NextTurn> {
        let world = self.world();
        async move {
            world.wait().await;
            world.meddle("prepare_next_turn");
            world.stumble("prepare_next_turn")?;
            Ok(Self::change(&world, &turn.context))
        }
        .boxed_local()
    }

    fn prepare_request<'a>(&'a self, state: RequestState, _abort: &'a Abort) -> Hook<'a, NextTurn> {
        let world = self.world();
        async move {
            world.meddle("prepare_request");
            world.stumble("prepare_request")?;
            Ok(Self::change(&world, &state.messages))
        }
        .boxed_local()
    }

    fn transform_context<'a>(
        &'a self,
        messages: Vec<Rc<AgentMessage>>,
        _abort: &'a Abort,
    ) -> Hook<'a, Vec<Rc<AgentMessage>>> {
        let world = self.world();
        async move {
            world.wait().await;
            world.meddle("transform_context");
            world.stumble("transform_context")?;
            Ok(match world.random.below(8) {
                0 => world.thinned(messages),
                1 => {
                    let mut more = messages;
                    more.insert(world.random.below(more.len() + 1), world.message());
                    more
                }
                _ => messages,
            })
        }
        .boxed_local()
    }

    fn convert_to_llm<'a>(&'a self, messages: Vec<Rc<AgentMessage>>) -> Hook<'a, Vec<Rc<AgentMessage>>> {
        let world = self.world();
        async move {
            world.stumble("convert_to_llm")?;
            let converted = messages.into_iter().map(|message| match &*message {
                AgentMessage::Custom(_) => Rc::new(AgentMessage::user("a notice")),
                _ => message,
            });
            Ok(converted.collect())
        }
        .boxed_local()
    }

    fn api_key<'a>(&'a self, _provider: &'a str) -> Hook<'a, Option<String>> {
        let world = self.world();
        async move {
            world.wait().await;
            world.meddle("api_key");
            world.stumble("api_key")?;
            Ok(Some("key".into()))
        }
        .boxed_local()
    }

    fn before_tool_call<'a>(&'a self, call: &'a ToolCallFacts, _abort: &'a Abort) -> Hook<'a, Option<BeforeToolCall>> {
        let world = self.world();
        async move {
            world.wait().await;
            world.meddle("before_tool_call");
            if world.random.one_in(20) {
                return Err("not now".into());
            }
            call.set_args(call.args());
            let block = world.random.one_in(6);
            let terminate = world.random.one_in(3);
            Ok(world.random.one_in(3).then_some(BeforeToolCall { block, reason: None, terminate }))
        }
        .boxed_local()
    }

    fn after_tool_call<'a>(
        &'a self,
        _call: &'a ToolCallFacts,
        _result: ToolResultFacts,
        _abort: &'a Abort,
    ) -> Hook<'a, Option<AfterToolCall>> {
        let world = self.world();
        async move {
            world.wait().await;
            world.meddle("after_tool_call");
            if world.random.one_in(20) {
                return Err("spoiled".into());
            }
            Ok(world.random.one_in(4).then(|| AfterToolCall {
                content: Some(vec![Content::text("changed")]),
                terminate: Some(world.random.one_in(2)),
                ..AfterToolCall::default()
            }))
        }
        .boxed_local()
    }

    fn finish_turn<'a>(&'a self, _turn: TurnFacts, _abort: &'a Abort) -> Hook<'a, Decision> {
        let world = self.world();
        async move {
            world.meddle("finish_turn");
            world.stumble("finish_turn")?;
            Ok(match world.random.below(12) {
                0 => Decision::End,
                1 if world.requests.get() < 6 => Decision::Continue,
                _ => Decision::Normal,
            })
        }
        .boxed_local()
    }

    fn should_stop_after_turn<'a>(&'a self, _turn: TurnFacts, _abort: &'a Abort) -> Hook<'a, bool> {
        let world = self.world();
        async move {
            world.stumble("should_stop_after_turn")?;
            Ok(world.random.one_in(15))
        }
        .boxed_local()
    }
}
