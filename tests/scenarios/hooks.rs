//! Scripted hooks.

use std::rc::{Rc, Weak};

use futures::future::FutureExt;
use steersman::abort::Abort;
use steersman::error::Error;
use steersman::host::Decision;
use steersman::native::{
    AfterToolCall, AgentMessage, BeforeToolCall, Hook, Hooks, NextTurn, NoHooks, RequestState, ToolCallFacts,
    ToolOutput, ToolResultFacts, TurnFacts,
};
use steersman::profile::Profile;
use steersman_wire::json::{parse, Object, Value};

use crate::json::Look;
use crate::normal::{brief, norm};
use crate::values::{json_of, model, output};
use crate::world::{signal, World};

/// Plays the hooks that a scenario lists; the others do nothing.
pub struct ScriptedHooks {
    world: Weak<World>,
    /// Those that were installed when these were made.
    installed: Vec<String>,
    agent: bool,
}

type Messages = Vec<Rc<AgentMessage>>;

/// Messages in one line each.
pub fn briefs(messages: &[Rc<AgentMessage>]) -> Value {
    messages.iter().map(|message| brief(&json_of(message)).into()).collect::<Vec<Value>>().into()
}

fn described<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.into_iter().collect()
}

impl ScriptedHooks {
    pub fn new(world: &Rc<World>, agent: bool) -> Self {
        let all = world.scenario.get("hooks").and_then(Value::as_object);
        let without = world.without.borrow();
        let installed = all.into_iter().flat_map(Object::keys).filter(|name| !without.contains(*name));
        ScriptedHooks { world: Rc::downgrade(world), installed: installed.map(str::to_owned).collect(), agent }
    }

    fn has(&self, name: &str) -> bool {
        self.installed.iter().any(|installed| installed == name)
    }

    fn world(&self) -> Rc<World> {
        self.world.upgrade().expect("the scenario is in play")
    }

    /// A call of a hook: what it was told goes into the trace, and its behaviour comes back after its delay.
    async fn call(&self, name: &str, told: Object) -> Result<Value, Error> {
        let world = self.world();
        let number = world.count(&format!("hook {name}"));
        let spec = world.scenario.get("hooks").and_then(|hooks| hooks.get(name)).unwrap();
        let list = spec.as_array().unwrap_or_else(|| spec.list("calls"));
        let tool = told.get("tool").and_then(Value::as_str).map(str::to_owned);
        let by_tool = tool.and_then(|tool| spec.get("byTool")?.get(&tool));
        let behaviour = by_tool.or(list.get(number - 1)).or(spec.get("default")).cloned();
        let behaviour = behaviour.unwrap_or_else(|| Object::new().into());
        let mut entry = described([("name", name.into())]);
        told.into_iter().for_each(|(key, value)| drop(entry.insert(key, value)));
        world.put_object("hook", entry);
        if let Some(ms) = behaviour.number("delay") {
            world.clock.sleep(ms).await;
        }
        world.start(behaviour.list("do"));
        match behaviour.text("throw") {
            Some(message) => Err(message.into()),
            None => Ok(behaviour),
        }
    }

    /// Roles that the default conversion keeps.
    fn known(&self, message: &AgentMessage) -> bool {
        match message {
            AgentMessage::Custom(_) => false,
            AgentMessage::System(_) => self.world().profile.has(Profile::SYSTEM_MESSAGES),
            _ => true,
        }
    }

    fn turn_told(turn: &TurnFacts) -> Object {
        described([
            ("message", brief(&json_of(&turn.message)).into()),
            ("toolResults", briefs(&turn.tool_results)),
            ("context", briefs(&turn.context)),
            ("newMessages", briefs(&turn.new_messages)),
        ])
    }

    fn call_told(call: &ToolCallFacts, abort: &Abort) -> Object {
        described([
            ("tool", call.call.name.as_str().into()),
            ("id", call.call.id.as_str().into()),
            ("args", norm(&call.args())),
            ("rawArgs", norm(&call.call.arguments)),
            ("assistant", brief(&json_of(&call.message)).into()),
            ("context", briefs(&call.context)),
            ("signal", signal(Some(abort)).into()),
        ])
    }

