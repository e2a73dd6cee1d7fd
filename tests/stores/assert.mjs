// What the suite asserts with, in Node and in pages: no module of Node.

/** A text that is the same for the same value: keys in order, what JSON cannot say by name. */
function text(value) {
  return JSON.stringify(value, (_, each) => {
    if (each === undefined) return "\u0000undefined";
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export function ok(value, what = "not true") {
  if (!value) throw new Error(what);
}

export function equal(got, wanted, what = "") {
  const [left, right] = [text(got), text(wanted)];
  if (left !== right) throw new Error(`${what}: ${left?.slice(0, 500)} instead of ${right?.slice(0, 500)}`);
}

/** Rejects with a SessionError of this code. */
export async function refuses(promise, code) {
  const error = await Promise.resolve(promise).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (error?.name !== "SessionError" || error.code !== code)
    throw new Error(`${error?.stack ?? "no error"}, instead of the refusal ${code}`);
}
