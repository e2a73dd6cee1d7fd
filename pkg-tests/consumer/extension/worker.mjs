// The service worker: a conversation that outlives it. The browser may stop the worker whenever nothing happens.
import { Agent } from "steersman";
import { openStore, Session } from "steersman/session";
import { model, scripted } from "../app.mjs";

const born = Math.random();
const agent = new Agent({
  initialState: { model },
  streamFn: (...request) => scripted([{ type: "text", text: "Noted." }])(...request),
});
let session;

/** Opened by the first message, like everything that has to be there again after a stop. */
async function say(text) {
  session ??= openStore({ id: "extension", fallback: "none" }).then((store) =>
    Session.open({ agent, store }),
  );
  await (await session).prompt(text);
  await agent.waitForIdle();
  return {
    born,
    said: agent.state.messages.filter(({ role }) => role === "user").map(({ content }) => content),
  };
}

chrome.runtime.onMessage.addListener((text, _sender, answer) => {
  say(text).then(answer, (error) => answer({ error: String(error) }));
  return true; // the answer comes later
});
