/** Sessions on a server of the application, over HTTP. The protocol is told in docs/sessions.md. */
import { after } from "../clock.js";
import { checkNames } from "../names.js";
import { SessionError } from "../session/call.js";
import { given } from "../session/given.js";
import { JsonlStore, type JsonlStoreOptions } from "./jsonl-store.js";
import type { TextLog } from "./log.js";

/** How the server is asked. */
export interface RemoteOptions extends JsonlStoreOptions {
  /** Sent with every request, such as the user's token. */
  headers?: Record<string, string> | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a request that failed on its way is repeated. Default 3. */
  retries?: number | undefined;
  /** The pause before the first repetition, in milliseconds; twice as long each time. Default 500. */
  retryDelayMs?: number | undefined;
  /** A request without its whole answer after so many milliseconds failed on its way. Default 30,000; `Infinity`: never. */
  timeoutMs?: number | undefined;
}

const CODES: Record<number, string> = {
  ...{ 401: "blocked", 403: "blocked", 404: "gone", 409: "fenced", 410: "gone", 412: "fenced" },
  ...{ 413: "quota", 507: "quota" },
};

/** A log behind an address. Commits carry the number of their first write, so that one may be sent again. */
export function remoteLog(url: string, options: RemoteOptions = {}): TextLog {
  const { headers = {}, retries = 3, retryDelayMs = 500, timeoutMs = 30_000 } = given(options, "options");
  checkNames("option of a store", options, {
    ...{ id: 1, now: 1, headers, fetch: 1, retries, retryDelayMs, timeoutMs },
  });
  const fetch = options.fetch ?? globalThis.fetch;
  let epoch: number | undefined;
  type Take<T> = (response: Response) => Promise<T>;
  const attempt = async <T>(address: string, init: RequestInit, take: Take<T>) => {
    const stop = new AbortController();
    let cancel = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = after(timeoutMs, () => {
        const cause = new Error(`The server has not answered for ${timeoutMs} ms.`);
        // A fetch of the application may not look at the signal.
        reject(cause);
        stop.abort(cause);
      });
    });
    try {
      return await Promise.race([answerTo(address, { ...init, signal: stop.signal }, take), late]);
    } finally {
      cancel();
    }
  };
  const answerTo = async <T>(address: string, init: RequestInit, take: Take<T>) => {
    const response = await fetch(address, {
      cache: "no-store",
      // The headers may carry a token, which must not go where a redirect leads.
      redirect: "manual",
      ...init,
      headers: { ...headers, ...init.headers },
    });
    if (response.ok || (response.status === 404 && init.method === "GET")) return take(response);
    const code = CODES[response.status] ?? "failed";
    const mayPass = response.status >= 500 || response.status === 429 || response.status === 408;
    throw Object.assign(new SessionError(code), { mayPass: mayPass && code === "failed" });
  };
  const ask = async <T>(address: string, init: RequestInit, take: Take<T>) => {
    for (let count = 0; ; count++) {
      try {
        return await attempt(address, init, take);
      } catch (cause) {
        const refused = cause instanceof SessionError && !(cause as { mayPass?: boolean }).mayPass;
        if (refused) throw cause;
        if (count >= retries) throw new SessionError("failed", undefined, { cause });
        await new Promise<void>((done) => after(retryDelayMs * 2 ** count, done));
      }
    }
  };
  /** Only who writes asks to be the writer: looking at a session disturbs nobody. */
  const claim = async () => {
    const answer = await ask(`${url}/epoch`, { method: "POST" }, (response) => response.json());
    return (answer as { epoch: number }).epoch;
  };
  return {
    async open() {
      epoch = undefined;
    },
    read: () =>
      ask(url, { method: "GET" }, async (response) => (response.status === 404 ? "" : response.text())),
    async append(body, firstSeq) {
      epoch ??= await claim();
      const init = { method: "POST", body, headers: { "content-type": "application/x-ndjson" } };
      await ask(`${url}?epoch=${epoch}&first=${firstSeq}`, init, async () => {});
    },
  };
}

/**
 * A session on a server. The first commit makes this page the writer: a page that wrote before is refused from then on
 * (`fenced`), and may take over again. A commit whose answer is lost is sent again; the server stores it once.
 */
export class RemoteStore extends JsonlStore {
  /** @param url of the session */
  constructor(url: string, options: RemoteOptions = {}) {
    super(remoteLog(url, options), { id: options.id, now: options.now });
  }
}
