/** Failures in the words of others, which may quote keys. What the package itself says of failures has none. */
import type { AgentMessage } from "../types.js";
import { hiderOf } from "./secrets.js";

/** Shorter ones stand for none (`none`, `ollama`), and would be found in any text. */
const SHORTEST = 8;

/** A text without keys: those that are known, and what looks like one. */
export function hidden(text: string, keys: readonly string[]): string {
  const secret = keys.filter(({ length }) => length >= SHORTEST);
  return hiderOf(secret, true, () => {}).hide(text);
}

/** A message whose failure quotes no key: itself, where it quotes none. */
export function withoutKeys<T extends AgentMessage>(message: T, keys: readonly string[]): T {
  const { errorMessage } = message as { errorMessage?: unknown };
  if (typeof errorMessage !== "string") return message;
  const safe = hidden(errorMessage, keys);
  return safe === errorMessage ? message : { ...message, errorMessage: safe };
}
