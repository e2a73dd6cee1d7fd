/** A page that is put aside must not keep the lock: others could not write, and the browser could not keep the page. */

/** What a store does then. */
export interface PageEvents {
  /** The page is put aside, or goes. */
  leave(): void;
  /** It is there again. */
  back(): void;
  /** It is looked at again: hints may have been missed. */
  seen(): void;
}

/** Gives what stops it. */
export function watchPage({ leave, back, seen }: PageEvents): () => void {
  const page = globalThis.document;
  if (!page || !globalThis.addEventListener) return () => {};
  const watched: [EventTarget, string, () => void][] = [
    [globalThis, "pagehide", leave],
    [globalThis, "pageshow", back],
    [page, "freeze", leave],
    [page, "resume", back],
    [page, "visibilitychange", () => page.visibilityState === "visible" && seen()],
  ];
  for (const [target, type, act] of watched) target.addEventListener(type, act);
  return () => {
    for (const [target, type, act] of watched) target.removeEventListener(type, act);
  };
}
