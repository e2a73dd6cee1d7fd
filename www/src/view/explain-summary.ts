import { CompactionError } from "steersman/session";

/** Why there is no summary, in words that help. */
export function summaryTrouble(error: unknown): string {
  if (!(error instanceof CompactionError)) return error instanceof Error ? error.message : String(error);
  switch (error.refusal) {
    case "nothing_to_compact":
      return "There is too little to summarise yet: the latest messages always stay as they are.";
    case "already_compacted":
      return "All older messages are summarised already.";
    case "no_model":
      return "Choose a brain that is ready first: it writes the summary.";
    case "cancelled":
      return "Cancelled. Nothing has changed.";
    default:
      return `The brain gave no summary, and nothing has changed: ${error.message}`;
  }
}
