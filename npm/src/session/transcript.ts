/** The messages of an agent and the branch of a session, kept the same. */
import type { Agent } from "../agent.js";
import type { AgentMessage, Model, SystemMessage } from "../types.js";
import { withoutKeys } from "./failed.js";
import { appendMessage, usageOf, withoutDetails, withPrompt } from "./messages.js";
import { textOf } from "./recorder.js";
import { SizeBound } from "./size-bound.js";
import type { StoreWrite } from "./store.js";
import type { SessionTree } from "./tree.js";
import type { SessionContext, SessionEntry } from "./types.js";

/** The session that the branch is of. */
export interface Keeper {
  readonly agent: Agent;
  readonly tree: SessionTree;
  append(add: (tree: SessionTree) => string, ...beside: StoreWrite[]): SessionEntry;
  /** The leaf was moved without an entry. */
  moved(oldLeaf: string | null, newLeaf: string | null): void;
  warn(message: string, cause?: unknown): void;
}

/** See the module. */
export class Transcript {
  private readonly entries = new WeakMap<AgentMessage, string>();
  /** The instructions that the application gave the agent, which count for sessions that were stored with others too. */
  private readonly prompt: SystemMessage | undefined;
  /** What the branch says about model and thinking level. */
  private readonly selected = { model: "", level: "" };
  /** Keys of requests, which no failure may bring into the session. */
  readonly keys = new Set<string>();
  /** How large the context is at most. */
  readonly size = new SizeBound();
  /** The list that the agent should have, and how long it should be. */
  private list: readonly AgentMessage[] | undefined;
  private length = 0;

  constructor(private readonly keeper: Keeper) {
    const first = keeper.agent.state.messages[0];
    this.prompt = first?.role === "system" ? (first as SystemMessage) : undefined;
  }

  /** The id of the entry of a message. */
  idOf(message: AgentMessage): string | undefined {
    return this.entries.get(message);
  }

  /** Gives the agent the messages of the branch. */
  install(): SessionContext {
    const { agent, tree } = this.keeper;
    const context = tree.buildSessionContext();
    const { messages, sources, model, thinkingLevel } = context;
    messages.forEach((message, place) => {
      const source = sources[place];
      if (source) this.entries.set(message, source.id);
    });
    agent.state.messages = withPrompt(messages, this.prompt);
    this.size.reset(messages);
    this.selected.model = model ? `${model.provider}/${model.modelId}` : "";
    this.selected.level = thinkingLevel;
    this.note(messages.length > 0);
    return context;
  }

  /** Whether the agent has the messages that it should have. */
  get isInstalled(): boolean {
    const { messages } = this.keeper.agent.state;
    return messages === this.list && messages.length === this.length;
  }

  /** What a run begins with, where it is not in the session yet. */
  begin(): void {
    if (!this.isInstalled) this.follow(this.keeper.agent.state.messages);
    this.select();
  }

  /** Adds a message that the agent has, or is about to have. */
  record(message: AgentMessage): void {
    if (message.role === "user") this.select();
    const kept = withoutKeys(message, [...this.keys]);
    let entry: SessionEntry;
    try {
      entry = this.keeper.append((tree) => appendMessage(tree, kept), ...usageOf(message));
    } catch (thrown) {
      const rest = withoutDetails(kept);
      if (!rest) throw thrown;
      entry = this.keeper.append((tree) => appendMessage(tree, rest), ...usageOf(message));
      this.keeper.warn(`The details of a message are no JSON, and were left out: ${textOf(thrown)}`, thrown);
    }
    this.entries.set(message, entry.id);
    this.size.add(message);
    this.note(true);
  }

  /**
   * The application has given the agent other messages: the branch goes back to the last one that is in the session, and
   * what follows is added.
   */
  private follow(messages: readonly AgentMessage[]): void {
    const { tree } = this.keeper;
    const known = messages.findLastIndex((message) => this.entries.has(message));
    const last = messages[known];
    const at = last ? (this.entries.get(last) ?? null) : null;
    if (at !== this.tail()) {
      const before = tree.getLeafId();
      if (at === null) tree.resetLeaf();
      else tree.branch(at);
      this.keeper.moved(before, at);
    }
    for (const message of messages.slice(known + 1)) if (!this.isPrompt(message, at)) this.record(message);
    this.size.reset(messages);
    this.note(messages.length > 0);
  }

  /** The instructions of the application before messages that were stored with others. */
  private isPrompt(message: AgentMessage, before: string | null): boolean {
    return before !== null && message.role === "system" && message === this.keeper.agent.state.messages[0];
  }

  /** The entry of the last message of the branch. */
  private tail(): string | null {
    return this.keeper.tree.buildSessionContext().sources.at(-1)?.id ?? null;
  }

  /** Another model or thinking level stands before the next message. */
  private select(): void {
    const { model, thinkingLevel } = this.keeper.agent.state;
    const name = nameOf(model);
    if (name !== this.selected.model && model.provider !== "unknown") {
      this.selected.model = name;
      this.keeper.append((tree) => tree.appendModelChange(model.provider, model.id));
    }
    if (thinkingLevel !== this.selected.level) {
      this.selected.level = thinkingLevel;
      this.keeper.append((tree) => tree.appendThinkingLevelChange(thinkingLevel));
    }
  }

  private note(begun: boolean): void {
    const { messages } = this.keeper.agent.state;
    this.list = begun ? messages : undefined;
    this.length = messages.length;
  }
}

const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;
