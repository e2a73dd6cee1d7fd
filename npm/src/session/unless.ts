/** Waiting that a signal ends. */

/**
 * What comes of something, or `undefined` once the signal fires: whoever does not look at the signal is not waited for.
 * Leaves nothing behind at the signal, which may outlive it.
 */
export function unlessAborted<T>(signal: AbortSignal, work: PromiseLike<T> | T): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    const done = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    Promise.resolve(work).then(resolve, reject).then(done);
  });
}
