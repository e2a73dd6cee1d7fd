/** What pages that have a session open tell each other. Hints: the database is the truth. */

/** Everything of a session that other pages hear. */
export type Message =
  /** Numbers `fromSeq` to `toSeq` were written. */
  | { kind: "commit"; epoch: number; fromSeq: number; toSeq: number }
  /** Another page asks to write. */
  | { kind: "take" }
  /** Who wrote has let go. */
  | { kind: "free" }
  /** The session was removed. */
  | { kind: "gone" }
  /** What stores do not look at. */
  | { kind: "post"; message: unknown };

/** A session of the list was changed. */
export interface ListMessage {
  id: string;
}

export interface Channel<T> {
  post(message: T): void;
  close(): void;
}

export function channel<T>(name: string, hear: (message: T) => void): Channel<T> {
  if (!globalThis.BroadcastChannel) return { post() {}, close() {} };
  const wire = new BroadcastChannel(name);
  wire.onmessage = ({ data }) => {
    if (typeof data === "object" && data !== null) hear(data as T);
  };
  let open = true;
  return {
    post(message) {
      if (open) wire.postMessage(message);
    },
    close() {
      open = false;
      wire.close();
    },
  };
}

/** The name of the channel and of the lock of a session. */
export const sessionChannel = (database: string, id: string): string => `${database}:${id}`;
export const sessionLock = (database: string, id: string): string => `${database}:session:${id}`;
/** The name of the channel of the list. */
export const listChannel = (database: string): string => `${database}:sessions`;
