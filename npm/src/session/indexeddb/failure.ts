/** What goes wrong in a database, in the words of stores. */
import { AgentError } from "../../errors.js";
import { SessionError } from "../call.js";
import { estimate } from "./quota.js";

/** A disk so full makes transactions fail without a reason of their own. */
const FULL = 0.95;

const codes: Record<string, string> = {
  QuotaExceededError: "quota",
  VersionError: "version",
  ConstraintError: "duplicate_id",
  DataCloneError: "malformed",
  DataError: "malformed",
  SecurityError: "unavailable",
  NotReadableError: "corrupt",
  NotFoundError: "corrupt",
};

const nameOf = (thrown: unknown): string => (thrown as { name?: string } | null)?.name ?? "";

/** Whether the connection went away, so that another one may do. Safari calls it unknown when its database process ends. */
export const isCut = (thrown: unknown): boolean =>
  ["InvalidStateError", "AbortError", "UnknownError"].includes(nameOf(thrown));

/** The error of a store for what a database threw. */
export async function storageError(cause: unknown): Promise<SessionError | AgentError> {
  if (cause instanceof SessionError || cause instanceof AgentError) return cause;
  const code = codes[nameOf(cause)] ?? ((await isFull()) ? "quota" : "failed");
  return new SessionError(code, undefined, { cause });
}

async function isFull(): Promise<boolean> {
  const { usage, quota } = await estimate();
  return quota > 0 && usage / quota > FULL;
}
