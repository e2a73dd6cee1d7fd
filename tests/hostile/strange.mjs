// Every strange value in every slot: each run must end in order, whatever it makes of the value.
import { goesOn } from "./matrix.mjs";
import { grammar, settled, show, unhandledRejections } from "./observe.mjs";
import { slots } from "./slots.mjs";
import { values } from "./values.mjs";
import { World } from "./world.mjs";

async function play(steersman, slot, value) {
  const world = new World(steersman);
  slot.fill(world, value);
  const agent = world.make();
  const outcome = await settled(agent.prompt(world.prompt), "prompt()");
  if (!outcome.ok) throw new Error(`prompt() rejected: ${show(outcome.error)}`);
  const problems = grammar(world.events, world.signals, world);
  if (problems.length > 0) throw new Error(problems.join("; "));
  if (show(agent.state.errorMessage).includes("engine crashed")) throw new Error(agent.state.errorMessage);
  if (agent.state.isStreaming) throw new Error("the state says that a run is in progress");
  agent.state.messages = [];
  agent.state.tools = [];
  agent.state.model = world.state.model;
  agent.identity = undefined;
  world.listener = () => {};
  await goesOn(agent, world);
  const rejections = await unhandledRejections();
  if (rejections.length > 0) throw new Error(`unhandled: ${rejections.map(show).join("; ")}`);
}

/** @returns how many runs passed, and what failed, by name */
export async function strangeValues({ steersman, realm }, log) {
  const all = Object.entries(values(steersman, realm));
  all.forEach(([name], i) => log(`${letter(i)}  ${name}`));
  const failures = [];
  let passed = 0;
  for (const slot of slots) {
    let row = "";
    for (const [name, value] of all) {
      try {
        await play(steersman, slot, value);
        passed++;
        row += ".";
      } catch (error) {
        failures.push({ name: `${slot.name}: ${name}`, detail: show(error) });
        await unhandledRejections();
        row += "X";
      }
    }
    log(`${row}  ${slot.name}`);
  }
  return { passed, failures };
}

/** a to z, then A to Z. */
const letter = (i) => String.fromCharCode(i < 26 ? 97 + i : 65 + i - 26);
