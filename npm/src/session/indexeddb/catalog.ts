import { Pace } from "../../stream/pace.js";
import type { Usage } from "../../types.js";
import { checkNames } from "../../names.js";
import { treeWrites } from "../branches.js";
import { SessionError, uuid } from "../call.js";
import { given } from "../given.js";
import { type StoreWrite, TIPS } from "../store.js";
import { SessionTree } from "../tree.js";
import type { SessionSource } from "../slices.js";
import type { ImportReport, SessionEntry } from "../types.js";
import {
  type Channel,
  channel,
  type ListMessage,
  listChannel,
  type Message,
  sessionChannel,
} from "./channel.js";
import { type Database, database } from "./database.js";
import { appendName, MAIN } from "./naming.js";
import { packAll } from "./packs.js";
import { estimate, persist, type StorageEstimate } from "./quota.js";
import { readRow, readValue, scanEntries } from "./reads.js";
import { type SessionRow, STORES } from "./schema.js";
import { IndexedDbStore } from "./store.js";
import { removeRows } from "./writer.js";

/** Writes of an import that are done at a time: more would hold the page up. */
const AT_A_TIME = 200;

/** What a list shows of a session. */
export interface SessionInfo {
  id: string;
  name?: string;
  created: Date;
  modified: Date;
  messageCount: number;
  /** How the conversation begins, at most 2 KB. */
  preview: string;
  /** The session it was made from. */
  parentSession?: string;
  /** The sum of what was accounted for. */
  usage: Usage;
}

/** What came of a file. */
export interface TakenIn {
  /** Of the session. */
  id: string;
  /** What was not as it should be in the file, and was mended or left out. */
  reports: readonly ImportReport[];
}

/** The sessions of a database in IndexedDB. Making one touches nothing. */
export class SessionCatalog {
  readonly #name: string;
  readonly #db: Database;
  readonly #listeners = new Set<() => void>();
  #channel: Channel<ListMessage> | undefined;

  /** @param options `database`: its name, default `steersman` */
  constructor(options: { database?: string } = {}) {
    const { database: name = "steersman" } = given(options, "options");
    checkNames("option of a catalog", options, { database });
    this.#name = name;
    this.#db = database(name);
  }

  /** All sessions, the one changed last first. Sessions without a header are not listed: nothing was written yet. */
  async list(): Promise<SessionInfo[]> {
    const rows = await this.#db.run(["sessions"], "readonly", (tx) =>
      tx.objectStore("sessions").index("modified").getAll(),
    );
    return rows
      .reverse()
      .filter(({ header }) => header)
      .map(infoOf);
  }

  /** A store for a session, or for a new one. Not open yet. */
  open(id?: string): IndexedDbStore {
    return new IndexedDbStore({ database: this.#name, id });
  }

  /**
   * Removes a session. A page that has it open is asked to let go, and after 5 seconds it is removed in any case; stores
   * that have it open tell `gone`.
   */
  async remove(id: string): Promise<void> {
    const store = this.open(given(id, "id", "string"));
    // Where its entries are gone, the rest of it goes, too.
    await store.takeOver().catch(unlessGone);
    await this.#db.run(STORES, "readwrite", async (tx) => {
      await tx.objectStore("sessions").delete(id);
      await removeRows(tx, id);
    });
    const gone = channel<Message>(sessionChannel(this.#name, id), () => {});
    gone.post({ kind: "gone" });
    gone.close();
    await store.close();
    this.#changed(id);
  }

  /**
   * Names a session; without a name it is taken away. The name is an entry of the session, after its last one; where
   * another page writes, the entry is beside what that page goes on with.
   *
   * @throws SessionError `unknown_session`
   */
  async rename(id: string, name: string): Promise<void> {
    const { fromSeq, toSeq, epoch } = await appendName(this.#db, id, oneLine(name));
    const hint = channel<Message>(sessionChannel(this.#name, id), () => {});
    hint.post({ kind: "commit", epoch, fromSeq, toSeq });
    hint.close();
    this.#changed(id);
  }

  /**
   * Takes a session file in, of any version that pi wrote. A session whose id is there already, or open in a page, becomes
   * a copy with an id of its own.
   *
   * @throws SessionError as `SessionTree.importAsync`
   */
  async import(file: SessionSource): Promise<TakenIn> {
    let tree = await SessionTree.importAsync(file);
    const { reports } = tree;
    let store = this.open(tree.getSessionId());
    try {
      // Another page may be at the same file, or the browser has taken the entries away.
      if (!(await store.clear().catch(unlessGone))) {
        await store.close();
        tree = tree.fork(uuid());
        store = this.open(tree.getSessionId());
      }
      // The header comes last: until then there is no session.
      const [header, ...writes] = treeWrites(tree, MAIN);
      for (let at = 0; at < writes.length; at += AT_A_TIME) {
        await store.commit(writes.slice(at, at + AT_A_TIME));
        await breath();
      }
      await store.commit([header as StoreWrite]);
      // It is there; what makes reading it fast is not missed.
      await packAll(this.#db, store.id).catch(() => {});
    } catch (thrown) {
      // What nobody sees must not fill the disk.
      await store.clear().catch(() => {});
      throw thrown;
    } finally {
      await store.close();
      tree.dispose();
    }
    this.#changed(store.id);
    return { id: store.id, reports };
  }

  /** The file of a session, as pi writes it. @throws SessionError `unknown_session` */
  async export(id: string): Promise<string> {
    const row = await readRow(this.#db, id);
    if (!row?.header) throw new SessionError("unknown_session");
    const entries = await scanEntries(this.#db, id, { order: "asc" });
    const lines = entries.map(({ seq: _, ...entry }) => entry as SessionEntry);
    const tree = await SessionTree.fromAsync(row.header, lines);
    const tip = await readValue(this.#db, id, TIPS, MAIN);
    if (typeof tip === "string") tree.branch(tip);
    let text = "";
    const pace = new Pace();
    for (const line of tree.lines()) {
      text += line;
      if (pace.due()) await pace.rest();
    }
    tree.dispose();
    return text;
  }

  /** Tells when the list changed, in this page or another one. Gives a function that stops it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(given(listener, "listener", "function"));
    this.#channel ??= channel<ListMessage>(listChannel(this.#name), () => this.#tell());
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#channel?.close();
      this.#channel = undefined;
    };
  }

  /** How much room there is, for all that this site stores. */
  estimate(): Promise<StorageEstimate> {
    return estimate();
  }

  /** Asks the browser not to remove what is stored when room gets short. Best after something was done. */
  persist(): Promise<boolean> {
    return persist();
  }

  /** Closes the connection; the next call opens another one. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#listeners.clear();
    this.#db.close();
  }

  #changed(id: string): void {
    const own = this.#channel ?? channel<ListMessage>(listChannel(this.#name), () => {});
    own.post({ id });
    if (own !== this.#channel) own.close();
    // A channel does not hear itself.
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function infoOf(row: SessionRow): SessionInfo {
  const { id, name, created, modified, messageCount, preview, parent, usage } = row;
  return {
    id,
    created: new Date(created),
    modified: new Date(modified),
    messageCount,
    preview,
    usage,
    ...(name === undefined ? {} : { name }),
    ...(parent === undefined ? {} : { parentSession: parent }),
  };
}

function unlessGone(thrown: unknown): void {
  if ((thrown as SessionError).code !== "gone") throw thrown;
}

const oneLine = (name: string): string =>
  given(name, "name", "string")
    .replace(/[\r\n]+/g, " ")
    .trim();

/** Lets the page do what is waiting. */
const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
