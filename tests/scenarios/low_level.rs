//! Runs without an agent.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use futures::future::{poll_fn, FutureExt, LocalBoxFuture};
use steersman::abort::Abort;
use steersman::error::Error;
use steersman::native::{AgentEvent, AgentMessage, Hook, Loop, Shell, ToolCall};
use steersman_wire::json::{parse, Object, Value};

use crate::events::entry;
use crate::hooks::briefs;
use crate::json::{object, set, Look};
use crate::normal::norm;
use crate::ops::value;
use crate::world::{Outcome, Settled, World};

/// Around a run without an agent: the recorder, and hooks in place of queues.
struct Around {
    world: Weak<World>,
    abort: Abort,
    /// Where events go when the consumer takes them at its own pace.
    stream: Option<Rc<EventList>>,
}

/// The number of prompts, or `usize::MAX` for a continued run, and what the run added.
type Ended = (usize, Result<Vec<Rc<AgentMessage>>, Error>);

/// Events that wait for their consumer.
#[derive(Default)]
struct EventList {
    /// With the entry that each made when it happened.
    events: RefCell<VecDeque<(Object, AgentEvent)>>,
    waker: RefCell<Option<std::task::Waker>>,
}

impl Shell for Around {
    fn deliver(&self, event: AgentEvent) -> LocalBoxFuture<'_, Result<(), Error>> {
        if let Some(stream) = &self.stream {
            stream.events.borrow_mut().push_back((entry(&event), event));
            if let Some(waker) = stream.waker.take() {
                waker.wake();
            }
            return async { Ok(()) }.boxed_local();
        }
        let world = self.world.upgrade().expect("the scenario is in play");
        let waiting = world.record(&event, &self.abort);
        async move {
            match waiting {
                Some(waiting) => waiting.await,
                None => Ok(()),
            }
        }
        .boxed_local()
    }

    fn steering(&self) -> Hook<'_, Vec<Rc<AgentMessage>>> {
        self.queue("getSteeringMessages")
    }

    fn follow_ups(&self) -> Hook<'_, Vec<Rc<AgentMessage>>> {
        self.queue("getFollowUpMessages")
    }
}

impl Around {
    fn queue(&self, name: &'static str) -> Hook<'_, Vec<Rc<AgentMessage>>> {
        let world = self.world.upgrade().expect("the scenario is in play");
        async move {
            let hooks = world.scenario.get("hooks");
            let Some(spec) = hooks.and_then(|hooks| hooks.get(name)) else { return Ok(Vec::new()) };
            let number = world.count(&format!("hook {name}"));
            world.put("hook", [("name", name.into())]);
            let list = spec.as_array().unwrap_or_else(|| spec.list("calls"));
            let behaviour = list.get(number - 1).or(spec.get("default"));
            Ok(world.messages(behaviour.and_then(Value::as_array).unwrap_or_default()))
        }
        .boxed_local()
    }
}

impl World {
    /// Start a run without an agent, or a single tool call.
    pub fn low_level(self: &Rc<Self>, name: &str, op: &Value) -> Settled {
        let none = object([]);
        let mut spec = self.scenario.get("context").unwrap_or(&none).as_object().unwrap().clone();
        let config = self.scenario.get("config").unwrap_or(&none);
        set(&mut spec, "thinkingLevel", config.get("reasoning").cloned());
        set(&mut spec, "model", config.get("model").cloned());
        let mut builder = self.builder(&spec.into(), false);
        if let Some(key) = config.text("apiKey") {
            builder = builder.api_key(key);
        }
        let loops = Rc::new(builder.build_loop().unwrap());
        *self.loops.borrow_mut() = Some(loops.clone());
        let given = op.get(name).unwrap();
        if name == "runToolCall" {
            return self.track(name, self.clone().tool_call(loops, given.clone()).boxed_local());
        }
        let abort = if self.scenario.flag("signal") == Some(false) { Abort::default() } else { self.abort.clone() };
        let prompts = (!name.ends_with("Continue")).then(|| self.messages(given.as_array().unwrap()));
        let streamed = name.starts_with("agentLoop");
        let stream = streamed.then(Rc::<EventList>::default);
        let around = Rc::new(Around { world: Rc::downgrade(self), abort: abort.clone(), stream: stream.clone() });
        let runs = {
            let loops = loops.clone();
            async move {
                match prompts {
                    Some(prompts) => (prompts.len(), loops.run(prompts, around, abort).await),
                    None => (usize::MAX, loops.run_continue(around, abort).await),
                }
            }
        };
        let (world, op) = (self.clone(), op.clone());
        let work: LocalBoxFuture<'static, Outcome> = match stream {
            None => async move {
                let added = runs.await.1?;
                Ok(value([("result", briefs(&added)), ("context", briefs(&loops.messages()))]))
            }
            .boxed_local(),
            Some(stream) => async move { world.consume(runs.boxed_local(), stream, &loops, &op).await }.boxed_local(),
        };
        self.track(name, work)
    }

