/**
 * The whole of a call's arguments as one text, to notice changes. Throws for arguments that have no such text
 * (circular ones).
 */
export function seal(args: unknown): string {
  return (
    JSON.stringify(args, (_key, value: unknown) => {
      if (typeof value === "bigint") return `${value}n`;
      if (value instanceof Map || value instanceof Set) return [...value];
      return value;
    }) ?? "undefined"
  );
}

/** Whether arguments still look like this. */
export function isSealed(args: unknown, text: string): boolean {
  try {
    return seal(args) === text;
  } catch {
    return false;
  }
}
