// Plays cases of kind `loop`: a scripted model, tools, hooks, and actions at named moments. Time is fake.
import assert from "node:assert/strict";
import { textOf, user } from "../shell/scripted.mjs";
import { chatModel } from "../hostile/provider.mjs";
import { assertPart, judge, Keys } from "./keys.mjs";
import { danglingCalls, resultsOf, userTexts } from "./requests.mjs";
import { caseTool } from "./tools.mjs";
import { scriptedTurns } from "./turns.mjs";

/** Longest a case may take, in milliseconds of its own time. */
const LONGEST = 5000;

/** Everything that was seen of a case. */
class Play {
  log = { executions: [], received: [], lateUpdates: 0 };
  events = [];
  persisted = [];
  runs = [];
  hookCalls = [];
  outcomes = {};
  afterEnd = [];
  sameTick = [];
  iterators = [];
  aliasing = [];
  deltas = 0;
  #due = [];

  constructor(host, input, more) {
    this.host = host;
    const keys = new Keys(input, "input");
    keys.get("kind");
    this.time = host.time;
    const { streamFn, requests } = scriptedTurns(host.steersman, keys.get("turns"));
    this.requests = requests;
    const context = {
      log: this.log,
      later: (ms, act) => setTimeout(act, ms),
      onStart: (id) => this.#happened(`tool_start:${id}`),
      act: (method) => this.#callBack(method),
    };
    const tools = keys.get("tools", []).map((tool) => caseTool(tool, context));
    this.prompts = keys.get("prompts", ["a"]);
    const options = { ...keys.get("options", {}), ...more };
    const mode = keys.get("mode");
    if (mode) options.toolExecution = mode;
    const beforeToolCall = this.#hooks(keys.get("hooks", {}), options);
    this.agent = new host.steersman.Agent({
      ...{ ...options, beforeToolCall, streamFn, initialState: { model: chatModel, tools } },
    });
    this.agent.subscribe((event) => this.#seen(event));
    for (const action of keys.get("actions", [])) this.#plan(action);
    for (const listener of keys.get("listeners", [])) this.#listen(listener);
    for (const consumer of keys.get("consumers", [])) this.#consume(consumer);
    keys.done();
  }

  #hooks(hooks, options) {
    const keys = new Keys(hooks, "hooks");
    const before = keys.get("beforeToolCall");
    keys.done();
    if (!before) return undefined;
    const rule = new Keys(before, "beforeToolCall");
    const block = rule.get("block", []);
    const terminate = rule.get("terminate");
    const abortIn = rule.get("abort_in", []);
    assert.ok(["allow", undefined].includes(rule.get("then")));
    const timeout = rule.get("timeout_ms");
    if (timeout) options.limits = { approvalMs: timeout };
    const special = {};
    for (const id of Object.keys(before).filter((name) => /^k\d/.test(name))) special[id] = rule.get(id);
    rule.done();
    return ({ toolCall: { id } }) => {
      this.hookCalls.push(id);
      if (abortIn.includes(id)) this.agent.abort();
      if (special[id] === "throws") throw new Error("check failed");
      if (special[id] === "rejects") return Promise.reject(new Error("check failed"));
      if (special[id] === "never_settles") return new Promise(() => {});
      return block.includes(id) ? { block: true, ...(terminate && { terminate }) } : undefined;
    };
  }