    /// Take the events of a run that does not wait for it.
    async fn consume(
        self: Rc<Self>,
        runs: LocalBoxFuture<'static, Ended>,
        stream: Rc<EventList>,
        loops: &Loop,
        op: &Value,
    ) -> Outcome {
        let ended = Rc::new(RefCell::new(None));
        let (slot, wake) = (ended.clone(), stream.clone());
        let mut runs = runs;
        let early = (&mut runs).now_or_never();
        self.spawn(async move {
            let outcome = match early {
                Some(outcome) => outcome,
                None => runs.await,
            };
            *slot.borrow_mut() = Some(outcome);
            if let Some(waker) = wake.waker.take() {
                waker.wake();
            }
        });
        let mut left = op.number("breakAfter").unwrap_or(f64::INFINITY);
        let records = op.flag("resultOnly") != Some(true);
        loop {
            let next = poll_fn(|cx| {
                if let Some(event) = stream.events.borrow_mut().pop_front() {
                    return std::task::Poll::Ready(Some(event));
                }
                if ended.borrow().is_some() {
                    return std::task::Poll::Ready(None);
                }
                stream.waker.replace(Some(cx.waker().clone()));
                std::task::Poll::Pending
            });
            let Some((entry, event)) = next.await else { break };
            if !records || left <= 0.0 {
                continue;
            }
            if let Some(waiting) = self.record_as(entry, &event, &self.abort) {
                waiting.await?;
            }
            left -= 1.0;
        }
        let (prompts, outcome) = ended.take().unwrap();
        let added = match outcome {
            Ok(added) => added,
            // The JavaScript function throws before it gives a stream.
            Err(error) if prompts == usize::MAX => return Ok(value([("threwSynchronously", error.message.into())])),
            Err(error) => return Err(error),
        };
        let mut settled: Object = [("result", briefs(&added))].into_iter().collect();
        if records {
            settled.insert("context", briefs(&loops.messages()));
            if prompts != usize::MAX {
                settled.insert("prompts", prompts);
            }
        }
        if op.has("iterateAgain") {
            settled.insert("secondIteration", stream.events.borrow().len());
        }
        Ok(Some(settled.into()))
    }

    async fn tool_call(self: Rc<Self>, loops: Rc<Loop>, call: Value) -> Outcome {
        let mut block: Object = [("type", Value::from("toolCall"))].into_iter().collect();
        call.as_object().unwrap().iter().for_each(|(key, value)| drop(block.insert(key, value.clone())));
        let asked = object([
            ("role", "assistant".into()),
            ("content", vec![block.clone().into()].into()),
            ("stopReason", "toolUse".into()),
            ("timestamp", 1.into()),
        ]);
        let call = ToolCall {
            id: call.text("id").unwrap().into(),
            name: call.text("name").unwrap().into(),
            arguments: call.get("arguments").cloned().unwrap(),
            ..ToolCall::default()
        };
        let world = self.clone();
        let updates = move |partial: Rc<steersman::native::ToolOutput>| {
            world.put("onUpdate", [("partial", norm(&parse(&partial.to_json()).unwrap()))]);
        };
        let done = loops.tool_call(call, self.message(&asked), updates, self.abort.clone()).await?;
        let mut outcome: Object = [("toolCall", Value::from(block))].into_iter().collect();
        outcome.insert("result", parse(&done.output.to_json()).unwrap());
        outcome.insert("isError", done.is_error);
        set(&mut outcome, "durationMs", done.duration_ms.map(Value::from));
        Ok(Some(norm(&outcome.into())))
    }
}
