/** The address of the page names the open conversation, so that reloading, links and Back find it again. */
const parameter = "conversation";

/** The conversation that the address names. */
export const idInAddress = (): string | undefined =>
  new URLSearchParams(location.search).get(parameter) ?? undefined;

/** Names a conversation in the address, or none. `push`: Back leads to the one before. */
export function nameInAddress(id: string | undefined, how: "push" | "replace"): void {
  if (id === idInAddress()) return;
  const url = new URL(location.href);
  if (id === undefined) url.searchParams.delete(parameter);
  else url.searchParams.set(parameter, id);
  url.hash = "";
  history[how === "push" ? "pushState" : "replaceState"](undefined, "", url);
}
