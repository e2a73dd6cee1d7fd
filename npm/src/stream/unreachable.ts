/**
 * Words for a request that got no response. A browser says the same few words for everything (`Failed to fetch`), so
 * the likely causes are named from what is known about page and address.
 */
import { describe, isError } from "../engine/describe.js";
import { nextTurn } from "./pace.js";

/** How deep causes are followed. */
const DEPTH = 5;

/** The message for a failed fetch: the host, the browser's own text, what it may be, or is for sure. */
export function unreachable(url: string, error: unknown, blocked = false): string {
  const target = parse(url);
  const host = target?.host || url;
  const hints = target === undefined || blocked ? [] : causes(target);
  const said = `Could not reach ${host}: ${withCause(error)}`;
  if (blocked) {
    return `${said}. The page's Content Security Policy does not allow it: add ${target?.origin} to connect-src.`;
  }
  return hints.length === 0 ? said : `${said}. Possible causes: ${hints.join("; ")}.`;
}

/** Sees whether the page's Content Security Policy stops a request: fetch does not say, an event of the page does. */
export class PolicyWatch {
  #blocked = false;
  readonly #see: (event: Event) => void;
  readonly #page = globalThis as Partial<Pick<typeof globalThis, "addEventListener" | "removeEventListener">>;

  constructor(url: string) {
    this.#see = (event) => {
      const { effectiveDirective, blockedURI } = event as SecurityPolicyViolationEvent;
      this.#blocked ||=
        effectiveDirective === "connect-src" && parse(blockedURI)?.origin === parse(url)?.origin;
    };
    this.#page.addEventListener?.("securitypolicyviolation", this.#see);
  }

  /** The event comes behind the failure. */
  async blocked(): Promise<boolean> {
    if (!this.#blocked && isPage()) await nextTurn();
    return this.#blocked;
  }

  stop(): void {
    this.#page.removeEventListener?.("securitypolicyviolation", this.#see);
  }
}

/** The message of an error and of its deepest cause: runtimes hide the reason there. Total, whatever was thrown. */
export function withCause(error: unknown): string {
  const message = describe(error);
  try {
    return withDeepest(message, error);
  } catch {
    return message;
  }
}

function withDeepest(message: string, error: unknown): string {
  let deepest: unknown;
  let current = isError(error) ? error.cause : undefined;
  for (let depth = 0; depth < DEPTH && isError(current); depth++) {
    deepest = current;
    current = current.cause;
  }
  if (deepest === undefined) return message;
  const { code } = deepest as { code?: unknown };
  const detail = describe(deepest);
  const full = typeof code === "string" && !detail.includes(code) ? `${detail} (${code})` : detail;
  return message.includes(full) ? message : `${message}: ${full}`;
}

function causes(target: URL): string[] {
  // Only a page is subject to these rules.
  if (!isPage()) return [];
  const page = globalThis.location;
  const hints: string[] = [];
  const local = isLoopback(target.hostname);
  const near = local || isPrivate(target.hostname);
  if (globalThis.navigator?.onLine === false && !local) hints.push("the browser is offline");
  if (near) hints.push("the server is not running");
  if (page.protocol === "https:" && target.protocol === "http:") {
    if (!local) hints.push("an https page may not call an http address (mixed content)");
    else hints.push("this browser counts http on this computer as mixed content (Safari does)");
  }
  if (near && !isLoopback(page.hostname)) {
    hints.push("the browser's permission for this page to reach the local network was not given");
  }
  if (page.origin !== target.origin) {
    hints.push(
      near
        ? `the server does not allow requests from ${page.origin} (CORS; Ollama: OLLAMA_ORIGINS, LM Studio: switch CORS on)`
        : `the provider does not allow requests from ${page.origin} (CORS); a proxy of your own helps`,
      "the page's Content Security Policy does not list it (connect-src)",
    );
  }
  if (!near) hints.push("no connection, or the address is wrong");
  return hints;
}

function isPage(): boolean {
  return /^https?:$/.test((globalThis.location as Location | undefined)?.protocol ?? "");
}

/** As the page would; undefined when it is none. `URL.canParse` is not in all browsers. */
export function parse(url: string): URL | undefined {
  try {
    return new URL(url, globalThis.location?.href);
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host);
}

function isPrivate(host: string): boolean {
  return (
    /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host) ||
    /^\[f[cde]/i.test(host) ||
    host.endsWith(".local") ||
    !/[.:]/.test(host)
  );
}
