// The model: streams that do whatever a stream may do, and what it must not.
import { NAMES } from "./tools.mjs";
import { MOST_REQUESTS } from "./world.mjs";

const ARGUMENTS = [
  (n) => ({ n }),
  (n) => ({ n: String(n), s: 5 }),
  (n) => ({ n: n + 0.5 }),
  () => ({}),
  () => ({ n: null, s: null }),
  (n) => ({ list: [n, String(n)] }),
  (n) => ({ list: n, other: true }),
  () => [],
  () => "text",
  () => null,
  () => undefined,
];

/** Options that are a matter of the package: whom a request is attributed to, and hooks that are new. */
const OURS = ["identity", "approveToolCall", "hasSteeringMessages"];

/** A stream function. */
export function randomStream(world, place) {
  return (model, context, options) => {
    const name = world.choices.name(place);
    const number = ++world.requests;
    const { signal, ...rest } = options;
    for (const key of OURS) delete rest[key];
    world.say(`request ${name}`, { ...rest, model: model?.id, context, signal });
    world.ending = false;
    world.act(name);
    world.stumble(name, 25);
    const odd = [
      undefined,
      null,
      {},
      [],
      "text",
      { result: () => ({}) },
      { [Symbol.iterator]: () => [][Symbol.iterator]() },
    ];
    if (world.choices.oneIn(`${name} is odd`, 100))
      return odd[world.choices.below(`${name} what`, odd.length)];
    const stream = scripted(world, { name, number, model, signal });
    if (world.choices.oneIn(`${name} comes later`, 5))
      return world.callback(`${name} comes`, () => stream, { sync: false });
    return stream;
  };
}

function scripted(world, about) {
  const { choices } = world;
  const { name } = about;
  const answer = { ...about, message: messageOf(world, about) };
  const iterate = choices.oneIn(`${name} is short`, 4) ? atOnce(world, answer) : streamed(world, answer);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => iterate.next(),
      ...(choices.oneIn(`${name} cannot be left`, 4)
        ? {}
        : {
            return: () => {
              world.say(`${name} is left`);
              return Promise.resolve({ done: true, value: undefined });
            },
          }),
    }),
    result: () => resultOf(world, answer),
  };
}

/** What a stream says that it came to. */
function resultOf(world, { name, message }) {
  const { choices } = world;
  world.say(`result of ${name}`);
  if (choices.oneIn(`${name} has another result`, 15)) {
    const others = [
      () => world.answer([{ type: "text", text: "another result" }], { timestamp: 9 }),
      () =>
        world.answer([{ type: "toolCall", id: "other", name: "read", arguments: { n: 1 } }], {
          timestamp: 9,
        }),
      () => world.answer("a text", { timestamp: 9 }),
      () => world.answer([], { timestamp: 9, stopReason: undefined }),
      () => world.answer([], { timestamp: 9, stopReason: "aborted", errorMessage: "" }),
      () => Object.freeze(world.answer([], { timestamp: 9 })),
      () => Promise.reject(new Error(`no result of ${name}`)),
      () => ({}),
      // 0.85.1 puts even these into the transcript.
      () => (world.host.old ? {} : undefined),
      () => (world.host.old ? {} : null),
    ];
    return others[choices.below(`${name} result`, others.length)]();
  }
  return choices.oneIn(`${name} has its result at once`, 4) ? message : Promise.resolve(message);
}

function messageOf(world, { name, number, model }) {
  return world.answer([], { model: model?.id, timestamp: number, name });
}

/** The blocks of an answer. */
function blocksOf(world, { name, number }) {
  const { choices } = world;
  const blocks = [];
  if (choices.oneIn(`${name} thinks`, 4)) blocks.push({ type: "thinking", thinking: `thought ${number}` });
  if (!choices.oneIn(`${name} is silent`, 4)) blocks.push({ type: "text", text: `answer ${number}` });
  if (number >= MOST_REQUESTS) return blocks;
  const calls = choices.pick(`${name} calls`, [0, 1, 1, 2, 3]);
  for (let index = 0; index < calls; index++) {
    const call = `${name} call ${index}`;
    const own = calls === 1 ? `only ${number}` : `${number}.${index}`;
    const id = calls > 1 && choices.oneIn(`${call} repeats`, 12) ? "again" : own;
    blocks.push(randomCall(world, call, { id, number }));
  }
  return blocks;
}

