/** Summaries of conversations that are too long for the model that summarises: part by part, oldest first. */
import type { AgentMessage, Model } from "../types.js";
import { call } from "./call.js";
import type { CompactionPreparation } from "./types.js";

/** What a summary is asked with. */
export interface Requests {
  systemPrompt: string;
  /** One for each answer. */
  requests: string[];
}

/** Characters that count as a token. */
const PER_TOKEN = 4;
/** Where messages are joined. */
const SEPARATOR = 2;
const CUT = "\n[... the rest was left out]";

/** An estimate of the tokens of a request. */
export const tokensOf = (systemPrompt: string, content: string): number =>
  Math.ceil((systemPrompt.length + content.length) / PER_TOKEN);

/** The most tokens to ask for. `undefined`: that is left to the server. */
export function answerLimit({ maxTokens, contextWindow }: Model, input: number): number | undefined {
  const limits = [maxTokens, contextWindow > 0 ? contextWindow - input : 0].filter((limit) => limit > 0);
  return limits.length > 0 ? Math.min(...limits) : undefined;
}

/** The tokens that a request may have, so that the answer has room too. */
function roomFor({ maxTokens, contextWindow }: Model): number {
  if (!(contextWindow > 0)) return Number.POSITIVE_INFINITY;
  const quarter = Math.floor(contextWindow / 4);
  return contextWindow - (maxTokens > 0 ? Math.min(maxTokens, quarter) : quarter);
}

/** The requests for a summary. */
export function requestsFor(preparation: CompactionPreparation, focus: string | undefined): Requests {
  return call(undefined, { op: "requests", preparation, focus });
}

/**
 * The oldest part that fits, when not all does; its summary is the previous one of what is left. `undefined`: all fits, or
 * nothing would.
 */
export function oldestPart(
  preparation: CompactionPreparation,
  focus: string | undefined,
  model: Model,
): { part: CompactionPreparation; rest: CompactionPreparation } | undefined {
  const { systemPrompt, requests } = requestsFor(preparation, focus);
  const room = roomFor(model);
  if (requests.every((content) => tokensOf(systemPrompt, content) <= room)) return undefined;
  // A beginning of a turn that is too long as well counts as history like all before it.
  const { messagesToSummarize, turnPrefixMessages } = preparation;
  const prefix = requests.at(-1);
  const joined = turnPrefixMessages.length > 0 && prefix && tokensOf(systemPrompt, prefix) > room;
  const messages = joined ? [...messagesToSummarize, ...turnPrefixMessages] : messagesToSummarize;
  const whole = joined
    ? { ...preparation, messagesToSummarize: messages, turnPrefixMessages: [], isSplitTurn: false }
    : preparation;
  const alone = (some: AgentMessage[]) => ({ ...whole, messagesToSummarize: some, turnPrefixMessages: [] });
  const first = messages[0];
  if (!first) return undefined;
  const frame = requestsFor(alone([{ role: "user", content: "", timestamp: 0 }]), focus).requests[0] ?? "";
  const budget = room * PER_TOKEN - systemPrompt.length - frame.length;
  if (budget <= CUT.length) return undefined;
  let used = 0;
  let count = 0;
  for (const message of messages) {
    used += lengthOf(message) + SEPARATOR;
    if (used > budget) break;
    count++;
  }
  if (count === messages.length) return undefined;
  const part = count > 0 ? messages.slice(0, count) : [shortened(first, budget)];
  const rest = { ...whole, messagesToSummarize: messages.slice(Math.max(count, 1)) };
  return { part: alone(part), rest };
}

const lengthOf = (message: AgentMessage): number =>
  call<string>(undefined, { op: "serialize", messages: [message] }).length;

function shortened(message: AgentMessage, budget: number): AgentMessage {
  const text = call<string>(undefined, { op: "serialize", messages: [message] });
  // Without its mark, which the engine puts there again.
  const said = text.slice(text.indexOf("]") + 1).trimStart();
  return {
    role: "user",
    content: said.slice(0, Math.max(0, budget - CUT.length - text.indexOf("]") - SEPARATOR)) + CUT,
    timestamp: 0,
  };
}
