import { getCurrentTools, type Model, type StreamFn } from "steersman";
import { Reply } from "steersman/adapters/generator";
import { getTime } from "../../tools/get-time.js";
import { saveFile } from "../../tools/save-file.js";
import { setColor } from "../../tools/set-color.js";
import { springALeak, waitForWind } from "../../tools/trouble.js";
import { type Brain, localModel } from "../brain.js";
import { nextSteps, type Step } from "./scenes.js";
import { summaryOf } from "./summary.js";

/** Milliseconds between two words, so that streaming can be seen. */
const pace = 30;

/** A brain that needs nothing: it looks for words and plays prepared steps. It says so whenever it is asked. */
export const scripted: Brain = {
  id: "scripted",
  name: "Scripted demo",
  about: "Prepared answers to a few words. No model, no network; shows what the agent does with tools.",
  // So small that older messages are soon summarised, which is part of the demonstration.
  model: localModel("script", "Scripted demo", "scripted", 4000),
  tools: [getTime, setColor, saveFile, springALeak, waitForWind],
  examples: [
    "What time is it?",
    "Make the page green",
    "Keep watch for three bells",
    "Save the log book",
    "Who are you?",
  ],
  stream: ((model: Model, context, options) => {
    const reply = new Reply(model);
    const { messages, tools = getCurrentTools(messages) } = context;
    // Whoever asks without tools wants words only: a summary.
    const steps = tools.length > 0 ? nextSteps(messages) : [{ say: summaryOf(messages) }];
    void play(reply, steps, options?.signal);
    return reply.stream;
  }) satisfies StreamFn,
};

async function play(reply: Reply, steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
  try {
    for (const step of steps) {
      if ("call" in step) {
        reply.call(crypto.randomUUID(), step.call);
        for (const piece of pieces(JSON.stringify(step.arguments))) {
          await pause(signal);
          reply.callArguments(piece);
        }
      } else {
        const write = "think" in step ? reply.thinking.bind(reply) : reply.text.bind(reply);
        for (const word of pieces("think" in step ? step.think : step.say)) {
          await pause(signal);
          write(word);
        }
      }
    }
    reply.finish();
  } catch (error) {
    // The only thing that can be thrown is the abort.
    reply.fail(error, true);
  }
}

/** Words with the space that follows them. */
const pieces = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, pace);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
