import { Agent, type AgentMessage, type Receipt } from "steersman";
import { openStore, Session, type SessionError } from "steersman/session";
import type { Brain } from "./brains/brain.js";

/** What the agent needs from the page around it. */
export interface Page {
  /** The key of a provider, asked for at each request; it is stored nowhere else. */
  apiKey(provider: string): string | undefined;
  /** Told what a provider sent, before it is interpreted. */
  sawProviderEvent(data: unknown): void;
}

/** The script has so small a context that the usual sizes do not fit. */
const compaction = {
  modelOverrides: { "scripted/script": { reserveTokens: 1000, keepRecentTokens: 1000 } },
};

/** A conversation that was opened. */
export interface Opened {
  session: Session;
  /** Why it is in memory only. */
  problem?: SessionError;
}

/** The agent of this page, and the conversation it is in: one transcript, whichever brain answers. */
export class Chat {
  readonly agent: Agent;
  private readonly origins = new WeakMap<AgentMessage, "steering" | "follow-up">();
  private opening: Promise<Opened | undefined> = Promise.resolve(undefined);

  constructor(brains: readonly Brain[], page: Page) {
    this.agent = new Agent({
      initialState: {
        systemPrompt: "You are the agent of a demo page. Be brief. Use a tool where one fits.",
      },
      // One stream function for all brains: the model says whose request it is.
      streamFn: (model, context, options) => {
        const brain = brains.find(({ id }) => id === model.provider);
        if (!brain) throw new Error(`No brain answers for ${model.provider}`);
        return brain.stream(model, context, options);
      },
      getApiKey: (provider) => page.apiKey(provider),
      // A tool that does not listen to Stop is left behind after this many milliseconds.
      toolAbortGraceMs: 3000,
      onProviderStreamEvent: (data) => page.sawProviderEvent(data),
    });
  }

  /**
   * Leaves the conversation and opens another one, or a new one. A run is stopped before. Where the browser keeps
   * nothing, the conversation is in memory only.
   */
  open(id?: string): Promise<Opened> {
    const before = this.opening.catch(() => undefined);
    if (!this.agent.state.isStreaming) this.agent.reset();
    const opening = before.then(async (left) => {
      this.agent.abort();
      await this.agent.waitForIdle();
      await left?.session.dispose();
      this.agent.reset();
      return this.take(id);
    });
    this.opening = opening;
    return opening;
  }

  /** From the next run on, this brain answers, with its own tools. The conversation stays. */
  use(brain: Brain): void {
    if (brain.model) this.agent.state.model = brain.model;
    this.agent.state.tools = brain.tools;
  }

  /** Says something, as soon as the conversation is open. */
  async prompt(text: string): Promise<void> {
    await (await this.session()).prompt(text);
  }

  /** Resolves when the run in progress is over and stored. */
  async idle(): Promise<void> {
    await (await this.session()).waitForIdle();
  }

  /** The conversation, once it is open. */
  async session(): Promise<Session> {
    const opened = await this.opening;
    if (!opened) throw new Error("No conversation was opened.");
    return opened.session;
  }

  /** Goes in between two turns of the run in progress. */
  steer(text: string): Receipt {
    return this.agent.steer(this.userMessage(text, "steering"));
  }

  /** Goes in when the run would end. */
  followUp(text: string): Receipt {
    return this.agent.followUp(this.userMessage(text, "follow-up"));
  }

  /** How a message got into the conversation, if it was not a prompt. */
  originOf(message: AgentMessage): "steering" | "follow-up" | undefined {
    return this.origins.get(message);
  }

  private async take(id?: string): Promise<Opened> {
    let problem: SessionError | undefined;
    const store = await openStore({
      ...(id === undefined ? {} : { id }),
      onFallback: (error) => {
        problem = error;
      },
    });
    const session = await Session.open({ agent: this.agent, store, compaction });
    return { session, ...(problem ? { problem } : {}) };
  }

  private userMessage(text: string, origin: "steering" | "follow-up"): AgentMessage {
    const message: AgentMessage = { role: "user", content: text, timestamp: Date.now() };
    this.origins.set(message, origin);
    return message;
  }
}
