import type { Message } from "steersman";
import { colorIn } from "../../tools/colors.js";
import { lastAsked } from "./summary.js";
import { textOf } from "./text.js";

/** What the script does next: think, speak, or call a tool. */
export type Step = { think: string } | { say: string } | { call: string; arguments: Record<string, string> };

/** Chooses the next steps from the transcript alone, as a model would. */
export function nextSteps(messages: readonly Message[]): Step[] {
  const lastUser = messages.findLastIndex((message) => message.role === "user");
  const request = messages[lastUser];
  if (request?.role !== "user") return [{ say: introduction }];
  const since = messages.slice(lastUser + 1);
  const results = since.flatMap((message) => (message.role === "toolResult" ? [message] : []));
  const wish = lastAsked(textOf(request.content)).toLowerCase();
  const last = results.at(-1);

  if (/\bbells?\b/.test(wish)) return watch(results.length);
  if (!last) return firstSteps(wish);
  const outcomes = results.map((result) => `${result.isError ? "Failed: " : ""}${textOf(result.content)}`);
  const remark = last.isError ? `\n\n${afterFailure}` : "";
  return [{ say: `The page reports: ${outcomes.join(" ")}${remark}` }];
}

function firstSteps(wish: string): Step[] {
  const steps: Step[] = [];
  if (/\b(time|clock|date|day)\b/.test(wish)) steps.push({ call: "get_time", arguments: {} });
  const color = colorIn(wish);
  if (color) steps.push({ call: "set_color", arguments: { color } });
  if (/\b(save|file|download)\b/.test(wish)) steps.push({ call: "save_file", arguments: logBook });
  if (/\b(break|fail|throw)\b/.test(wish)) steps.push({ call: "spring_a_leak", arguments: {} });
  if (/\b(wait|never|forever)\b/.test(wish)) steps.push({ call: "wait_for_wind", arguments: {} });
  if (steps.length > 0) {
    const names = steps.map((step) => ("call" in step ? step.call : "")).join(" and ");
    return [
      { think: `The request mentions something the page can do, so the script calls ${names}.` },
      ...steps,
    ];
  }
  if (/\b(story|long|tale)\b/.test(wish)) return [{ say: story }];
  return [{ say: introduction }];
}

/** A run of several turns, so that there is time to steer it. */
function watch(bellsSoFar: number): Step[] {
  const bells = ["First bell.", "Second bell.", "Third bell."];
  const bell = bells[bellsSoFar];
  if (!bell) return [{ say: "Three bells, and all is well. The watch is over." }];
  return [{ say: `${bell} Noting the time.` }, { call: "get_time", arguments: {} }];
}

const logBook = {
  name: "log.txt",
  text: "Calm sea, light wind from the west.\nAll tools in working order.\n",
};

const afterFailure = "The run goes on all the same: a model reads the failure and may try something else.";

const introduction = `I am a **script**, not a model: I look for a few words in your message and answer with prepared text. \
Everything around me is real, though: the agent loop, the streaming, the tools.

Words I know:

- \`time\` reads the clock of this device
- a colour such as \`green\` or \`purple\` changes this page
- \`save\` writes a file, and asks you first
- \`bells\` keeps watch for a few turns, which gives you time to steer
- \`story\` talks for a while, so that you can stop it
- \`break\` and \`wait\` call tools that fail or never finish`;

const story = [
  "A steersman does not row, and does not own the ship. The work is to look ahead, to feel how the hull answers, and to",
  "make many small corrections before a large one is needed.",
  "\n\nThe ship in this story left the harbour before dawn with a crew of tools: a clock, a pot of paint, a log book.",
  "None of them could do much alone. The clock knew the hour but not the course. The paint could make the sails green,",
  "and did not know why anyone would want that. The log book wrote down what it was told, once someone had agreed to it.",
  "\n\nThen the wind turned. Nobody on board could do anything about the wind, and so each did what was theirs to do. The",
  "clock was read. The sails were painted, because a passenger asked. The log book recorded both, in order, and left out",
  "nothing.",
  "\n\nThere was a moment when the passenger shouted `stop`, and the ship stopped. What had been said until then was kept.",
  "When the passenger spoke again the ship went on, and no one had to explain from the beginning where it was going.",
  "\n\nAt noon the passenger changed their mind about the destination. The steersman nodded, finished the turn that had",
  "been begun, and then took the new course. That is all steering is: the next message arrives between two turns, and",
  "the work that was done is not thrown away.",
  "\n\nIn the evening they made fast in another harbour. The story ends here, because the script has no more pages.",
].join(" ");
