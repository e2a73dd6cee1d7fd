/** Writes what a session adds into its store, in order, and keeps what could not be written. */
import { SessionError } from "./call.js";
import { type SessionStore, type StoreWrite, setValue, TIPS } from "./store.js";
import type { SessionEntry, SessionHeader } from "./types.js";

/** The code of a refusal of a store; `failed` for what is none. */
export function storeCode(thrown: unknown): string {
  return thrown instanceof SessionError ? thrown.code : "failed";
}

/** What is said of a failure. */
export function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Commits one after the other: what waits, and where the branch ends. */
export class Recorder {
  private waiting: StoreWrite[] = [];
  private header: StoreWrite | undefined;
  /** `undefined`: the store knows. */
  private tip: string | null | undefined;
  private work: Promise<void> | undefined;
  /** The last commit failed: it may have landed all the same. */
  private doubtful = false;
  /** Nothing is written while another page may write. */
  paused = false;
  /** How often something was added. */
  count = 0;

  /**
   * @param failed told why a commit failed
   * @param stored told how far the store has come
   */
  constructor(
    private readonly store: SessionStore,
    private readonly branch: string,
    private readonly failed: (thrown: unknown) => void,
    private readonly stored: (lastSeq: number) => void,
  ) {}

  /** How many entries are not in the store; a move without any is one. */
  get unsaved(): number {
    return this.entries().length || Number(this.hasWork);
  }

  /** The entries that are not in the store. */
  entries(): SessionEntry[] {
    return this.waiting.flatMap((write) => (write.kind === "entry" ? [write.entry as SessionEntry] : []));
  }

  /** Nothing is stored yet. The header goes with what comes first, so that no session is kept in which nothing was said. */
  begin(header: SessionHeader): void {
    this.header = { kind: "header", header };
  }

  /** Adds writes, and the end of the branch after them, to what is to be stored. */
  add(tip: string | null | undefined, ...writes: StoreWrite[]): void {
    this.count++;
    if (this.header) this.waiting.push(this.header);
    this.header = undefined;
    this.waiting.push(...writes);
    if (tip !== undefined) this.tip = tip;
    this.start();
  }

  /**
   * Another page may have written: entries and what they have used remain, and they are no end of the branch.
   *
   * @param begun the header is that page's
   */
  forgetTip(begun: boolean): void {
    this.tip = undefined;
    if (begun) this.header = undefined;
    this.waiting = this.waiting.filter(({ kind }) => kind !== "value" && !(begun && kind === "header"));
  }

  /** Tries to store all that waits. Never rejects: `unsaved` says what is left. */
  async flush(): Promise<void> {
    // What is added while the last commit fails waits for another one.
    for (let before = -1; this.hasWork && before !== this.waiting.length; ) {
      before = this.waiting.length;
      await this.start();
    }
    await this.work;
  }

  private get hasWork(): boolean {
    return !this.paused && (this.waiting.length > 0 || this.tip !== undefined);
  }

  private start(): Promise<void> {
    this.work ??= this.pump().finally(() => {
      this.work = undefined;
    });
    return this.work;
  }

  private async pump(): Promise<void> {
    // What is added in one go becomes one commit.
    await undefined;
    while (this.hasWork) {
      const { tip } = this;
      const count = this.waiting.length;
      const writes = this.waiting.slice();
      if (tip !== undefined) writes.push(setValue(TIPS, this.branch, tip));
      try {
        await this.commit(writes);
      } catch (thrown) {
        this.doubtful = true;
        this.failed(thrown);
        return;
      }
      this.doubtful = false;
      this.waiting.splice(0, count);
      if (this.tip === tip) this.tip = undefined;
    }
  }

  private async commit(writes: StoreWrite[]): Promise<void> {
    try {
      await this.write(writes);
    } catch (thrown) {
      if (!this.doubtful || storeCode(thrown) !== "duplicate_id") throw thrown;
      const ids = writes.flatMap((write) => (write.kind === "entry" ? [write.entry.id] : []));
      const there = new Set((await this.store.entries(ids)).map((entry) => entry?.id));
      for (const { id } of await this.store.scanUsage()) there.add(id);
      const landed = (write: StoreWrite) =>
        (write.kind === "entry" && there.has(write.entry.id)) ||
        (write.kind === "usage" && there.has(write.row.id));
      await this.write(writes.filter((write) => !landed(write)));
    }
  }

  private async write(writes: StoreWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const { firstSeq, seqs } = await this.store.commit(writes);
    this.stored(firstSeq + seqs.length - 1);
  }
}