  #plan(action) {
    const keys = new Keys(action, "action");
    const name = keys.get("do");
    const text = keys.get("text");
    const when = keys.get("when");
    keys.get("sync");
    const act = () => this.#act(name, text);
    if (keys.get("after_end")) this.afterEnd.push(act);
    else if (keys.get("same_tick")) this.sameTick.push(act);
    else this.#due.push({ when, act });
    keys.done();
  }

  #act(name, text) {
    const { agent } = this;
    switch (name) {
      case "abort":
        return agent.abort();
      case "steer":
        return void (this.receipt = agent.steer(user(text)));
      case "followUp":
        return void (this.receipt = agent.followUp(user(text)));
      case "send":
        this.receipt = agent.send(text);
        return void (this.outcomes.receipt = this.receipt.status);
      case "prompt":
        if (agent.state.isStreaming) return this.#refused("second_prompt", () => agent.prompt(text));
        return this.#run(text);
      case "reset":
        return this.#refused("reset", async () => agent.reset());
      case "snapshot_and_reload": {
        const messages = JSON.parse(JSON.stringify(agent.state.messages));
        const { streamFunction: streamFn } = agent;
        this.agent = new this.host.steersman.Agent({
          streamFn,
          initialState: { model: chatModel, messages },
        });
        return undefined;
      }
      case "unsubscribe":
        this.view = undefined;
        return undefined;
      case "subscribe_with_snapshot": {
        const second = { text: textOf(agent.state.streamingMessage) };
        this.second = second;
        (async () => {
          for await (const { assistantMessageEvent: update } of agent.events()) {
            if (update?.type === "text_delta") second.text += update.delta;
          }
        })();
        return undefined;
      }
      default:
        throw new Error(`not implemented: do ${name}`);
    }
  }

  async #refused(name, call) {
    this.outcomes[name] = await call().then(
      () => "fulfils",
      (error) => `rejects:${error.code}`,
    );
  }

  #happened(moment) {
    const now = this.#due.filter(({ when }) => when === moment);
    this.#due = this.#due.filter(({ when }) => when !== moment);
    for (const { act } of now) act();
  }

  #seen(event) {
    this.events.push(event);
    if (event.type === "message_end") this.persisted.push(structuredClone(event.message));
    if (event.assistantMessageEvent?.type === "text_delta") {
      this.deltas++;
      if (this.deltas === 1) this.#happened("first_delta");
      this.#happened(`delta:${this.deltas}`);
    }
    if (event.type === "tool_execution_start") this.#happened(`tool_start_event:${event.toolCallId}`);
    const answer = event.type !== "message_end" || event.message.role === "assistant";
    if (["message_end", "turn_end", "agent_end"].includes(event.type) && answer) this.#happened(event.type);
  }

  /** A listener that calls methods, each once for each kind of event: with more the run would feed itself. */
  #listen(listener) {
    const keys = new Keys(listener, "listener");
    const on = keys.get("on");
    const calls = keys.get("calls", []);
    const reads = keys.get("reads");
    keys.done();
    const done = new Set();
    this.agent.subscribe((event) => {
      if (on !== "*" && on !== event.type) return;
      if (reads) this.#read(event);
      if (done.has(event.type)) return;
      done.add(event.type);
      for (const method of calls) this.#callBack(method);
    });
  }

  #read(event) {
    const { messages, streamingMessage } = this.agent.state;
    const times = messages.filter((message) => message === event.message).length;
    (this.reads ??= []).push({ streaming: streamingMessage ?? null, times });
  }

  #callBack(method) {
    const { agent } = this;
    try {
      if (method === "state") structuredClone(agent.state.messages);
      else if (method === "steer" || method === "followUp") agent[method](user("again"));
      else if (method === "abort") agent.abort();
      else if (method === "subscribe") this.unsubscribe = agent.subscribe(() => {});
      else if (method === "unsubscribe") this.unsubscribe?.();
      else if (method === "prompt") this.#refused("prompt_inside", () => agent.prompt("x"));
      else throw new Error(`not implemented: ${method}`);
    } catch (error) {
      this.aliasing.push(error);
    }
  }

  #consume(consumer) {
    const keys = new Keys(consumer, "consumer");
    assert.equal(keys.get("via"), "events");
    const throwsOn = keys.get("throws_on");
    const returnsOn = keys.get("returns_on");
    const records = keys.get("records");
    keys.done();
    const seen = [];
    if (records) this.recorded = seen;
    const iterator = this.agent.events();
    const loop = (async () => {
      for await (const event of iterator) {
        seen.push(event);
        if (event.type === throwsOn) throw new Error("consumer");
        if (event.type === returnsOn || event.type === "agent_end") return;
      }
    })();
    loop.catch((error) => assert.equal(error.message, "consumer"));
  }

  async #run(text) {
    const run = { finished: false };
    this.runs.push(run);
    const iteration = (async () => {
      for await (const _event of this.agent.stream(text));
      run.finished = true;
    })();
    for (const act of this.sameTick.splice(0)) act();
    await iteration.catch((error) => (run.error = error));
    const last = this.agent.state.messages.findLast(({ role }) => role === "assistant");
    run.end = run.error ? "rejects" : last.stopReason;
  }

  /** Plays everything; the case's own time goes on as long as something waits for it. */
  async play() {
    const all = (async () => {
      for (const text of this.prompts) await this.#run(text);
      for (const act of this.afterEnd) await act();
      await this.agent.waitForIdle();
    })();
    let done = false;
    all.then(
      () => (done = true),
      () => (done = true),
    );
    for (let ms = 0; !done; ms += 5) {
      if (ms > LONGEST) throw new Error("the case hangs");
      await this.time.pass(5);
    }
    await all;
    await this.time.pass(LONGEST);
  }

  get bodies() {
    return this.requests.filter(Boolean);
  }
}

const ends = (reason) => (reason === "toolUse" ? "stop" : reason);

