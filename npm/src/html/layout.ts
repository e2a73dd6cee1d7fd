/** The order in which a tree is shown: the branch of the leaf, and other branches where they leave. */
import type { SessionTree } from "../session/tree.js";
import type { SessionTreeNode } from "../session/types.js";

/** A step of the page. */
export type Step =
  | { kind: "entry"; node: SessionTreeNode }
  /** A section for another branch begins; `from`: the entry it leaves, when that is not right above. */
  | { kind: "open"; node: SessionTreeNode; from?: string | undefined; root: boolean }
  | { kind: "close" };

/** Sections within sections; what lies deeper comes at the end. */
const DEEPEST = 6;

/** Goes through the whole tree once, without recursion. */
export function layout(tree: SessionTree): Step[] {
  const leaf = tree.getLeafId();
  const active = new Set(leaf === null ? [] : tree.getBranch().map(({ id }) => id));
  const onPath = ({ entry }: SessionTreeNode) => active.has(entry.id);
  const steps: Step[] = [];
  const late: { node: SessionTreeNode; from: string }[] = [];
  type Task = Step | { kind: "chain"; node: SessionTreeNode; depth: number };
  const tasks: Task[] = [];
  let latePlace = 0;
  const section = (node: SessionTreeNode, depth: number, root: boolean, from?: string) => {
    tasks.push({ kind: "close" }, { kind: "chain", node, depth }, { kind: "open", node, root, from });
  };
  const roots = tree.getTree();
  for (const root of [...roots].reverse()) if (!onPath(root)) section(root, 1, true);
  const main = roots.find(onPath);
  if (main) tasks.push({ kind: "chain", node: main, depth: 0 });
  for (;;) {
    const task = tasks.pop();
    if (!task) {
      const next = late[latePlace++];
      if (!next) return steps;
      section(next.node, 1, false, next.from);
      continue;
    }
    if (task.kind !== "chain") {
      steps.push(task);
      continue;
    }
    const { node, depth } = task;
    steps.push({ kind: "entry", node });
    const { children, entry } = node;
    // Beside the leaf's branch the newest child goes on.
    const next = entry.id === leaf ? undefined : (children.find(onPath) ?? children.at(-1));
    if (next) tasks.push({ kind: "chain", node: next, depth });
    for (const child of [...children].reverse()) {
      if (child === next) continue;
      if (depth < DEEPEST) section(child, depth + 1, false);
      else late.push({ node: child, from: entry.id });
    }
  }
}
