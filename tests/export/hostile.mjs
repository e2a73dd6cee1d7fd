// Sessions in which every member of every kind of entry says something hostile.
import { assistant, png, usage } from "./sample.mjs";

/** `hit` is a function of the page that counts. What a browser would do with these outside of a text is to call it. */
export const payloads = [
  "</script><script>hit(1)</script>",
  "</style></title></textarea><script>hit(2)</script>",
  "<!--<script>hit(3)//",
  "--><svg onload=hit(4)>",
  "]]><img src=x onerror=hit(5)>",
  '"onload="hit(6)" autofocus onfocus="hit(6)" x="',
  "'onmouseover='hit(7)' tabindex=1 onfocus='hit(7)",
  "javascript:hit(8)",
  "[a](javascript:hit(9)) [b](JaVaScRiPt:hit(9)) [c](data:text/html,<script>hit(9)</script>) [d](vbscript:x)",
  'https://a.example/"onmouseover="hit(10) [x](https://a.example/"><script>hit(10)</script>)',
  "data:text/html;base64,PHNjcmlwdD5oaXQoMTEpPC9zY3JpcHQ+",
  "a\u202egnp.exe\u2066b\u2069\u200f\u{e0041}",
  "$& $` $' $1 ${hit(12)} {{hit(12)}}",
  "a\u2028b\u2029c\0d\u0007e\u001bf\u0085g\rh",
  "&lt;img src=x onerror=hit(13)&gt; &#60;script&#62;",
  "<base href=//b.example><meta http-equiv=refresh content='0;url=//b.example'><link rel=stylesheet href=//b.example/x>",
  "<iframe srcdoc='<script>parent.hit(14)</script>'></iframe><form action=//b.example><button>x</button></form>",
  "```\n</pre><script>hit(15)</script>\n```\n# <b>x\n- <script>hit(15)</script>\n> <i>\n| <u> |\n1. `<s>` **<b>**",
  "__proto__",
  "\ud83d<img src=x onerror=hit(16)>\udc00",
  "![x](https://b.example/a.png) [x](//b.example) [x](https://me:pw@b.example/) [x](file:///x) [x](blob:x)",
];

const text = (said) => [{ type: "text", text: said, textSignature: "s" }];
const image = { type: "image", data: png, mimeType: "image/png" };
const tool = {
  name: "n",
  description: "d",
  parameters: { type: "object", properties: { a: { type: "string" } } },
};
const system = {
  ...{ role: "system", content: "c", sections: { a: "b", c: null }, timestamp: 1 },
  ...{ toolsAdded: [tool], toolsRemoved: [{ name: "n" }] },
};
const result = {
  ...{ role: "toolResult", toolCallId: "i", toolName: "n", content: [...text("t"), image], isError: true },
  ...{ details: { a: ["b"] }, usage: usage(1, 1), timestamp: 1, durationMs: 1 },
  nestedCalls: {
    calls: [{ id: "i", name: "n", arguments: { a: "b" }, status: "ok", error: "e" }],
    complete: true,
  },
};
const answer = assistant(
  [
    ...text("t"),
    { type: "thinking", thinking: "t", thinkingSignature: "s", redacted: false },
    {
      ...{ type: "toolCall", id: "i", name: "n", arguments: { a: "b", c: ["d", { e: "f" }] } },
      ...{ argumentsText: "{}", argumentsError: "e", thoughtSignature: "s", namespace: "x" },
    },
  ],
  {
    ...{ stopReason: "error", errorMessage: "e", rawStopReason: "r", responseModel: "m", responseId: "i" },
    ...{ providerThinkingLevel: "p", thinkingLevel: "low", structured: { a: "b" }, endTurn: true },
    diagnostics: [{ type: "error", timestamp: 1, code: "c", error: { name: "n", message: "m", stack: "s" } }],
    deferred: { provider: "p", modelId: "m", api: "a", id: "i", data: { a: "b" } },
  },
);
const bash = {
  ...{ role: "bashExecution", command: "c", output: "o", exitCode: 1, cancelled: true, truncated: true },
  ...{ fullOutputPath: "p", excludeFromContext: true, timestamp: 1 },
};
const custom = { customType: "c", content: [...text("t"), image], display: false, details: { a: "b" } };
const summary = { summary: "s", details: { readFiles: ["r"] }, usage: usage(1, 1), fromHook: true };
const messages = [
  { role: "user", content: "c", timestamp: 1 },
  { role: "user", content: [...text("t"), image], timestamp: 1 },
  ...[answer, result, system, bash],
  { role: "custom", ...custom, timestamp: 1 },
  { role: "hookMessage", ...custom, timestamp: 1 },
  { role: "branchSummary", summary: "s", fromId: "f", timestamp: 1 },
  { role: "compactionSummary", summary: "s", tokensBefore: 1, timestamp: 1 },
  { role: "notice", text: "t", timestamp: 1 },
];
export const kinds = [
  ...messages.map((message) => ({ type: "message", message })),
  { type: "model_change", provider: "p", modelId: "m" },
  { type: "thinking_level_change", thinkingLevel: "low" },
  { type: "active_tools_change", activeToolNames: ["n"] },
  {
    type: "compaction",
    firstKeptEntryId: "f",
    tokensBefore: 1,
    systemMessage: system,
    retainedTail: [answer],
    ...summary,
  },
  { type: "branch_summary", fromId: "f", ...summary },
  { type: "custom", customType: "c", data: { a: { b: ["c"] } } },
  { type: "custom_message", ...custom },
  { type: "label", targetId: "t", label: "l" },
  { type: "session_info", name: "n" },
  { type: "context_edit", targetId: "t", replacement: { content: text("t") } },
  { type: "usage", kind: "k", provider: "p", model: "m", usage: usage(1, 1), note: "n" },
  { type: "hologram", light: { a: "b" } },
];

