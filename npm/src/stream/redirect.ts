/** Redirects of requests that carry keys: whoever answers with one would say where the key goes. */
import { AgentError } from "../errors.js";
import { parse } from "./unreachable.js";

/** For `fetch`: the redirect is told, not followed. */
export const NOT_FOLLOWED = "manual";

/** A page is not shown where a redirect leads; elsewhere it is a response with a `location`. */
export function isRedirect(response: Response): boolean {
  try {
    const { type, status } = response;
    return type === "opaqueredirect" || (status > 300 && status < 309 && response.headers.has("location"));
  } catch {
    return false;
  }
}

/** The failure of a request that was answered with a redirect. */
export const redirected = (url: string): AgentError =>
  new AgentError(
    "invalid_request",
    `${parse(url)?.host} answered with a redirect. It is not followed, because the request carries the key: make the address it leads to the model's baseUrl.`,
  );
