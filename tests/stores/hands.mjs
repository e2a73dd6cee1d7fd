// Helpers of the cases on IndexedDB: events, clocks, the raw database.

/** Waits for an event of a store. Subscribe before what causes it. */
export const told = (store, type, more = () => true) =>
  new Promise((resolve) => {
    const stop = store.subscribe((event) => {
      if (event.type !== type || !more(event)) return;
      stop();
      resolve(event);
    });
  });

export const becomes = (store, role) => told(store, "role", (event) => event.role === role);

/** A clock that only moves when it is told to. */
export function handClock(start = 1_700_000_000_000) {
  let now = start;
  let timers = [];
  return {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    /** Moves on; what is due is done, one after the other. */
    async tick(ms, settle = () => {}) {
      const end = now + ms;
      for (;;) {
        timers.sort((a, b) => a.at - b.at);
        const next = timers[0];
        if (!next || next.at > end) break;
        timers.shift();
        now = next.at;
        next.act();
        await settle();
      }
      now = end;
    },
    get waiting() {
      return timers.length;
    },
  };
}

const promised = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The database without our code. */
export const raw = {
  promised,
  open: (name, version, upgrade) => {
    const request = indexedDB.open(name, version);
    if (upgrade) request.onupgradeneeded = () => upgrade(request.result);
    return promised(request);
  },
  remove: (name) => promised(indexedDB.deleteDatabase(name)),
  /** Everything in it, as text. */
  async dump(name) {
    const db = await raw.open(name);
    const all = {};
    for (const store of [...db.objectStoreNames].sort()) {
      const rows = await promised(db.transaction(store).objectStore(store).getAll());
      all[store] = rows.map((row) => (row.blob ? { ...row, blob: row.blob.size } : row));
    }
    db.close();
    return JSON.stringify(all);
  },
};

/** Puts something in place of a method while `act` runs. */
export async function patched(target, name, make, act) {
  const original = target[name];
  target[name] = make(original);
  try {
    return await act();
  } finally {
    target[name] = original;
  }
}
