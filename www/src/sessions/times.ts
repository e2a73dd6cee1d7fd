const minute = 60_000;

/** When something was, for a list: the nearer, the more precise. */
export function ago(time: Date, now = new Date()): string {
  const minutes = Math.floor((now.getTime() - time.getTime()) / minute);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const days = dayOf(now) - dayOf(time);
  if (days === 0) return time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (days === 1) return "yesterday";
  if (days < 7) return time.toLocaleDateString("en-GB", { weekday: "long" });
  return time.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** The number of the day, in the time zone of this device. */
const dayOf = (time: Date): number =>
  Math.floor((time.getTime() - time.getTimezoneOffset() * minute) / (24 * 60 * minute));