    /// What a turn hook changes, on top of the context it was told.
    fn update(&self, behaviour: &Value, context: &[Rc<AgentMessage>]) -> NextTurn {
        let Some(said) = behaviour.get("return") else { return NextTurn::default() };
        let world = self.world();
        let mut update = NextTurn {
            model: said.text("model").map(|spec| Rc::new(model(spec))),
            thinking_level: said.text("thinkingLevel").map(Rc::from),
            messages: world.messages(said.list("messages")),
            ..NextTurn::default()
        };
        if let Some(given) = said.get("context") {
            let mut messages = match (given.number("keepLast"), given.get("messages")) {
                (Some(last), _) => context[context.len().saturating_sub(last as usize)..].to_vec(),
                (None, Some(list)) => world.messages(list.as_array().unwrap()),
                (None, None) => context.to_vec(),
            };
            if let Some(summary) = given.get("summary") {
                messages.insert(0, world.message(summary));
            }
            update.context = Some(messages);
            update.system_prompt = given.text("systemPrompt").map(Rc::from);
            update.tools = given.has("tools").then(|| world.tool_list(given.list("tools")));
        }
        update
    }
}

impl Hooks for ScriptedHooks {
    fn prepare_next_turn<'a>(&'a self, turn: TurnFacts, abort: &'a Abort) -> Hook<'a, NextTurn> {
        async move {
            let mut told = Self::turn_told(&turn);
            if self.agent && self.has("prepareNextTurnWithContext") {
                told.insert("signal", signal(Some(abort)));
                let behaviour = self.call("prepareNextTurnWithContext", told).await?;
                return Ok(self.update(&behaviour, &turn.context));
            }
            if !self.has("prepareNextTurn") {
                return Ok(NextTurn::default());
            }
            if !self.agent {
                let behaviour = self.call("prepareNextTurn", told).await?;
                return Ok(self.update(&behaviour, &turn.context));
            }
            // The plain hook of the agent is told nothing but the signal.
            let behaviour = self.call("prepareNextTurn", described([("signal", signal(Some(abort)).into())])).await?;
            Ok(self.update(&behaviour, &[]))
        }
        .boxed_local()
    }

    fn prepare_request<'a>(&'a self, state: RequestState, abort: &'a Abort) -> Hook<'a, NextTurn> {
        async move {
            if !self.has("prepareRequest") {
                return Ok(NextTurn::default());
            }
            let told = described([
                ("messages", briefs(&state.messages)),
                ("model", state.model.text("id").into()),
                ("thinkingLevel", (&*state.thinking_level).into()),
                ("signal", signal(Some(abort)).into()),
            ]);
            let behaviour = self.call("prepareRequest", told).await?;
            Ok(self.update(&behaviour, &state.messages))
        }
        .boxed_local()
    }

    fn transform_context<'a>(&'a self, messages: Messages, abort: &'a Abort) -> Hook<'a, Messages> {
        async move {
            if !self.has("transformContext") {
                return Ok(messages);
            }
            let told = described([("messages", briefs(&messages)), ("signal", signal(Some(abort)).into())]);
            let behaviour = self.call("transformContext", told).await?;
            let (mut first, mut last) = (self.world().messages(behaviour.list("prepend")), messages);
            if let Some(keep) = behaviour.number("keepLast") {
                last.drain(..last.len().saturating_sub(keep as usize));
            }
            last.extend(self.world().messages(behaviour.list("append")));
            first.append(&mut last);
            Ok(first)
        }
        .boxed_local()
    }

