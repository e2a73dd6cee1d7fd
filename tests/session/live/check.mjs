// Assertions that work in a page too.
const text = (value) => JSON.stringify(value, (_, item) => (item === undefined ? "(undefined)" : item));

export function equal(got, want, what = "value") {
  if (text(got) !== text(want)) throw new Error(`${what}: got ${text(got)}, want ${text(want)}`);
}

export function ok(value, what) {
  if (!value) throw new Error(what);
}

/** The error that a promise rejects with, which has the code. */
export async function rejects(promise, code) {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  ok(error !== undefined, `rejects with ${code}: it did not reject`);
  equal(error.code, code, `code of ${error}`);
  return error;
}
