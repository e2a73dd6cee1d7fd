/** When and after how long a request is repeated (only before the first content). */

/** Longest wait that a server may ask for unless the caller allows more, in milliseconds. */
const MAX_DELAY_MS = 60_000;

/** Why an attempt failed, as far as a repetition depends on it. */
interface Failed {
  /** Missing when there was no response. */
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  /** Its words speak of something transient; they count where the status is good. */
  readonly transient: boolean;
}

/** Whether another attempt makes sense. */
export function mayRepeat({ status, headers, transient }: Failed): boolean {
  const asked = headers?.get("x-should-retry");
  if (asked === "true") return true;
  if (asked === "false") return false;
  if (status === undefined) return true;
  if (status < 400) return transient;
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Milliseconds to wait before repetition number `repeat` (from 1): what the server asks for, else 0.5 s doubled each time
 * up to 8 s, less up to a quarter so that many clients do not come back together. At least 1. A text instead when the
 * server asks for more than `maxMs` (0 allows everything): then there is no repetition.
 *
 * @param said the words of the failure: most servers do not show a page their headers
 */
export function delayBefore(
  repeat: number,
  headers: Headers | undefined,
  maxMs = MAX_DELAY_MS,
  said = "",
): number | string {
  const asked = askedDelay(headers) ?? saidDelay(said);
  if (asked === undefined) return Math.min(500 * 2 ** (repeat - 1), 8000) * (1 - Math.random() * 0.25);
  if (maxMs > 0 && asked > maxMs) {
    const seconds = (ms: number) => Math.ceil(ms / 1000);
    return `Server requested ${seconds(asked)}s retry delay (max: ${seconds(maxMs)}s).`;
  }
  return Math.max(1, asked);
}

/** Only what the server exposes to the page can be seen. */
function askedDelay(headers: Headers | undefined): number | undefined {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(ms)) return ms;
  const after = headers?.get("retry-after");
  if (!after) return undefined;
  const seconds = Number.parseFloat(after);
  const delay = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000;
  return Number.isFinite(delay) ? delay : undefined;
}

/** Gemini's `"retryDelay": "34s"`, and "try again in 7m12.5s" of OpenAI and Groq. */
const HINT =
  /(?:"retryDelay\\?"\s*:\s*\\?"|\b(?:try again|retry) (?:in|after) )(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+) ?(m?s)\w*)?/i;

function saidDelay(text: string): number | undefined {
  const [, hours, minutes, rest, unit] = HINT.exec(text) ?? [];
  if (hours === undefined && minutes === undefined && rest === undefined) return undefined;
  const seconds = Number(rest ?? 0) / (unit?.toLowerCase() === "ms" ? 1000 : 1);
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + seconds) * 1000;
}