export function randomCall({ choices }, place, { id, number }) {
  const name = choices.oneIn(`${place} unknown`, 10) ? "unknown" : NAMES[choices.below(`${place} tool`, 3)];
  const odd = choices.oneIn(`${place} odd`, 3) ? choices.below(`${place} arguments`, ARGUMENTS.length) : 0;
  const call = { type: "toolCall", id, name, arguments: ARGUMENTS[odd](number) };
  if (choices.oneIn(`${place} broken`, 25)) call.argumentsError = "not JSON";
  return call;
}

/** How it ends, by the reason in the message. */
function close(world, answer) {
  const { choices } = world;
  const { name, message } = answer;
  const { content } = message;
  message.stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  const how = choices.pick(`${name} ends`, [
    "well",
    "well",
    "well",
    "well",
    "well",
    "length",
    "error",
    "silently",
    "oddly",
  ]);
  if (how === "length") message.stopReason = "length";
  if (how === "oddly")
    message.stopReason = choices.pick(`${name} reason`, ["stop", "toolUse", "pause", undefined]);
  if (how === "error") return failed(answer, "error", "the model failed");
  if (how === "silently") return undefined;
  return { type: "done", reason: message.stopReason, message };
}

function failed(answer, reason, errorMessage) {
  Object.assign(answer.message, { stopReason: reason, errorMessage });
  return { type: "error", reason, error: answer.message };
}

/** One event. */
async function* atOnce(world, answer) {
  await world.pause(answer.name);
  if (answer.signal?.aborted) return yield failed(answer, "aborted", "Request was aborted");
  answer.message.content = blocksOf(world, answer);
  const last = close(world, answer);
  if (last) yield last;
}

/** Piece by piece. */
async function* streamed(world, answer) {
  const { choices } = world;
  const { name, message } = answer;
  const shared = !world.copies && choices.oneIn(`${name} has one partial`, 2);
  const partial = () =>
    shared ? message : { ...message, content: message.content.map((block) => ({ ...block })) };
  const ignores = choices.oneIn(`${name} ignores aborts`, 6);
  if (!choices.oneIn(`${name} has no start`, 15)) yield { type: "start", partial: partial() };
  for (const [contentIndex, block] of blocksOf(world, answer).entries()) {
    for (const step of stepsOf(block)) {
      const at = `${name} ${contentIndex} ${step.type}`;
      await world.pause(at);
      world.act(at, 25);
      world.stumble(at, 250);
      if (answer.signal?.aborted && !ignores) return yield failed(answer, "aborted", "Request was aborted");
      if (choices.oneIn(`${at} starts again`, 200)) yield { type: "start", partial: partial() };
      if (choices.oneIn(`${at} is unknown`, 200)) yield { type: "unknown", partial: partial() };
      step.apply(message.content, contentIndex);
      yield { ...step.event, type: step.type, contentIndex, partial: partial() };
    }
  }
  await world.pause(`${name} end`);
  if (answer.signal?.aborted && !ignores) return yield failed(answer, "aborted", "Request was aborted");
  const last = close(world, answer);
  if (last) yield last;
  if (choices.oneIn(`${name} goes on`, 20)) {
    world.say(`${name} is read beyond its end`);
    yield { type: "text_delta", contentIndex: 0, delta: "more", partial: partial() };
  }
}

function stepsOf(block) {
  const put = (value) => (content, index) => {
    content[index] = value;
  };
  if (block.type === "toolCall") {
    const { arguments: args, ...rest } = block;
    return [
      { type: "toolcall_start", event: {}, apply: put({ ...rest, arguments: {} }) },
      { type: "toolcall_delta", event: { delta: JSON.stringify(args) ?? "" }, apply: put(block) },
      { type: "toolcall_end", event: { toolCall: block }, apply: put(block) },
    ];
  }
  const field = block.type;
  const whole = block[field];
  const half = whole.slice(0, 4);
  return [
    { type: `${field}_start`, event: {}, apply: put({ type: field, [field]: "" }) },
    { type: `${field}_delta`, event: { delta: half }, apply: put({ type: field, [field]: half }) },
    { type: `${field}_delta`, event: { delta: whole.slice(4) }, apply: put(block) },
    { type: `${field}_end`, event: { content: whole }, apply: put(block) },
  ];
}
