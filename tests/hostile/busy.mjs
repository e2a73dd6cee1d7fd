// Machines that are slow and pages that are never idle: a run lets others go first after some milliseconds of work, and
// must still come to its end.
import { fuzz } from "./fuzz.mjs";
import { show } from "./observe.mjs";
import { chatModel, provider } from "./provider.mjs";

/** Milliseconds by which every look at the clock makes it later: a few deltas are a long stretch of work. */
const SLOW = 5;
const SEEDS = 60;

/** Runs `act` with a clock of a slow machine. */
async function slowly(act) {
  const { now } = performance;
  let late = 0;
  performance.now = () => {
    late += SLOW;
    return now.call(performance) + late;
  };
  try {
    return await act();
  } finally {
    delete performance.now;
  }
}

/** How many tasks a page makes one after the other before it gives up waiting. */
const TASKS = 3000;

/** The next task of ordinary urgency. Node takes a thousand messages of a port at a time, but one of these. */
function task(act) {
  if (typeof setImmediate === "function") return void setImmediate(act);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    act();
  };
  port2.postMessage(0);
}

/** Keeps the page busy until the promise settles: a task follows the other, each of two milliseconds. */
async function neverIdle(promise) {
  let over = false;
  const busy = new Promise((_, refuse) => {
    let tasks = 0;
    const work = () => {
      for (const end = performance.now() + 2; performance.now() < end; );
      if (++tasks === TASKS) refuse(new Error("it waits until the page is idle"));
      else if (!over) task(work);
    };
    task(work);
  });
  try {
    return await Promise.race([promise, busy]);
  } finally {
    over = true;
  }
}

async function longAnswer({ steersman }) {
  const words = Array.from({ length: 20_000 }, (_, i) => ({ type: "text", text: `${i} ` }));
  const agent = new steersman.Agent({
    initialState: { model: chatModel },
    getApiKey: () => "k",
    streamFn: (model, context, options) =>
      steersman.streamSimple(model, context, { ...options, fetch: provider([words]) }),
  });
  await neverIdle(agent.prompt("Count."));
  const { content, stopReason } = agent.state.messages.at(-1);
  if (stopReason !== "stop" || content[0].text !== words.map(({ text }) => text).join(""))
    throw new Error(`${stopReason}: ${content[0]?.text.length} characters`);
}

const cases = {
  "a long answer in a busy page": longAnswer,
  "init() in a busy page": ({ steersman }) => neverIdle(steersman.init()),
};

/** @returns how many passed, and what failed */
export async function busy(host) {
  const { passed, failures } = await slowly(() => fuzz(host, 1, SEEDS));
  const outcome = { passed, failures };
  for (const [name, play] of Object.entries(cases)) {
    try {
      await play(host);
      outcome.passed++;
    } catch (error) {
      outcome.failures.push({ name, detail: show(error) });
    }
  }
  return outcome;
}
