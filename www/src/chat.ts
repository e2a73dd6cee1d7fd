import { Agent, type AgentMessage, type Receipt } from "steersman";
import type { Brain } from "./brains/brain.js";

/** What the agent needs from the page around it. */
export interface Page {
  /** The key of a provider, asked for at each request; it is stored nowhere else. */
  apiKey(provider: string): string | undefined;
  /** Told what a provider sent, before it is interpreted. */
  sawProviderEvent(data: unknown): void;
}

/** The agent of this page: one transcript, whichever brain answers. */
export class Chat {
  readonly agent: Agent;
  private readonly origins = new WeakMap<AgentMessage, "steering" | "follow-up">();

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

  /** From the next run on, this brain answers, with its own tools. The conversation stays. */
  use(brain: Brain): void {
    if (brain.model) this.agent.state.model = brain.model;
    this.agent.state.tools = brain.tools;
  }

  /** Goes in between two turns of the run in progress. */
  steer(text: string): Receipt {
    return this.agent.steer(this.userMessage(text, "steering"));
  }

  /** Goes in when the run would end. */
  followUp(text: string): Receipt {
    return this.agent.followUp(this.userMessage(text, "follow-up"));
  }

  /** Takes a failed or stopped answer back and asks for another one. */
  async retry(): Promise<void> {
    const { state } = this.agent;
    if (state.messages.at(-1)?.role === "assistant") state.messages = state.messages.slice(0, -1);
    await this.agent.continue();
  }

  /** How a message got into the conversation, if it was not a prompt. */
  originOf(message: AgentMessage): "steering" | "follow-up" | undefined {
    return this.origins.get(message);
  }

  private userMessage(text: string, origin: "steering" | "follow-up"): AgentMessage {
    const message: AgentMessage = { role: "user", content: text, timestamp: Date.now() };
    this.origins.set(message, origin);
    return message;
  }
}
