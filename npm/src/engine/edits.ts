import { put } from "../put.js";

/** One change of a value that was checked: where, and the value to put there; without one the member goes. */
export type Edit = readonly [path: readonly (string | number)[], value?: unknown];

/** Apply one edit; every container on the path belongs to the caller. Gives the changed value. */
export function applyEdit(root: unknown, edit: Edit): unknown {
  const [path, value] = edit;
  const last = path.at(-1);
  if (last === undefined) return value;
  let place = root as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  if (edit.length > 1) {
    put(place, last, value);
  } else {
    delete place[last];
  }
  return root;
}
