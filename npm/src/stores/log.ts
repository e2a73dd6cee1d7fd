/** Texts that grow at their end: what a session of lines is kept in. */

/** A text that lines are added to. One page writes it at a time. */
export interface TextLog {
  /** Whether it outlives the page. Default true. */
  readonly persisted?: boolean;
  /** Makes this page the writer. What others wrote before counts; what they write later is refused, here or there. */
  open?(): Promise<void>;
  /** All of it; empty where nothing was written. */
  read(): Promise<string>;
  /**
   * Adds whole lines. Resolves when they are there; when it rejects, they may be there, or a part of them.
   *
   * @param firstSeq the number of the first write in them, for logs that tell a repetition by it
   */
  append(text: string, firstSeq: number): Promise<void>;
  /** Cuts what lies behind so many bytes: the rest of a line that was not written to its end. */
  truncate?(bytes: number): Promise<void>;
  close?(): Promise<void>;
}

/** A log in memory: for tests, and for files that are read and written elsewhere. */
export function textLog(text = ""): TextLog & { text: string } {
  const log = {
    persisted: false,
    text,
    read: async () => log.text,
    append: async (more: string) => {
      log.text += more;
    },
    truncate: async (bytes: number) => {
      log.text = new TextDecoder().decode(new TextEncoder().encode(log.text).subarray(0, bytes));
    },
  };
  return log;
}
