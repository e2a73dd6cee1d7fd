// Several real pages of Chromium on one session. What is waited for is an event, and how long it may take is bounded.
import { join } from "node:path";
import { launch, serve } from "../../scripts/browser.mjs";
import { root } from "../../scripts/common.mjs";

const FOLLOW_MS = 1000;
const TAKE_MS = 2000;

const script = `
import "/dist/index.js";
import { IndexedDbStore, setValue } from "/dist/session.js";
globalThis.events = [];
const waiting = new Set();
const note = (event) => {
  events.push(event);
  for (const each of waiting) each();
};
/** Resolves when an event that fits has come, at once if it came before. */
globalThis.heard = (fits, most) => new Promise((resolve, reject) => {
  const timer = setTimeout(() => reject(new Error("heard only " + JSON.stringify(events))), most);
  const look = () => {
    const event = events.find(fits);
    if (!event) return;
    clearTimeout(timer);
    waiting.delete(look);
    resolve(event);
  };
  waiting.add(look);
  look();
});
globalThis.start = async (id) => {
  globalThis.store = new IndexedDbStore({ id, database: "tabs" });
  store.subscribe(({ type, ...rest }) => note({ type, ...rest, at: performance.now() }));
  await store.open();
  return store.role;
};
globalThis.append = async (id, parentId) => {
  const message = { role: "user", content: id, timestamp: 1 };
  const writes = [{ kind: "entry", entry: { id, parentId, type: "message", message } }, setValue("pi.branch.tip", "main", id)];
  try {
    await store.commit(writes);
    return "done";
  } catch (error) {
    return error.code;
  }
};
globalThis.ids = async () => (await store.scanEntries({ order: "asc" })).map(({ id }) => id);
`;

const becomesWriter = (page, most) =>
  page.evaluate((ms) => heard(({ type, role }) => type === "role" && role === "writer", ms), most);

/** Plays all; gives figures. */
export async function tabs(report) {
  const server = await serve({
    "/": {
      type: ".html",
      body: '<!doctype html><title>tabs</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
    },
    "/page.js": { type: ".js", body: script },
    "/dist/": join(root, "npm/dist"),
  });
  const browser = await launch();
  const context = await browser.newContext();
  const figures = [];
  const page = async (id) => {
    const made = await context.newPage();
    await made.goto(server.url);
    await made.waitForFunction(() => globalThis.start);
    const role = await made.evaluate((session) => start(session), id);
    return { page: made, role };
  };
  const equal = (name, got, wanted) =>
    report.check(
      JSON.stringify(got) === JSON.stringify(wanted),
      name,
      `${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`,
    );
  const part = (name, act) => report.attempt(`tabs: ${name}`, act);
  /** Ends the renderer of a page as a crash does. */
  const crash = async (victim) => {
    const session = await context.newCDPSession(victim);
    const crashed = new Promise((resolve) => victim.once("crash", resolve));
    session.send("Page.crash").catch(() => {});
    await crashed;
  };

  try {
    for (const [way, end] of [
      ["closed", (victim) => victim.close()],
      ["killed", crash],
    ])
      await part(`one writes, the other follows; the writer is ${way}`, async () => {
        const id = `follow-${way}`;
        const [a, b] = [await page(id), await page(id)];
        equal(`${way}: one writer`, [a.role, b.role], ["writer", "mirror"]);
        const hint = b.page.evaluate((ms) => heard(({ type }) => type === "changed", ms), FOLLOW_MS + 30_000);
        const begun = performance.now();
        equal(`${way}: written`, await a.page.evaluate(() => append("a", null)), "done");
        await hint;
        const followed = performance.now() - begun;
        report.check(followed < FOLLOW_MS, `${way}: the other follows within a second`, `${followed} ms`);
        equal(`${way}: read`, await b.page.evaluate(() => ids()), ["a"]);
        equal(`${way}: the mirror is refused`, await b.page.evaluate(() => append("x", "a")), "fenced");
        const writer = becomesWriter(b.page, TAKE_MS + 30_000);
        const gone = performance.now();
        await end(a.page);
        await writer;
        equal(`${way}: the other writes`, await b.page.evaluate(() => append("b", "a")), "done");
        const took = performance.now() - gone;
        report.check(took < TAKE_MS, `${way}: the other writes within two seconds`, `${took} ms`);
        equal(`${way}: nothing twice`, await b.page.evaluate(() => ids()), ["a", "b"]);
        figures.push(
          `${way}: followed after ${followed.toFixed(0)} ms, took over after ${took.toFixed(0)} ms`,
        );
        await b.page.close();
      });

    await part("a page takes over from one that answers", async () => {
      const [a, b] = [await page("take"), await page("take")];
      await a.page.evaluate(() => append("a", null));
      await b.page.evaluate(() => store.takeOver());
      equal("taken over", await b.page.evaluate(() => append("b", "a")), "done");
      equal("the other is refused", await a.page.evaluate(() => append("x", "a")), "fenced");
      await b.page.close();
      await becomesWriter(a.page, 30_000);
      equal("and back", await a.page.evaluate(() => append("c", "b")), "done");
      equal("all in order", await a.page.evaluate(() => ids()), ["a", "b", "c"]);
      await a.page.close();
    });

    await part("a page takes over from one that hangs, whose commits then fail", async () => {
      const [a, b] = [await page("steal"), await page("steal")];
      await a.page.evaluate(() => append("a", null));
      // Commits that are made while it hangs, and go on when it does.
      const late = a.page.evaluate(async () => {
        const asked = heard(({ type }) => type === "asked", 60_000);
        store.subscribe(({ type, until }) => type === "asked" && until(new Promise(() => {})));
        await asked;
        await heard(({ type, role }) => type === "role" && role === "mirror", 60_000);
        return append("x", "a");
      });
      await b.page.evaluate(() => store.takeOver());
      equal("stolen", await b.page.evaluate(() => append("b", "a")), "done");
      equal("fenced", await late, "fenced");
      equal("only what counts", await b.page.evaluate(() => ids()), ["a", "b"]);
      await a.page.close();
      await b.page.close();
    });

    await part("a frozen page lets go, and follows when it wakes up", async () => {
      const [a, b] = [await page("frozen"), await page("frozen")];
      await a.page.evaluate(() => append("a", null));
      // Chromium freezes hidden pages only, and none is hidden here: the events are ours.
      await a.page.evaluate(() => document.dispatchEvent(new Event("freeze")));
      await becomesWriter(b.page, 30_000);
      equal("written", await b.page.evaluate(() => append("b", "a")), "done");
      await a.page.evaluate(() => document.dispatchEvent(new Event("resume")));
      await a.page.evaluate(() => heard(({ type, role }) => type === "role" && role === "mirror", 30_000));
      equal("read", await a.page.evaluate(() => ids()), ["a", "b"]);
      equal("refused", await a.page.evaluate(() => append("x", "b")), "fenced");
      await a.page.close();
      await b.page.close();
    });
  } finally {
    await browser.close();
    await server.close();
  }
  return figures;
}
