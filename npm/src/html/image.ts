/** Images of a session: only those that cannot be anything but images (SESSIONS 7.4). */
import { type Html, html, membersOf, nameOf } from "./escape.js";

/** An image of a message, or what is in its place. */
export function image(block: unknown, alt: string): Html {
  const { data, mimeType } = membersOf(block);
  if (!isImageType(mimeType) || !isBase64(data))
    return html`<p class="note">An image of the type ${nameOf(mimeType) || "unknown"}, which is not shown.</p>`;
  return html`<img alt="${alt}" src="data:${mimeType};base64,${data}">`;
}

function isImageType(type: unknown): type is string {
  return typeof type === "string" && /^image\/(png|jpeg|gif|webp)$/.test(type);
}

function isBase64(data: unknown): data is string {
  if (typeof data !== "string" || data === "" || data.length % 4 !== 0) return false;
  const end = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - end));
}
