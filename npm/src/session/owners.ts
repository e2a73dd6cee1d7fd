/** Several sessions of one page on one store: the first one writes. And stores of one page, one after the other. */
import type { SessionStore } from "./store.js";

/** A session, as the others on its store see it. */
export interface Owner {
  /** Another session on the store has written. */
  follow(): unknown;
  /** Another session on the store tells something. */
  heard(message: unknown): void;
  /** Another session on the store has come, gone, or taken over. */
  ownerChanged(): void;
}

const owners = new WeakMap<SessionStore, Owner[]>();

/** The sessions on a store; the first one writes. */
export const ownersOf = (store: SessionStore): readonly Owner[] => owners.get(store) ?? [];

/** Whether a session is the one that writes. */
export const isOwner = (store: SessionStore, owner: Owner): boolean => ownersOf(store)[0] === owner;

/** Puts a session into the list, at its end or at its beginning. */
export function joinStore(store: SessionStore, owner: Owner, first = false): void {
  const others = ownersOf(store).filter((one) => one !== owner);
  owners.set(store, first ? [owner, ...others] : [...others, owner]);
  for (const other of others) other.ownerChanged();
}

/** Takes a session out of the list. */
export function leaveStore(store: SessionStore, owner: Owner): void {
  const others = ownersOf(store).filter((one) => one !== owner);
  owners.set(store, others);
  for (const other of others) other.ownerChanged();
}

/** What lets go of stores at the moment, by the id of their session. */
const leaving = new Map<string, Promise<unknown>>();

/** Resolves when the stores of this page that are being closed have let go of a session. */
export const leavers = (id: string): Promise<unknown> | undefined => leaving.get(id);

/** Whoever opens the session meanwhile waits for `done`: views are mounted again before the last one is gone. */
export function leave<T>(id: string, done: Promise<T>): Promise<T> {
  const all = Promise.allSettled([leaving.get(id), done]);
  leaving.set(id, all);
  void all.then(() => leaving.get(id) === all && leaving.delete(id));
  return done;
}
