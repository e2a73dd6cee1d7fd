import type { ImportReport } from "steersman/session";
import { storageTrouble } from "./storage-words.js";

/** What was not as it should be in a file that was taken in, one sentence for each kind. */
export function reportWords(reports: readonly ImportReport[]): string[] {
  const kinds = new Map<string, ImportReport[]>();
  for (const report of reports) kinds.set(report.code, [...(kinds.get(report.code) ?? []), report]);
  return [...kinds].map(([code, all]) => sentence(code, all));
}

/** Why a file was not taken in. @param code of a `SessionError` */
export function refusalWords(code: string, line?: number): string {
  switch (code) {
    case "empty":
      return "The file is empty.";
    case "not_a_session":
      return "This is not a session file. Files that Steersman or pi saved end in .jsonl, or are exported pages.";
    case "line_too_long":
      return `${line === undefined ? "A line" : `Line ${line}`} is too long to be read.`;
    case "corrupt":
      return `The file is damaged${line === undefined ? "" : ` at line ${line}`} and cannot be read.`;
    default:
      return `${storageTrouble(code).title}.`;
  }
}

function sentence(code: string, reports: readonly ImportReport[]): string {
  const lines = linesOf(reports);
  const many = reports.length > 1;
  switch (code) {
    case "truncated_tail":
      return "The file ends in the middle of an entry, which was left out.";
    case "bad_line":
      return `${lines} could not be read and ${many ? "were" : "was"} left out.`;
    case "missing_id":
      return `${count(reports, "entry", "entries")} had no id and got one.`;
    case "duplicate_id":
      return `${count(reports, "entry", "entries")} had the id of another one and got a new one.`;
    case "orphan":
      return `${count(reports, "entry", "entries")} had lost what came before, and ${many ? "begin branches" : "begins a branch"} of ${many ? "their" : "its"} own.`;
    case "cycle":
      return "Entries followed each other in a circle, which was cut.";
    case "future_version":
      return "The file is of a newer version; what is unknown was kept as it is.";
    case "kept_off_path":
      return "A summary names a message that is not there, so nothing before it is sent to the model.";
    case "open_run":
      return "A run was in progress when the file was written. It does not go on by itself.";
    default:
      return `${count(reports, "place", "places")} ${many ? "were" : "was"} mended (${code}).`;
  }
}

const count = (reports: readonly unknown[], one: string, many: string): string =>
  reports.length === 1 ? `One ${one}` : `${reports.length} ${many}`;

function linesOf(reports: readonly ImportReport[]): string {
  const lines = reports.flatMap(({ line }) => (line === undefined ? [] : [line]));
  if (lines.length === 0) return count(reports, "line", "lines");
  const named = lines.slice(0, 5).join(", ");
  const more = lines.length > 5 ? ` and ${lines.length - 5} more` : "";
  return `${lines.length === 1 ? "Line" : "Lines"} ${named}${more}`;
}
