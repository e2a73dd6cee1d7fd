// Time that passes only when nothing else happens: what is observed does not depend on how fast anything is, or on how
// many microtasks it takes.

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Turns in which nothing must happen before time goes on. */
const QUIET = 3;
/** Most steps of a program. */
const MOST = 600;

export class Clock {
  now = 0;
  #timers = [];
  #activity = 0;

  /** Something happened. */
  note() {
    this.#activity++;
  }

  /** Resolves at a time of its own: no two timers share one. */
  sleep(ms) {
    return new Promise((resolve) => this.#timers.push({ at: this.now + ms, resolve }));
  }

  /** Lets time pass until `done()`. Gives false when nothing is left that could happen. */
  async run(done) {
    for (let steps = 0; steps < MOST; steps++) {
      await this.#settle();
      if (this.#timers.length === 0) return done();
      this.#timers.sort((a, b) => a.at - b.at);
      const next = this.#timers.shift();
      this.now = next.at;
      next.resolve();
    }
    return false;
  }

  async #settle() {
    for (let quiet = 0, last = this.#activity; quiet < QUIET; quiet++) {
      await turn();
      if (this.#activity !== last) [quiet, last] = [-1, this.#activity];
    }
  }
}
