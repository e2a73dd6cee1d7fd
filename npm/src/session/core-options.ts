/** What a session is made of, once it was looked at. */
import type { Agent } from "../agent.js";
import type { Model } from "../types.js";
import type { SessionStore } from "./store.js";
import type { NewSessionOptions } from "./types.js";

/** Finds the model that a session names. */
export type FindModel = (provider: string, modelId: string) => Model | undefined | Promise<Model | undefined>;

/** What the core is made of. */
export interface CoreOptions extends NewSessionOptions {
  agent: Agent;
  store: SessionStore;
  branch: string;
  findModel: FindModel | undefined;
}
