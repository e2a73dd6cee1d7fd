// A page with one session in IndexedDB, and a model that answers at once or hangs in the middle.
export const sessionPage = `
import { Agent } from "/dist/index.js";
import { IndexedDbStore, Session } from "/dist/session.js";

globalThis.asked = [];
globalThis.hang = {};
const model = {
  id: "m", name: "Model", api: "scripted", provider: "scripted", baseUrl: "", reasoning: false, input: ["text"],
  contextWindow: 100000, maxTokens: 1000, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
const streamFn = (_model, context) => {
  asked.push(context.messages.length);
  const content = [{ type: "text", text: "answer" }];
  const base = { role: "assistant", api: "scripted", provider: "scripted", model: "m", usage, timestamp: 2 };
  const message = { ...base, content, stopReason: "stop" };
  const partial = { ...base, content, stopReason: "pending" };
  return {
    async *[Symbol.asyncIterator]() {
      yield { type: "start", partial };
      yield { type: "text_start", contentIndex: 0, partial };
      for (let delta = 1; delta <= 6; delta++) {
        yield { type: "text_delta", contentIndex: 0, delta: "answer"[delta - 1], partial };
        if (delta === hang.afterDelta) {
          hang.reached = true;
          await new Promise(() => {});
        }
      }
      yield { type: "text_end", contentIndex: 0, content: "answer", partial };
      yield { type: "done", reason: "stop", message };
    },
    result: async () => message,
  };
};
const textOf = ({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""));
const agent = new Agent({ streamFn, initialState: { model } });
const store = new IndexedDbStore({ id: "shared" });
const opened = await Session.open({ agent, store });
globalThis.texts = () => agent.state.messages.map(textOf);
globalThis.storedTexts = async () =>
  (await store.scanEntries({ order: "asc", type: "message" })).map(({ message }) => textOf(message));
globalThis.session = opened;
`;
