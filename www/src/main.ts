import type { AgentEventWithApprovals } from "steersman";
import type { SessionInfo } from "steersman/session";
import type { Brain } from "./brains/brain.js";
import { Endpoint } from "./brains/endpoint/endpoint.js";
import { scripted } from "./brains/scripted/scripted.js";
import { SmolLm } from "./brains/smollm/smollm.js";
import { Chat } from "./chat.js";
import { Conversation } from "./conversation.js";
import { button, byId, h } from "./dom.js";
import { idInAddress, nameInAddress } from "./sessions/address.js";
import { Library } from "./sessions/library.js";
import { Shelf } from "./sessions/shelf.js";
import { announce } from "./view/announcer.js";
import { Banner } from "./view/banner.js";
import { BrainPanel } from "./view/brain-panel.js";
import { Composer } from "./view/composer.js";
import { ContextMeter } from "./view/context-meter.js";
import { EndpointSettingsView } from "./view/endpoint-settings.js";
import { EventLog } from "./view/event-log.js";
import { LimitsPanel } from "./view/limits-panel.js";
import { SmolLmSettings } from "./view/smollm-settings.js";
import { Transcript } from "./view/transcript.js";

const smollm = new SmolLm();
const endpoint = new Endpoint();
const brains: readonly Brain[] = [scripted, smollm, endpoint];
let current: Brain = scripted;
let running = false;

const events = new EventLog();
const transcript: Transcript = new Transcript({
  toolLabel: (name) => brains.flatMap(({ tools }) => tools).find((tool) => tool.name === name)?.label,
  speaker: (provider) => brains.find(({ id }) => id === provider)?.name ?? provider,
  origin: (message) => chat.originOf(message),
  decide: (id, allowed) => {
    if (allowed) agent.approve(id);
    else agent.deny(id, "The user did not allow this.");
  },
  entryOf: (message) => conversation.entryOf(message),
  elsewhere: () => conversation.following,
  textOf: (entry) => conversation.textOf(entry),
  versions: (entry) => conversation.versions(entry),
  showVersion: (entry, step) => void conversation.showVersion(entry, step),
  edit: (entry, text) => run(() => conversation.edit(entry, text)),
  again: (entry) => run(() => conversation.again(entry)),
  retry: () => run(() => conversation.retry()),
});

const chat: Chat = new Chat(brains, {
  apiKey: (provider) => (provider === endpoint.id ? endpoint.key : undefined),
  sawProviderEvent: (data) => events.addRaw(data),
});
const { agent } = chat;
const limits = new LimitsPanel(agent, () => conversation.spent);
const library = new Library();

agent.subscribe((event: AgentEventWithApprovals) => {
  events.add(event);
  transcript.apply(event);
  if (event.type === "agent_start" || event.type === "message_end") limits.draw();
  // What another tab has sent, or what was queued, begins a run by itself.
  if (event.type === "agent_start" && !running) run(() => chat.idle(), false);
});

const composer = new Composer({
  send: (text) => {
    if (!current.model) {
      announce(`${current.name} is not ready yet.`);
      panel.insist();
      return false;
    }
    run(() => chat.prompt(text));
    return true;
  },
  steer: (text) => chat.steer(text),
  followUp: (text) => chat.followUp(text),
  hand: (text) => conversation.hand(text),
  stop: () => conversation.halt(),
  clearQueue: () => agent.clearAllQueues(),
});
smollm.onRead = (read, total) => {
  composer.status(read < total ? `SmolLM2 is reading: ${read} of ${total} tokens` : undefined);
};

const meter = new ContextMeter((instructions) => void conversation.summarise(instructions));

const conversation: Conversation = new Conversation(chat, library, {
  transcript,
  banner: new Banner(),
  meter,
  cleared: (isNew) => {
    events.clear();
    if (isNew) showEmpty();
    else transcript.clear(h("p", { class: "waiting opening" }, "Opening …"));
    limits.draw();
  },
  changed: drawState,
  event: (event) => events.addSession(event),
  resume: () => run(() => conversation.resume()),
});

const shelf = new Shelf(library, {
  current: () => conversation,
  open,
  begin,
});

const panel = new BrainPanel(
  [
    { brain: scripted },
    { brain: smollm, settings: new SmolLmSettings(smollm, () => becameReady(smollm)) },
    { brain: endpoint, settings: new EndpointSettingsView(endpoint, () => becameReady(endpoint)) },
  ],
  use,
);

/** Runs the agent, and tells the page that it does. */
function run(start: () => Promise<void>, focus = true): void {
  setRunning(true);
  if (focus) composer.focus();
  start()
    // Only misuse and a missing engine reject; what goes wrong in a run becomes part of the conversation.
    .catch((error: unknown) => transcript.notice(error instanceof Error ? error.message : String(error)))
    .finally(() => {
      setRunning(false);
      conversation.settled();
      void shelf.keep();
    });
}

function setRunning(on: boolean): void {
  running = on;
  composer.setRunning(on);
  panel.setRunning(on);
  byId<HTMLButtonElement>("new-conversation").disabled = on;
  shelf.setLocked(on);
  drawState();
}

/** What depends on the conversation: who may write, what it is called. */
function drawState(): void {
  const { id, title, writable, following, summarising } = conversation;
  const busy = running || summarising;
  composer.setWritable(writable, following);
  transcript.setLocked(busy || !writable);
  meter.setEnabled(writable && !busy);
  document.title =
    id === undefined || transcript.isEmpty ? "Steersman: an agent in this page" : `${title} · Steersman`;
  shelf.setCurrent(id);
  limits.draw();
}

function use(brain: Brain): void {
  current = brain;
  chat.use(brain);
  if (transcript.isEmpty && !running) showEmpty();
  conversation.refresh();
}

/** The user may have chosen another brain while this one was getting ready. */
function becameReady(brain: Brain): void {
  if (brain === current) use(brain);
}

/** What is shown before the first message: who will answer, and what could be asked. */
function showEmpty(): void {
  const examples = current.examples.map((text) =>
    button(text, { class: "example" }, () => (current.model ? run(() => chat.prompt(text)) : panel.insist())),
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

function open(info: Pick<SessionInfo, "id">): void {
  if (info.id !== conversation.id) {
    nameInAddress(info.id, "push");
    void conversation.open(info.id);
  }
  composer.focus();
}

function begin(): void {
  nameInAddress(undefined, "push");
  void conversation.open();
  composer.focus();
}

byId("new-conversation").addEventListener("click", begin);

panel.choose(scripted);
void conversation.open(idInAddress());
composer.focus();
// To play with in the console.
Object.assign(globalThis, { agent });
