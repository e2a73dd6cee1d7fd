import { byId, clip, h } from "../dom.js";

/**
 * Speaks through the page's one polite live region: finished answers, tool cards, errors. Never single tokens. Each text
 * is an element of its own, so that one announcement does not swap out another before it is read.
 */
export function announce(text: string): void {
  const region = byId("announcer");
  region.append(h("p", {}, clip(text, 600)));
  while (region.childElementCount > 5) region.firstElementChild?.remove();
}
