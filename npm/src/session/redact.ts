/** A session without what others must not see (SESSIONS 7.7). */
import { put } from "../put.js";
import { given, givenTree } from "./given.js";
import { hiderOf } from "./secrets.js";
import { SessionTree } from "./tree.js";
import type { SessionEntry } from "./types.js";

/** What is taken out of a session. */
export interface RedactOptions {
  /** Keys to hide wherever they stand, also escaped, in addresses and in base64. */
  keys?: readonly string[] | undefined;
  /** Whether what looks like a key of a usual service is hidden too. Default true. */
  keyShapes?: boolean | undefined;
  /** Takes out what the model thought. */
  thinking?: boolean | undefined;
  /** Takes out what tools and commands gave. */
  toolOutputs?: boolean | undefined;
  /** Takes out instructions and declarations of tools. */
  systemPrompt?: boolean | undefined;
  /** Takes out data of the application: `custom` entries, `details`, entries of unknown types. */
  customData?: boolean | undefined;
  /** Takes out absolute paths, also in the middle of texts. */
  paths?: boolean | undefined;
}

/** A session that may be given away. */
export interface Redacted {
  /** The session itself where nothing was replaced. */
  tree: SessionTree;
  /** How many places were replaced. */
  replaced: number;
}

const HIDDEN = "[redacted]";
const PATH = "[path]";
const SEGMENT = "[^\\s\"'`<>|:;,()[\\]{}/\\\\]+";
/** From the root, a drive, a share or the home; at least two names, because `/word` may be anything. */
const PATHS = new RegExp(
  `(?<![\\w.:/\\\\<~-])(?:file://|~)?(?:/${SEGMENT}){2,}/?|(?<!\\w)(?:~|[A-Za-z]:|\\\\\\\\${SEGMENT})(?:[\\\\/]${SEGMENT})+[\\\\/]?`,
  "g",
);

type Members = Record<string, unknown>;

/**
 * The session without keys, and without what `options` name. Ids and the form of the tree stay. A session in which nothing
 * is found is given back itself; otherwise entries that nothing was taken out of keep their bytes.
 */
export function redact(tree: SessionTree, options: RedactOptions = {}): Redacted {
  let replaced = 0;
  const told = () => {
    replaced++;
  };
  const { keys = [], keyShapes = true } = given(options, "options");
  const { hide, finds } = hiderOf(keys, keyShapes, told);
  const drop = dropper(options, told);
  const { cwd } = givenTree(tree).getHeader();
  const change = (text: string, binary: boolean): string => {
    const hidden = hide(text, binary);
    if (!options.paths || binary) return hidden;
    if (text !== "" && text !== PATH && text === cwd) return replacement(told);
    return hidden.replace(PATHS, () => replacement(told));
  };
  const lines = tree.export().split("\n");
  let text = "";
  for (const line of lines) {
    if (line === "") continue;
    const before = replaced;
    const value = drop(JSON.parse(line) as SessionEntry & Members);
    // Most entries have nothing to hide, which one look at all that they say tells.
    const made =
      options.paths || replaced > before || finds(textsOf(value, keys.length > 0))
        ? inTexts(value, change)
        : value;
    text += replaced === before ? line : JSON.stringify(made);
    text += "\n";
  }
  return { tree: replaced === 0 ? tree : SessionTree.import(text), replaced };
}

function replacement(told: () => void): string {
  told();
  return PATH;
}

/** All texts in a value that came from JSON, names of members included, with what is in no key between them. */
function textsOf(root: unknown, images: boolean): string {
  let texts = "";
  const open = [root];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") texts += `${next}\0`;
    else if (Array.isArray(next)) for (const one of next) open.push(one);
    else if (typeof next === "object" && next !== null)
      for (const [name, one] of Object.entries(next)) {
        texts += `${name}\0`;
        // In base64 only keys that are named are looked for.
        if (images || name !== "data" || (next as Members).type !== "image") open.push(one);
      }
  }
  return texts;
}

/** Changes every text in a value that came from JSON, names of members included. Without recursion. */
function inTexts(root: unknown, change: (text: string, binary: boolean) => string): unknown {
  const holder: Members = { root };
  const open: [from: object, to: Members | unknown[]][] = [];
  const copy = (value: unknown, binary: boolean): unknown => {
    if (typeof value === "string") return change(value, binary);
    if (typeof value !== "object" || value === null) return value;
    const made = Array.isArray(value) ? [] : {};
    open.push([value, made]);
    return made;
  };
  const out = copy(holder, false) as Members;
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, to] = next;
    if (Array.isArray(to)) for (const one of from as unknown[]) to.push(copy(one, false));
    else {
      const isImage = (from as Members).type === "image";
      for (const [name, one] of Object.entries(from))
        put(to, change(name, false), copy(one, isImage && name === "data"));
    }
  }
  return out.root;
}

/** Takes whole parts out of an entry. */
function dropper(options: RedactOptions, told: () => void): (entry: SessionEntry & Members) => unknown {
  /** Sets a member to something harmless, or removes it. */
  const clear = (from: Members, names: string[], instead?: unknown): Members => {
    const made = { ...from };
    for (const name of names) {
      if (made[name] === undefined || JSON.stringify(made[name]) === JSON.stringify(instead)) continue;
      told();
      if (instead === undefined) delete made[name];
      else made[name] = instead;
    }
    return made;
  };
  const message = (given: unknown): unknown => {
    if (typeof given !== "object" || given === null) return given;
    let made = given as Members;
    const { role, content } = made;
    if (options.customData) made = clear(made, ["details"]);
    if (options.thinking && role === "assistant" && Array.isArray(content)) {
      const kept = content.filter((block) => (block as Members | null)?.type !== "thinking");
      if (kept.length < content.length) {
        told();
        made = { ...made, content: kept };
      }
    }
    if (options.toolOutputs && role === "toolResult")
      made = clear(clear(made, ["content"], [{ type: "text", text: HIDDEN }]), ["details", "nestedCalls"]);
    if (options.toolOutputs && role === "bashExecution") made = clear(made, ["output"], HIDDEN);
    if (options.systemPrompt && role === "system")
      made = clear(clear(made, ["content"], HIDDEN), ["sections", "toolsAdded", "toolsRemoved"]);
    return made;
  };
  return (entry) => {
    let made: Members = entry;
    if (options.paths && entry.type === "session")
      made = clear(
        clear(made, ["cwd"], PATH),
        /[/\\]/.test(String(made.parentSession)) ? ["parentSession"] : [],
      );
    for (const name of ["message", "systemMessage"])
      if (made[name] !== undefined) made = { ...made, [name]: message(made[name]) };
    if (Array.isArray(made.retainedTail)) made = { ...made, retainedTail: made.retainedTail.map(message) };
    if (!options.customData) return made;
    if (entry.type === "custom") return clear(made, ["data"]);
    if (known.has(entry.type)) return clear(made, ["details"]);
    return clear(
      made,
      Object.keys(made).filter((name) => !common.has(name)),
    );
  };
}

const common = new Set(["type", "id", "parentId", "timestamp"]);
const known = new Set(
  "session message model_change thinking_level_change active_tools_change compaction branch_summary custom_message label session_info context_edit usage".split(
    " ",
  ),
);