/** The value with each of its members in turn replaced, and each name of a member. */
function* variants(value, payload) {
  if (typeof value !== "object" || value === null) {
    yield payload;
    return;
  }
  yield payload;
  for (const [name, one] of Object.entries(value)) {
    for (const made of variants(one, payload)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      copy[name] = made;
      yield copy;
    }
    if (!Array.isArray(value)) {
      const { [name]: moved, ...rest } = value;
      // Not by an object literal, in which `__proto__` would set the prototype.
      yield Object.defineProperty(rest, payload, { value: moved, enumerable: true });
    }
  }
}

/** A session file with all variants of entries of some kinds, once for each payload; the header has the first one. */
export function hostileFile(payloads, of = kinds) {
  const [first] = payloads;
  const members = Object.fromEntries(
    ["id", "timestamp", "cwd", "parentSession", "x"].map((name) => [name, first]),
  );
  const lines = [{ type: "session", version: 3, ...members }];
  const time = "2026-01-01T00:00:00.000Z";
  let parentId = null;
  for (const payload of payloads) {
    for (const made of of.flatMap((kind) => [...variants(kind, payload)])) {
      if (typeof made !== "object") continue;
      // Half of the ids are hostile too, and now and then a branch begins, or a further root.
      const id = lines.length % 2 ? `${payload}${lines.length}` : `e${lines.length}`;
      const entry = { timestamp: time, ...made, id, parentId };
      if (lines.length % 5 === 0) entry.timestamp = payload;
      if (entry.targetId === "t") entry.targetId = parentId;
      lines.push(entry);
      if (lines.length % 7 !== 0) parentId = id;
      if (lines.length % 101 === 0) parentId = payload;
    }
  }
  lines.push({ type: "session_info", id: "last", parentId, timestamp: time, name: first });
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Images that are none, or may not be shown. */
export const badImages = [
  { data: png, mimeType: "image/svg+xml" },
  { data: btoa("<svg xmlns='http://www.w3.org/2000/svg' onload='hit(20)'/>"), mimeType: "image/svg+xml" },
  { data: png, mimeType: "text/html" },
  { data: png, mimeType: 'image/png" onerror="hit(21)' },
  { data: png, mimeType: "image/png;x=<" },
  { data: png, mimeType: "IMAGE/PNG" },
  { data: `${png}"onerror="hit(22)`, mimeType: "image/png" },
  { data: "https://b.example/a.png", mimeType: "image/png" },
  { data: "abc", mimeType: "image/png" },
  { data: "ab=c", mimeType: "image/png" },
  { data: "", mimeType: "image/png" },
  { data: 5, mimeType: "image/png" },
  { data: png },
  { mimeType: "image/png" },
];
