import { put } from "../put.js";

/** One change of a value that was checked; a missing `value` removes the member. */
export interface Edit {
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

/** What a check found. */
export type Verdict =
  | { readonly edits: readonly Edit[] }
  | { readonly issues: readonly { readonly path: string; readonly message: string }[] };

/** Apply one edit; every container on the path belongs to the caller. Gives the changed value. */
export function applyEdit(root: unknown, edit: Edit): unknown {
  const last = edit.path.at(-1);
  if (last === undefined) return edit.value;
  let place = root as Record<string | number, unknown>;
  for (const step of edit.path.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  if ("value" in edit) {
    put(place, last, edit.value);
  } else {
    delete place[last];
  }
  return root;
}

/** Problems as lines. */
export const linesOf = (issues: readonly { readonly path: string; readonly message: string }[]): string =>
  issues.map((issue) => `  - ${issue.path}: ${issue.message}`).join("\n");