function checks(play, { unhandled }) {
  const { agent, log, outcomes } = play;
  const messages = agent.state.messages;
  const results = messages.filter(({ role }) => role === "toolResult");
  const answers = messages.filter(({ role }) => role === "assistant");
  const users = messages.filter(({ role }) => role === "user").map(textOf);
  const ofType = (type) => play.events.filter((event) => event.type === type);
  const last = () => play.bodies.at(-1);
  const lastText = (list) => textOf(list.filter(({ role }) => role === "assistant").at(-1));
  const runEnds = play.runs.map(({ end }) => ends(end));
  return {
    run_ends: (expected) => assert.deepEqual(runEnds, [expected].flat()),
    first_run_ends: (expected) => assert.equal(runEnds[0], expected),
    second_run_ends: (expected) => assert.equal(runEnds[1], expected),
    last_stop_reason: (expected) => assert.equal(answers.at(-1).stopReason, expected),
    throws: (expected) =>
      assert.equal(
        play.runs.some(({ error }) => error),
        expected,
      ),
    iterator_finishes: (expected) =>
      assert.deepEqual(
        play.runs.map(({ finished }) => finished),
        expected,
      ),
    model_calls: (expected) => assert.equal(play.requests.length, expected),
    history_user_texts: (expected) => assert.deepEqual(users, expected),
    history_last_text_prefix: (expected) => assert.equal(lastText(messages), expected),
    persisted_last_text_prefix: (expected) => assert.equal(lastText(play.persisted), expected),
    history_result_order: (expected) =>
      assert.deepEqual(
        results.map(({ toolCallId }) => toolCallId),
        expected,
      ),
    tool_results_ids: (expected) =>
      assert.deepEqual(
        results.map(({ toolCallId }) => toolCallId),
        expected,
      ),
    tool_results_is_error: (expected) =>
      assert.deepEqual(
        results.map(({ isError }) => isError),
        expected,
      ),
    tool_executions: (expected) => assert.equal(log.executions.length, expected),
    executions(expected) {
      for (const [id, count] of Object.entries(expected)) {
        assert.equal(log.executions.filter((executed) => executed === id).length, count, id);
      }
    },
    tool_end_events: (expected) => assert.equal(ofType("tool_execution_end").length, expected),
    tool_end_order: (expected) =>
      assert.deepEqual(
        ofType("tool_execution_end").map(({ toolCallId }) => toolCallId),
        expected,
      ),
    hook_calls: (expected) => assert.deepEqual(play.hookCalls, expected),
    updates_after_end(expected) {
      assert.ok(log.lateUpdates > 0, "the tool reported late");
      assert.equal(ofType("tool_execution_update").length, expected);
    },
    no_unhandled: () => assert.deepEqual(unhandled, []),
    recorder_saw_all: () => assert.deepEqual(play.recorded, play.events),
    second_prompt: (expected) => assert.equal(outcomes.second_prompt, expected),
    prompt_inside: (expected) => assert.equal(outcomes.prompt_inside, expected),
    reset: (expected) => assert.equal(outcomes.reset, expected),
    receipt: (expected) => assert.equal(outcomes.receipt, expected),
    queue_empty_at_idle: (expected) => assert.equal(!agent.hasQueuedMessages(), expected),
    lost_messages(expected) {
      assert.equal(expected, 0);
      assert.equal(play.receipt.status, "delivered");
    },
    delivered_times(expected) {
      for (const [text, times] of Object.entries(expected)) {
        assert.equal(userTexts(last()).filter((sent) => sent === text).length, times, text);
      }
    },
    next_request_user_texts_contain_in_order(expected) {
      const sent = userTexts(last()).filter((text) => expected.includes(text));
      assert.deepEqual(sent, expected);
    },
    next_request_last_user: (expected) => assert.equal(userTexts(last()).at(-1), expected),
    next_request_dangling_calls: (expected) => assert.equal(danglingCalls(last()).length, expected),
    dangling_calls(expected) {
      const answered = new Set(results.map(({ toolCallId }) => toolCallId));
      const calls = answers.flatMap(({ content }) => content.filter(({ type }) => type === "toolCall"));
      assert.equal(calls.filter(({ id }) => !answered.has(id)).length, expected);
    },
    request_tool_results_non_empty_text() {
      const sent = resultsOf(last());
      assert.equal(sent.length, results.length);
      for (const { id, text } of sent) assert.notEqual(text.trim(), "", id);
    },
    error_texts_non_empty() {
      const texts = results.filter(({ isError }) => isError).map(textOf);
      assert.equal(texts.length, results.length);
      for (const text of texts) assert.notEqual(text.trim(), "");
    },
    error_texts_lack(expected) {
      for (const word of expected) assert.ok(!results.some((result) => textOf(result).includes(word)), word);
    },
    aliasing_errors: (expected) => assert.equal(play.aliasing.length, expected, String(play.aliasing[0])),
    panics: (expected) =>
      assert.equal(answers.filter(({ errorMessage }) => errorMessage?.includes("crashed")).length, expected),
    agent_usage_run: (expected) => assertPart(agent.usage.run, expected),
    last_usage: (expected) => assertPart(answers.at(-1).usage, expected),
    streaming_at_message_end: (expected) => {
      assert.ok(play.reads.length > 0);
      for (const { streaming } of play.reads) assert.equal(streaming, expected);
    },
    messages_contain_once() {
      for (const { times } of play.reads) assert.equal(times, 1);
    },
    second_subscriber_text: (expected) => assert.equal(play.second.text, expected),
  };
}

/** @param more options of the agent that the case does not name; fixtures/bugs/cases.json says why */
export async function playLoop(host, input, expected, more) {
  const { repeat_for_event: repeat, ...once } = input;
  const inputs = repeat
    ? repeat.map((event) => ({
        ...once,
        actions: once.actions.map((action) => ({ ...action, when: event })),
      }))
    : [once];
  for (const one of inputs) {
    const play = new Play(host, one, more);
    await play.play();
    await judge(expected, checks(play, { unhandled: await host.unhandled() }));
  }
}
