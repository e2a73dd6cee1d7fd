import type { AgentEventWithApprovals } from "steersman";
import type { Brain } from "./brains/brain.js";
import { Endpoint } from "./brains/endpoint/endpoint.js";
import { scripted } from "./brains/scripted/scripted.js";
import { SmolLm } from "./brains/smollm/smollm.js";
import { Chat } from "./chat.js";
import { button, byId, h } from "./dom.js";
import { announce } from "./view/announcer.js";
import { BrainPanel } from "./view/brain-panel.js";
import { Composer } from "./view/composer.js";
import { EndpointSettingsView } from "./view/endpoint-settings.js";
import { EventLog } from "./view/event-log.js";
import { LimitsPanel } from "./view/limits-panel.js";
import { SmolLmSettings } from "./view/smollm-settings.js";
import { Transcript } from "./view/transcript.js";

const smollm = new SmolLm();
const endpoint = new Endpoint();
const brains: readonly Brain[] = [scripted, smollm, endpoint];
let current: Brain = scripted;

const events = new EventLog();
const transcript: Transcript = new Transcript({
  toolLabel: (name) => brains.flatMap(({ tools }) => tools).find((tool) => tool.name === name)?.label,
  speaker: (provider) => brains.find(({ id }) => id === provider)?.name ?? provider,
  origin: (message) => chat.originOf(message),
  decide: (id, allowed) => {
    if (allowed) agent.approve(id);
    else agent.deny(id, "The user did not allow this.");
  },
  retry: () => {
    transcript.removeLastAnswer();
    run(() => chat.retry());
  },
});

const chat: Chat = new Chat(brains, {
  apiKey: (provider) => (provider === endpoint.id ? endpoint.key : undefined),
  sawProviderEvent: (data) => events.addRaw(data),
});
const { agent } = chat;
const limits = new LimitsPanel(agent);

agent.subscribe((event: AgentEventWithApprovals) => {
  events.add(event);
  transcript.apply(event);
  if (event.type === "agent_start" || event.type === "message_end") limits.draw();
});

const composer = new Composer({
  send: (text) => {
    if (!current.model) {
      announce(`${current.name} is not ready yet.`);
      panel.insist();
      return false;
    }
    run(() => agent.prompt(text));
    return true;
  },
  steer: (text) => chat.steer(text),
  followUp: (text) => chat.followUp(text),
  stop: () => agent.abort(),
  clearQueue: () => agent.clearAllQueues(),
});
smollm.onRead = (read, total) => {
  composer.status(read < total ? `SmolLM2 is reading: ${read} of ${total} tokens` : undefined);
};

const panel = new BrainPanel(
  [
    { brain: scripted },
    { brain: smollm, settings: new SmolLmSettings(smollm, () => becameReady(smollm)) },
    { brain: endpoint, settings: new EndpointSettingsView(endpoint, () => becameReady(endpoint)) },
  ],
  use,
);

/** Runs the agent, and tells the page that it does. */
function run(start: () => Promise<void>): void {
  setRunning(true);
  composer.focus();
  start()
    // Only misuse and a missing engine reject; what goes wrong in a run becomes part of the conversation.
    .catch((error: unknown) => transcript.notice(error instanceof Error ? error.message : String(error)))
    .finally(() => setRunning(false));
}

function setRunning(running: boolean): void {
  composer.setRunning(running);
  panel.setRunning(running);
  byId<HTMLButtonElement>("new-conversation").disabled = running;
}

function use(brain: Brain): void {
  current = brain;
  chat.use(brain);
  if (agent.state.messages.every(({ role }) => role === "system")) showEmpty();
}

/** The user may have chosen another brain while this one was getting ready. */
function becameReady(brain: Brain): void {
  if (brain === current) use(brain);
}

/** What is shown before the first message: who will answer, and what could be asked. */
function showEmpty(): void {
  const examples = current.examples.map((text) =>
    button(text, { class: "example" }, () =>
      current.model ? run(() => agent.prompt(text)) : panel.insist(),
    ),
  );
  transcript.clear(
    h(
      "div",
      { class: "empty" },
      h("h2", {}, "What shall we do?"),
      h("p", {}, h("strong", {}, `${current.name}. `), current.about),
      h("div", { class: "examples" }, ...examples),
    ),
  );
}

byId("new-conversation").addEventListener("click", () => {
  agent.reset();
  limits.draw();
  events.clear();
  showEmpty();
  composer.focus();
});

panel.choose(scripted);
composer.focus();
// To play with in the console.
Object.assign(globalThis, { agent });
