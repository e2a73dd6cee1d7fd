//! The operations of a scenario.

use std::rc::Rc;

use futures::future::{FutureExt, LocalBoxFuture};
use steersman::agent::{Agent, AgentBuilder};
use steersman::error::Error;
use steersman::queue::QueueMode;
use steersman_wire::json::{Object, Value};

use crate::events::{Further, Recorder};
use crate::hooks::{briefs, ScriptedHooks};
use crate::json::{object, set, Look};
use crate::normal::brief;
use crate::stream::ScriptedStream;
use crate::values::{json_of, model};
use crate::world::{signal, World};

/// What to wait for after an operation was started.
type Then = Option<LocalBoxFuture<'static, ()>>;

/// The time of the scenarios: any moment that counts as now.
pub const NOW: f64 = 1.8e12;

impl World {
    /// Do operations one after the other, each awaited unless it says otherwise.
    pub fn ops(self: &Rc<Self>, list: Vec<Value>) -> LocalBoxFuture<'static, ()> {
        let world = self.clone();
        async move {
            for op in &list {
                if let (Some(then), true) = (world.op(op), op.flag("wait") != Some(false)) {
                    then.await;
                }
            }
        }
        .boxed_local()
    }

    /// Start operations without waiting for any.
    pub fn start(self: &Rc<Self>, list: &[Value]) {
        list.iter().for_each(|op| drop(self.op(op)));
    }

    fn save(&self, op: &Value, settled: crate::world::Settled) -> Then {
        if let Some(name) = op.text("as") {
            self.saved.borrow_mut().insert(name.to_owned(), settled.clone());
        }
        Some(settled.boxed_local())
    }

    fn op(self: &Rc<Self>, op: &Value) -> Then {
        let (name, value) = op.as_object().and_then(|op| op.iter().next()).expect("an operation");
        match name {
            "prompt" => {
                let agent = self.agent();
                let work: LocalBoxFuture<'static, Result<(), Error>> = match value {
                    Value::String(text) => {
                        let text = text.clone();
                        async move { agent.prompt(text).await }.boxed_local()
                    }
                    other => {
                        let list = other.as_array().map_or_else(|| vec![other.clone()], <[Value]>::to_vec);
                        let messages = self.messages(&list);
                        async move { agent.prompt_with(messages).await }.boxed_local()
                    }
                };
                return self.save(op, self.track("prompt", async { work.await.map(|()| None) }.boxed_local()));
            }
            "continue" => {
                let agent = self.agent();
                let work = async move { agent.continue_run().await.map(|()| None) };
                return self.save(op, self.track("continue", work.boxed_local()));
            }
            "waitForIdle" => {
                let agent = self.agent();
                let work = async move {
                    agent.wait_for_idle().await;
                    Ok(None)
                };
                return self.save(op, self.track("waitForIdle", work.boxed_local()));
            }
            "runAgentLoop" | "runAgentLoopContinue" | "agentLoop" | "agentLoopContinue" | "runToolCall" => {
                let settled = self.low_level(name, op);
                return self.save(op, settled);
            }
            "await" => return self.saved.borrow().get(value.as_str()?).cloned().map(FutureExt::boxed_local),
            "sleep" => return Some(self.clock.sleep(value.as_f64()?).boxed_local()),
            _ => self.at_once(name, value),
        }
        None
    }

    /// Operations that are done when they are called.
    fn at_once(self: &Rc<Self>, name: &str, value: &Value) {
        let done = |members: Object| {
            let mut entry: Object = [("op", Value::from(name))].into_iter().collect();
            members.into_iter().for_each(|(key, value)| drop(entry.insert(key, value)));
            self.put_object("do", entry);
        };
        let threw = |outcome: Result<(), Error>| {
            let mut members = Object::new();
            set(&mut members, "threw", outcome.err().map(|error| error.message.into()));
            members
        };
        match name {
            "steer" | "followUp" => {
                let message = self.message(value);
                done([("message", brief(&json_of(&message)))].into_iter().collect());
                let agent = self.agent();
                if name == "steer" {
                    agent.steer(message);
                } else {
                    agent.follow_up(message);
                }
            }
            "abort" => {
                done(Object::new());
                match self.agent.borrow().clone() {
                    Some(agent) => agent.abort(),
                    None => self.abort.abort("aborted"),
                }
            }
            "reset" => done(threw(self.agent().reset())),
            "clearSteeringQueue" => {
                self.agent().clear_steering_queue();
                done(Object::new());
            }
            "clearFollowUpQueue" => {
                self.agent().clear_follow_up_queue();
                done(Object::new());
            }
            "clearAllQueues" => {
                self.agent().clear_queues();
                done(Object::new());
            }
            "state" => {
                let keys = value.as_array().unwrap().iter().filter_map(Value::as_str);
                self.put_object("state", keys.map(|key| (key, self.state(&self.agent(), key))).collect());
            }
            "get" => {
                let keys = value.as_array().unwrap().iter().filter_map(Value::as_str);
                self.put_object("get", keys.filter_map(|key| Some((key, self.member(key)?))).collect());
            }
            "set" => value.as_object().unwrap().iter().for_each(|(key, value)| {
                let mut members = threw(self.assign(key, value));
                members.insert("key", key);
                done(members);
            }),
            "unset" | "installHook" => {
                let names: Vec<String> =
                    value.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect();
                let key = if name == "unset" { "keys" } else { "hooks" };
                for hook in names {
                    if name == "unset" {
                        self.without.borrow_mut().insert(hook);
                    } else {
                        self.without.borrow_mut().remove(&hook);
                    }
                }
                self.agent().set_hooks(ScriptedHooks::new(self, true));
                done([(key, value.clone())].into_iter().collect());
            }
            "pushMessage" => {
                let agent = self.agent();
                let mut messages = agent.messages();
                messages.push(self.message(value));
                agent.set_messages(messages);
                done(Object::new());
            }
            "subscribe" => {
                done([("id", value.text("id").unwrap())].into_iter().collect());
                self.subscribe(value);
            }
            "unsubscribe" => {
                let id = value.as_str().unwrap();
                drop(self.subscriptions.borrow_mut().remove(id));
                done([("id", id)].into_iter().collect());
            }
            "setStreamFunction" => {
                let stream = ScriptedStream { world: Rc::downgrade(self), name: value.as_str().unwrap().into() };
                self.agent().set_stream_fn(stream);
                done([("value", value.clone())].into_iter().collect());
            }
            "newAgent" => {
                self.make_agent(value);
                done(Object::new());
            }
            // Probes of JavaScript objects.
            "same" | "hold" => {}
            "show" if value.as_str() != Some("ctx.messages") => {}
            "show" => {
                let loops = self.loops.borrow().clone().expect("a low-level run");
                self.put("show", [("what", value.clone()), ("value", briefs(&loops.messages()))]);
            }
            "note" => self.put("note", [("note", value.clone())]),
            other => panic!("unknown operation {other}"),
        }
    }

    /// A member of the agent; `None` for those that only JavaScript has.
    fn member(&self, key: &str) -> Option<Value> {
        let agent = self.agent();
        Some(match key {
            "hasQueuedMessages" => agent.has_queued_messages().into(),
            "peekQueuedMessages" => briefs(&agent.peek_queued_messages()),
            "signal" => signal(agent.run_abort().as_ref()).into(),
            "steeringMode" => agent.steering_mode().name().into(),
            "followUpMode" => agent.follow_up_mode().name().into(),
            "toolExecution" => if agent.sequential_tools() { "sequential" } else { "parallel" }.into(),
            "sessionId" => agent.session_id().map_or("<undefined>".into(), |id| (&*id).into()),
            _ => return None,
        })
    }

    fn assign(self: &Rc<Self>, key: &str, value: &Value) -> Result<(), Error> {
        let agent = self.agent();
        match key {
            "state.messages" => agent.set_messages(self.messages(value.as_array().unwrap())),
            "state.tools" => agent.set_tools(self.tool_list(value.as_array().unwrap()))?,
            "state.model" => agent.set_model(model(value.as_str().unwrap())),
            "state.thinkingLevel" => agent.set_thinking_level(value.as_str().unwrap()),
            "state.systemPrompt" => agent.set_system_prompt(value.as_str().unwrap())?,
            "steeringMode" => agent.set_steering_mode(mode(value.as_str())),
            "followUpMode" => agent.set_follow_up_mode(mode(value.as_str())),
            "toolExecution" => agent.set_sequential_tools(value.as_str() == Some("sequential")),
            other => panic!("unknown member {other}"),
        }
        Ok(())
    }

    /// Everything that a description of an agent says.
    pub fn builder(self: &Rc<Self>, spec: &Value, agent: bool) -> AgentBuilder {
        let mut builder = Agent::builder()
            .profile(self.profile)
            .clock({
                let world = Rc::downgrade(self);
                move || NOW + world.upgrade().map_or(0.0, |world| world.clock.now())
            })
            .hooks(ScriptedHooks::new(self, agent))
            .stream_fn(ScriptedStream { world: Rc::downgrade(self), name: "main".into() })
            .steering_mode(mode(spec.text("steeringMode")))
            .follow_up_mode(mode(spec.text("followUpMode")));
        if spec.text("toolExecution") == Some("sequential") {
            builder = builder.sequential_tools();
        }
        if spec.flag("noInitialState") == Some(true) {
            return builder;
        }
        if !spec.get("model").is_some_and(Value::is_null) {
            builder = builder.model(model(spec.text("model").unwrap_or("m1")));
        }
        if let Some(prompt) = spec.text("systemPrompt") {
            builder = builder.system_prompt(prompt);
        }
        if let Some(level) = spec.text("thinkingLevel") {
            builder = builder.thinking_level(level);
        }
        builder = builder.messages(self.messages(spec.list("messages")));
        self.tool_list(spec.list("tools")).into_iter().fold(builder, AgentBuilder::tool_handle)
    }

    pub fn make_agent(self: &Rc<Self>, spec: &Value) {
        let agent = self.builder(spec, true).build().unwrap();
        *self.agent.borrow_mut() = Some(agent.clone());
        let listeners = self.scenario.list("listeners");
        let first = |listener: &&Value| listener.flag("before") == Some(true);
        listeners.iter().filter(first).for_each(|listener| self.subscribe(listener));
        let recorder = agent.subscribe(Recorder(Rc::downgrade(self)));
        drop(self.subscriptions.borrow_mut().insert("recorder".into(), recorder));
        listeners.iter().filter(|listener| !first(listener)).for_each(|listener| self.subscribe(listener));
    }

    fn subscribe(self: &Rc<Self>, spec: &Value) {
        let listener = Further { world: Rc::downgrade(self), spec: spec.clone() };
        let subscription = self.agent().subscribe(listener);
        let id = spec.text("id").unwrap_or_default().to_owned();
        drop(self.subscriptions.borrow_mut().insert(id, subscription));
    }
}

fn mode(name: Option<&str>) -> QueueMode {
    match name {
        Some("all") => QueueMode::All,
        _ => QueueMode::OneAtATime,
    }
}

/// The value an operation settles with.
pub fn value<const N: usize>(members: [(&str, Value); N]) -> Option<Value> {
    Some(object(members))
}
