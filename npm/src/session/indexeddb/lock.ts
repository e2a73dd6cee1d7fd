/** Of all pages that have a session open, one writes: SESSIONS 6. */
import type { StoreClock } from "./clock.js";

/** What the holder of a lock hears. */
export interface LockEvents {
  /** It waited, and now has it. */
  granted(): void;
  /** Somebody took it. */
  lost(): void;
}

export interface WriterLock {
  /** Takes it, if nobody has it. */
  acquire(): Promise<boolean>;
  /** Asks for it; `granted` tells when it is there. Harmless twice. */
  wait(): void;
  /** The holder has let go: for locks that do not hear of it. */
  freed?(): void;
  /** Takes it, whoever has it. */
  steal(): Promise<void>;
  /** Lets go, and waits no more. Resolves when others can have it. */
  release(): Promise<void>;
}

/** By Web Locks, which go with the page, however it ends. */
export function webLock(locks: LockManager, name: string, events: LockEvents): WriterLock {
  let letGo: (() => void) | undefined;
  let ended: Promise<void> = Promise.resolve();
  let waiting: AbortController | undefined;

  /** Resolves with whether it was granted; the lock is held until `letGo` is called. */
  function request(options: LockOptions): Promise<boolean> {
    return new Promise((resolve) => {
      let mine: (() => void) | undefined;
      ended = locks
        .request(name, options, (lock) => {
          if (!lock) return resolve(false);
          return new Promise<void>((done) => {
            mine = done;
            letGo = done;
            resolve(true);
          });
        })
        .catch(() => {
          // The request was called off, or the lock was stolen while it was held.
          const held = mine !== undefined && letGo === mine;
          resolve(false);
          if (!held) return;
          letGo = undefined;
          events.lost();
        });
    });
  }

  function stopWaiting(): void {
    waiting?.abort();
    waiting = undefined;
  }

  return {
    acquire: () => (letGo ? Promise.resolve(true) : request({ ifAvailable: true })),
    wait() {
      if (waiting || letGo) return;
      const mine = new AbortController();
      waiting = mine;
      void request({ signal: mine.signal }).then((granted) => {
        // Called off meanwhile: whoever did that has let go, too.
        if (waiting !== mine) return;
        waiting = undefined;
        if (granted) events.granted();
      });
    },
    async steal() {
      stopWaiting();
      await request({ steal: true });
    },
    async release() {
      stopWaiting();
      const done = ended;
      letGo?.();
      letGo = undefined;
      await done;
    },
  };
}

/** A lease is good for so long, in milliseconds, and is renewed so often. */
const LEASE_MS = 10_000;
const RENEW_MS = 3000;

/** What a lease does in the database. */
export interface LeaseRecord {
  /** Writes the lease down, if there is none that is good and of another owner, or by force. Whether it did. */
  take(owner: string, now: number, expires: number, force: boolean): Promise<boolean>;
  /** Ends the lease, if it is of this owner. */
  end(owner: string): Promise<void>;
}

/** Without Web Locks: a row with a time. A page that stops without a word keeps it for 10 seconds. */
export function leaseLock(
  record: LeaseRecord,
  owner: string,
  clock: StoreClock,
  events: LockEvents,
): WriterLock {
  let held = false;
  let waiting = false;
  let stop = () => {};

  async function take(force: boolean): Promise<boolean> {
    const now = clock.now();
    const taken = await record.take(owner, now, now + LEASE_MS, force).catch(() => false);
    if (taken && !held) {
      held = true;
      later(renew);
    }
    return taken;
  }

  function later(act: () => Promise<void>): void {
    stop();
    stop = clock.after(RENEW_MS, () => void act());
  }

  async function renew(): Promise<void> {
    if (!held) return;
    if (await take(false)) return later(renew);
    held = false;
    events.lost();
  }

  async function end(): Promise<void> {
    stop();
    held = false;
    await record.end(owner).catch(() => {});
  }

  async function retry(): Promise<void> {
    stop();
    const taken = await take(false);
    // Called off meanwhile.
    if (!waiting) return taken ? end() : undefined;
    if (!taken) return later(retry);
    waiting = false;
    events.granted();
  }

  return {
    acquire: () => take(false),
    wait() {
      waiting = true;
      if (!held) later(retry);
    },
    freed() {
      if (waiting && !held) void retry();
    },
    async steal() {
      stop();
      waiting = false;
      await take(true);
    },
    async release() {
      stop();
      waiting = false;
      if (held) await end();
    },
  };
}
