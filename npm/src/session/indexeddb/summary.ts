/** What the list of sessions shows, brought up to date commit by commit. */
import type { Usage } from "../../types.js";
import { emptyUsage, totalUsage } from "../../usage.js";
import { NAME, type StoreWrite } from "../store.js";
import type { SessionHeader } from "../types.js";
import type { SessionRow } from "./schema.js";

/** Bytes of the beginning of the conversation. */
const PREVIEW = 2048;

/** The row of a session that nothing was written to. */
export function emptyRow(id: string, now: number): SessionRow {
  return {
    id,
    created: now,
    modified: now,
    entryCount: 0,
    messageCount: 0,
    usageCount: 0,
    usage: emptyUsage(),
    preview: "",
    nextSeq: 1,
    packed: 0,
    epoch: 0,
    lastCommit: 0,
    lastSeq: 0,
    formatNotes: [],
  };
}

/** What a commit adds to the row. */
export interface Gist {
  entries: number;
  messages: number;
  usages: Usage[];
  header?: SessionHeader;
  /** Empty: no name any more. */
  name?: string;
  /** What was said, at most as much as is ever shown. */
  said: string;
}

export function gistOf(writes: readonly StoreWrite[]): Gist {
  const gist: Gist = { entries: 0, messages: 0, usages: [], said: "" };
  for (const write of writes) {
    if (write.kind === "entry") {
      const entry = write.entry as { type: string; name?: unknown; message?: Spoken };
      gist.entries++;
      if (entry.type === "session_info") gist.name = nameOf(entry.name);
      if (entry.type !== "message") continue;
      gist.messages++;
      if (gist.said.length < PREVIEW) gist.said = joined(gist.said, saidIn(entry.message));
    } else if (write.kind === "usage") gist.usages.push(write.row.usage);
    else if (write.kind === "header") gist.header = write.header;
    else if (write.kind === "value" && write.namespace === NAME && write.key === "")
      gist.name = nameOf(write.op === "set" ? write.value : "");
  }
  return gist;
}

/** Takes the same time however long the session is. */
export function addGist(row: SessionRow, gist: Gist, now: number): void {
  const { header, name, usages } = gist;
  row.modified = now;
  row.entryCount += gist.entries;
  row.messageCount += gist.messages;
  row.usageCount += usages.length;
  if (usages.length > 0) row.usage = totalUsage([row.usage, ...usages]);
  if (header) {
    row.header = header;
    row.created = Date.parse(header.timestamp) || row.created;
    if (typeof header.parentSession === "string") row.parent = header.parentSession;
  }
  if (name) row.name = name;
  else if (name === "") delete row.name;
  if (gist.said && row.preview.length < PREVIEW) row.preview = cut(joined(row.preview, gist.said));
}

interface Spoken {
  role?: unknown;
  content?: unknown;
}

const nameOf = (name: unknown): string => (typeof name === "string" ? name.trim() : "");

const joined = (before: string, text: string): string =>
  before && text ? `${before}\n${text}` : before || text;

/** What the user or the model said, in text. */
function saidIn({ role, content }: Spoken = {}): string {
  if (role !== "user" && role !== "assistant") return "";
  if (typeof content === "string") return content.slice(0, PREVIEW);
  if (!Array.isArray(content)) return "";
  const texts = content.map((block: { type?: unknown; text?: unknown } | null) =>
    block?.type === "text" && typeof block.text === "string" ? block.text.slice(0, PREVIEW) : "",
  );
  return texts.filter(Boolean).join("\n");
}

/** So much of a text as fits, in whole characters. */
function cut(text: string): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(PREVIEW)).read);
}
