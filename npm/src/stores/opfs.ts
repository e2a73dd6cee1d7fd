/** Sessions in the browser's own file system (OPFS): a folder for each, with its log and what a list shows of it. */
import { checkNames } from "../names.js";
import { SessionError, uuid } from "../session/call.js";
import { given } from "../session/given.js";
import { type Committed, NAME, type StoreWrite } from "../session/store.js";
import { fileHandleLog } from "./file-handle.js";
import { JsonlStore, type JsonlStoreOptions } from "./jsonl-store.js";
import type { TextLog } from "./log.js";

/** The part of a file that dedicated workers have: append and flush. */
interface SyncAccess {
  getSize(): number;
  read(into: Uint8Array, options: { at: number }): number;
  write(from: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
type SyncFile = FileSystemFileHandle & { createSyncAccessHandle?(): Promise<SyncAccess> };

/** Where sessions are kept. */
export interface OpfsOptions extends JsonlStoreOptions {
  /** The folder of the sessions. Default `steersman`. */
  folder?: string | undefined;
}

/** What a list shows of a session. */
export interface OpfsInfo {
  id: string;
  name?: string;
  modified: Date;
  messageCount: number;
}

const LOG = "log.jsonl";
const HEAD = "head.json";
/** The head is written at most so often, in milliseconds, and when the store is closed. */
const HEAD_EVERY = 1000;

async function folderOf(name = "steersman"): Promise<FileSystemDirectoryHandle> {
  const root = await globalThis.navigator?.storage?.getDirectory?.();
  if (!root) throw new SessionError("unavailable");
  return root.getDirectoryHandle(name, { create: true });
}

/** Ids may hold what names of files may not. */
const nameOf = (id: string): string => `s-${encodeURIComponent(id)}`;

async function fileOf(id: string, name: string, folder?: string): Promise<SyncFile> {
  const session = await (await folderOf(folder)).getDirectoryHandle(nameOf(id), { create: true });
  return session.getFileHandle(name, { create: true });
}

/** Opens for appending, as nobody else may then. */
async function openSync(file: SyncFile): Promise<SyncAccess | undefined> {
  try {
    return await file.createSyncAccessHandle?.();
  } catch (cause) {
    const { name } = cause as { name?: string };
    throw name === "NoModificationAllowedError" ? new SessionError("blocked", undefined, { cause }) : cause;
  }
}

/**
 * The log of a session in OPFS. In a dedicated worker a commit is appended and flushed, and no other page can open the
 * session (`blocked`); elsewhere every commit writes a copy of the file.
 */
export function opfsLog(id: string, folder?: string): TextLog {
  let sync: SyncAccess | undefined;
  let log: TextLog | undefined;
  const opened = (): TextLog => {
    if (!log) throw new SessionError("closed");
    return log;
  };
  return {
    async open() {
      if (log) return;
      const file = await fileOf(id, LOG, folder);
      sync = await openSync(file);
      log = sync ? syncLog(sync) : fileHandleLog(file, `${folder}/${nameOf(id)}`);
    },
    read: async () => opened().read(),
    append: async (text, firstSeq) => opened().append(text, firstSeq),
    truncate: async (bytes) => opened().truncate?.(bytes),
    async close() {
      sync?.close();
      log = undefined;
    },
  };
}

function syncLog(file: SyncAccess): TextLog {
  return {
    async read() {
      const bytes = new Uint8Array(file.getSize());
      file.read(bytes, { at: 0 });
      return new TextDecoder().decode(bytes);
    },
    async append(text) {
      const bytes = new TextEncoder().encode(text);
      const at = file.getSize();
      if (file.write(bytes, { at }) < bytes.length) {
        file.truncate(at);
        throw new SessionError("quota");
      }
      file.flush();
    },
    async truncate(bytes) {
      file.truncate(bytes);
      file.flush();
    },
  };
}

/** A session in OPFS. `listOpfs()` lists them. */
export class OpfsStore extends JsonlStore {
  readonly #folder: string | undefined;
  readonly #now: () => number;
  #written = Number.NEGATIVE_INFINITY;
  #changed = 0;

  constructor(options: OpfsOptions = {}) {
    const { id = uuid(), folder, now = Date.now } = given(options, "options");
    checkNames("option of a store", options, { id, now, folder });
    super(opfsLog(id, folder), { id, now });
    this.#folder = folder;
    this.#now = now;
  }

  override async commit(writes: readonly StoreWrite[]): Promise<Committed> {
    const done = await super.commit(writes);
    this.#changed = done.timestamp;
    const named = writes.some(({ kind }) => kind === "header" || kind === "value");
    if (named && this.#now() - this.#written >= HEAD_EVERY) await this.#writeHead();
    return done;
  }

  override async close(): Promise<void> {
    if (this.#changed > 0) await this.#writeHead();
    this.#changed = 0;
    await super.close();
  }

  /** What a list shows is a help; the session does not fail with it. */
  async #writeHead(): Promise<void> {
    this.#written = this.#now();
    try {
      const name = await this.value(NAME, "");
      const { messageCount } = await this.stats();
      const head = { id: this.id, name, modified: this.#changed, messageCount };
      const file = await fileOf(this.id, HEAD, this.#folder);
      const sync = await openSync(file);
      const log = sync ? syncLog(sync) : fileHandleLog(file);
      await log.read();
      await log.truncate?.(0);
      await log.append(JSON.stringify(head), 0);
      sync?.close();
    } catch {
      // Another time.
    }
  }
}

/** The sessions in OPFS, the one changed last first. Reads the heads, not the sessions. */
export async function listOpfs(options: Pick<OpfsOptions, "folder"> = {}): Promise<OpfsInfo[]> {
  const { folder } = given(options, "options");
  const found: OpfsInfo[] = [];
  const sessions = (await folderOf(folder)) as unknown as {
    values(): AsyncIterable<FileSystemDirectoryHandle | FileSystemFileHandle>;
  };
  for await (const session of sessions.values()) {
    if (session.kind !== "directory") continue;
    try {
      const file = await (await session.getFileHandle(HEAD)).getFile();
      const { id, name, modified, messageCount } = JSON.parse(await file.text());
      found.push({ id, ...(name ? { name } : {}), modified: new Date(modified), messageCount });
    } catch {
      // Not closed yet, or being written.
    }
  }
  return found.sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

/** Removes a session. */
export async function removeOpfs(id: string, options: Pick<OpfsOptions, "folder"> = {}): Promise<void> {
  const { folder } = given(options, "options");
  given(id, "id", "string");
  await (await folderOf(folder)).removeEntry(nameOf(id), { recursive: true });
}
