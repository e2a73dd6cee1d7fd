/** Reading files of version 4: transactions over entries, values, lists and usage (SESSIONS 4.2). */
import { currentGeneration } from "../engine/guard.js";
import { call, SessionError } from "./call.js";
import { admit, inOrder } from "./checks.js";
import { type Opened, Reader } from "./reader.js";
import { type StoreWrite, TIPS, type UsageRow } from "./store.js";
import type { BesideTree, ImportReport, SessionEntry, SessionHeader, SessionSources } from "./types.js";

type Members = Record<string, unknown>;

/** The limits of a text of the usual form: years of four digits. */
const [FIRST, LAST] = [-62_167_219_200_000, 253_402_300_799_999];

/** The header in the form of version 3. */
export function headerOfV4({ id, createdAt, cwd, ...first }: Members): SessionHeader {
  const parentSession = first.parentSessionId ?? first.legacyParentSessionPath;
  return {
    ...{ type: "session", version: 3, id: String(id), timestamp: isoOf(createdAt) },
    cwd: String(cwd ?? "/project"),
    ...(parentSession === undefined ? {} : { parentSession: String(parentSession) }),
  };
}

function isoOf(time: unknown): string {
  const ms = typeof time === "number" ? time : 0;
  return new Date(Math.min(Math.max(ms, FIRST), LAST)).toISOString();
}

/** Reads a session line by line. It must be ended with `end` or `stop`. */
export class ReaderV4 {
  readonly #tree: Reader;
  /** The ids so far, and whether each is one of an entry. */
  readonly #ids = new Map<string, boolean>();
  /** By kind, namespace and key. */
  readonly #values = new Map<string, BesideTree["values"][number]>();
  readonly #usage: UsageRow[] = [];
  readonly #reports: ImportReport[] = [];
  #seq = 0;

  /** @throws SessionError `corrupt` */
  constructor(first: Members, sources: Required<SessionSources>) {
    if (first.storageVersion !== 1 || typeof first.id !== "string" || first.id === "")
      throw new SessionError("corrupt", 1);
    this.#tree = new Reader(headerOfV4(first), sources);
  }

  /** How many entries were read. */
  get count(): number {
    return this.#tree.count;
  }

  /** The next line. One that is cut goes with its whole transaction. @throws SessionError `corrupt` */
  line(text: string, line: number, offset?: () => number): void {
    if (offset) {
      this.#reports.push({ code: "truncated_tail", line, offset: offset() });
      return;
    }
    for (const write of this.#checked(text, line)) this.#apply(write);
  }

  #checked(text: string, line: number): StoreWrite[] {
    try {
      const rows = [JSON.parse(text)].flat(1);
      const { writes, ids, parents } = admit(rows.map((row) => this.#writeOf(row)));
      if (!ids.some((id) => this.#ids.has(id)) && parents.every((id) => this.#ids.get(id))) return writes;
    } catch {
      // Whatever it is.
    }
    throw new SessionError("corrupt", line);
  }

  #writeOf({ kind, ...rest }: Members): StoreWrite {
    const { seq, op } = rest;
    if (!Number.isSafeInteger(seq) || (seq as number) <= this.#seq) throw new SessionError("malformed");
    this.#seq = seq as number;
    if (kind === "entry") return { kind, entry: rest as unknown as SessionEntry };
    if (kind === "usage") return { kind, row: rest as UsageRow };
    if (!(kind === "value" && op === "set") && !(kind === "list" && op === "append") && op !== "delete")
      throw new SessionError("malformed");
    return { kind, ...rest } as StoreWrite;
  }

  #apply(write: StoreWrite): void {
    if (write.kind === "entry") {
      const { type, id, parentId, timestamp, seq: _, ...rest } = write.entry as SessionEntry & Members;
      this.#ids.set(id, true);
      this.#tree.add({ type, id, parentId: parentId ?? null, timestamp: isoOf(timestamp), ...rest });
    } else if (write.kind === "usage") {
      this.#ids.set(write.row.id, false);
      this.#usage.push(write.row);
    } else if (write.kind !== "header") {
      const { kind, namespace, key } = write;
      const address = `${kind}\0${namespace}\0${key}`;
      if (write.op === "delete") {
        this.#values.delete(address);
        return;
      }
      const value = (write.value ?? null) as BesideTree["values"][number][2];
      const known = this.#values.get(address);
      if (kind === "value") this.#values.set(address, [namespace, key, value, false]);
      else if (known) (known[2] as unknown[]).push(value);
      else this.#values.set(address, [namespace, key, [value], true]);
    }
  }

  /** The session. @throws SessionError `unknown_entry`: the tip of its branch is none */
  end(): Opened {
    const values = [...this.#values.values()];
    const tips = values.filter(([namespace, , , isList]) => namespace === TIPS && !isList);
    const named = inOrder(tips.map(([, key, value]) => [key, value]));
    const tip = named.find(([name]) => name === "main") ?? named[0];
    if (typeof tip?.[1] === "string" && !this.#ids.get(tip[1])) throw new SessionError("unknown_entry");
    const opened = this.#tree.end();
    if (tip) {
      const key = { key: opened.key, generation: currentGeneration() };
      opened.leaf = call(key, { op: "branch", to: tip[1] });
    }
    // A run that was not over is kept, but does not go on.
    if (values.some(([namespace]) => /^pi\.(op|pending)\./.test(namespace)))
      this.#reports.push({ code: "open_run" });
    return { ...opened, reports: this.#reports, values, usage: this.#usage };
  }

  /** There will be no session. */
  stop(): void {
    this.#tree.stop();
  }
}
