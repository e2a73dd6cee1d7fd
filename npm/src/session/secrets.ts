/** Finds keys in texts, in the forms in which servers and tools quote them. The engine does the same to its errors. */

const HIDDEN = "[redacted]";

/** What keys of usual services look like. Each pattern takes what it has looked at, so that a text is read once. */
const SHAPES = [
  "(?<![A-Za-z0-9])sk-[\\w-]{16,}",
  "(?<![A-Za-z0-9])AIza[\\w-]{35}",
  "(?<![A-Za-z0-9])gh[oprsu]_[A-Za-z0-9]{30,}",
  "(?<![A-Za-z0-9])github_pat_\\w{22,}",
  "(?<![A-Za-z0-9])glpat-[\\w-]{20,}",
  "(?<![A-Za-z0-9])xai-[A-Za-z0-9]{20,}",
  "(?<![A-Za-z0-9])(?:gsk|hf|npm)_[A-Za-z0-9]{30,}",
  "(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}\\b",
  "(?<![A-Za-z0-9])xox[abeoprs]-[\\w-]{10,}",
  "(?<![A-Za-z0-9])eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]+",
  "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
];
/** The word before such a key stays. */
const NAMED = [
  "(?<![A-Za-z0-9])(?:Bearer|Basic) +(?=[\\w.~+/=-]*\\d)[\\w.~+/-]{16,}=*",
  "[?&](?:api[_-]?key|key|access_token|token)=[^&\\s\"'<>#]{8,}",
];

/** Replaces what it knows in a text; `binary`: base64, in which only keys that are named can be told from chance. */
export type Hide = (text: string, binary?: boolean) => string;

/** How keys are found. */
export interface Hider {
  hide: Hide;
  /** Whether there may be something to hide in any of the texts, each of which ends with a NUL. */
  finds(texts: string): boolean;
}

/** @param told called for every place that was replaced */
export function hiderOf(keys: readonly string[], shapes: boolean, told: () => void): Hider {
  const forms = keys.filter(Boolean).flatMap(formsOf);
  const exact = forms.sort((a, b) => b.length - a.length).map(escapePattern);
  const one = (parts: readonly string[]) =>
    parts.length > 0 ? new RegExp(parts.join("|"), "gi") : undefined;
  const known = exact.length > 0 ? new RegExp(exact.join("|"), "g") : undefined;
  const shaped = shapes ? new RegExp(SHAPES.join("|"), "g") : undefined;
  const named = shapes ? one(NAMED) : undefined;
  const hide = () => {
    told();
    return HIDDEN;
  };
  const finds = (texts: string) =>
    [known, shaped, named].some((pattern) => pattern !== undefined && texts.search(pattern) >= 0);
  const hideIn: Hide = (text, binary = false) => {
    let out = known ? text.replace(known, hide) : text;
    if (binary || !shaped || !named) return out;
    out = out.replace(shaped, hide);
    return out.replace(named, (found) => {
      // A key with a shape of its own was found before.
      if (found.includes(HIDDEN)) return found;
      return (found.match(/^(?:\w+ +|[^=]*=)/)?.[0] ?? "") + hide();
    });
  };
  return { hide: hideIn, finds };
}

/** A key itself, in JSON, in an address, in markup, and in base64 wherever in a longer text it begins. */
function formsOf(key: string): string[] {
  const bytes = new TextEncoder().encode(key);
  const address = encodeURIComponent(key.replace(/\p{Cs}/gu, "\ufffd"));
  const forms = [
    key,
    key.replaceAll("/", "\\/"),
    JSON.stringify(key).slice(1, -1),
    address,
    address.replace(/%../g, (code) => code.toLowerCase()),
    key.replace(/[&<>"']/g, (letter) => MARKUP[letter] ?? letter),
  ];
  for (const shift of [0, 1, 2]) {
    const form = base64(bytes, shift);
    // A short piece would be found in any text.
    if (form.length >= 8) forms.push(form, form.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...new Set(forms)];
}

const MARKUP: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The characters of base64 that the bytes alone determine, when `shift` bytes stand before them. */
function base64(bytes: Uint8Array, shift: number): string {
  const all = btoa("\0".repeat(shift) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return all.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