    fn convert_to_llm<'a>(&'a self, messages: Messages) -> Hook<'a, Messages> {
        async move {
            if !self.has("convertToLlm") {
                return NoHooks.convert_to_llm(messages).await;
            }
            let behaviour = self.call("convertToLlm", described([("messages", briefs(&messages))])).await?;
            if behaviour.has("returnMessages") {
                return Ok(self.world().messages(behaviour.list("returnMessages")));
            }
            let to_user = behaviour.flag("customToUser") == Some(true);
            let converted = messages.into_iter().filter_map(|message| match &*message {
                AgentMessage::Custom(custom) if to_user && custom.role == "custom" => {
                    let json = json_of(&message);
                    Some(Rc::new(AgentMessage::user(json.text("text").unwrap_or_default())))
                }
                known => self.known(known).then(|| message.clone()),
            });
            Ok(converted.collect())
        }
        .boxed_local()
    }

    fn api_key<'a>(&'a self, provider: &'a str) -> Hook<'a, Option<String>> {
        async move {
            if !self.has("getApiKey") {
                return Ok(None);
            }
            let said = self.call("getApiKey", described([("provider", provider.into())])).await?;
            Ok(said.as_str().or(said.text("return")).map(str::to_owned))
        }
        .boxed_local()
    }

    fn before_tool_call<'a>(&'a self, call: &'a ToolCallFacts, abort: &'a Abort) -> Hook<'a, Option<BeforeToolCall>> {
        async move {
            if !self.has("beforeToolCall") {
                return Ok(None);
            }
            let behaviour = self.call("beforeToolCall", Self::call_told(call, abort)).await?;
            if let Value::Object(mut args) = call.args() {
                for (key, value) in
                    behaviour.get("mutateArgs").and_then(Value::as_object).into_iter().flat_map(Object::iter)
                {
                    args.insert(key, value.clone());
                }
                for key in behaviour.list("deleteArgs").iter().filter_map(Value::as_str) {
                    args.remove(key);
                }
                call.set_args(args.into());
            }
            Ok(behaviour.get("return").map(|said| BeforeToolCall {
                block: said.flag("block") == Some(true),
                reason: said.text("reason").map(str::to_owned),
                terminate: said.flag("terminate") == Some(true),
            }))
        }
        .boxed_local()
    }

    fn after_tool_call<'a>(
        &'a self,
        call: &'a ToolCallFacts,
        result: ToolResultFacts,
        abort: &'a Abort,
    ) -> Hook<'a, Option<AfterToolCall>> {
        async move {
            if !self.has("afterToolCall") {
                return Ok(None);
            }
            let mut told = Self::call_told(call, abort);
            told.insert("result", norm(&parse(&result.output.to_json()).unwrap()));
            told.insert("isError", result.is_error);
            let behaviour = self.call("afterToolCall", told).await?;
            let Some(said) = behaviour.get("return") else { return Ok(None) };
            let given = |key: &str| said.get(key).filter(|value| !value.is_null()).cloned();
            let only: Object = ["content", "usage"].into_iter().filter_map(|key| Some((key, given(key)?))).collect();
            let ToolOutput { content, usage, .. } = output(&only.into());
            Ok(Some(AfterToolCall {
                content: given("content").map(|_| content),
                details: given("details"),
                structured_content: given("structuredContent"),
                is_error: given("isError").and_then(|flag| flag.as_bool()),
                usage,
                terminate: given("terminate").and_then(|flag| flag.as_bool()),
            }))
        }
        .boxed_local()
    }

    fn finish_turn<'a>(&'a self, turn: TurnFacts, abort: &'a Abort) -> Hook<'a, Decision> {
        async move {
            if !self.has("finishTurn") {
                return Ok(Decision::Normal);
            }
            let mut told = Self::turn_told(&turn);
            told.insert("signal", signal(Some(abort)));
            let behaviour = self.call("finishTurn", told).await?;
            Ok(match behaviour.get("return").and_then(|said| said.text("action")) {
                Some("continue") => Decision::Continue,
                Some("end") => Decision::End,
                _ => Decision::Normal,
            })
        }
        .boxed_local()
    }

    fn should_stop_after_turn<'a>(&'a self, turn: TurnFacts, abort: &'a Abort) -> Hook<'a, bool> {
        async move {
            if !self.has("shouldStopAfterTurn") {
                return Ok(false);
            }
            let mut told = Self::turn_told(&turn);
            told.insert("signal", signal(Some(abort).filter(|_| self.agent)));
            let behaviour = self.call("shouldStopAfterTurn", told).await?;
            Ok(behaviour.flag("return") == Some(true))
        }
        .boxed_local()
    }
}
