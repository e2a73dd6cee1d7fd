// A shop whose tool `pay` asks before it runs, for the tests of approvals.
import { Agent } from "steersman";
import { call, model, scripted, toolOf } from "./scripted.mjs";
import { recorder } from "./time.mjs";

export const never = () => new Promise(() => {});
export const last = (agent) => agent.state.messages.at(-1);
export const results = (agent) => agent.state.messages.filter((message) => message.role === "toolResult");
export const amount = { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] };

/**
 * An agent whose tool `pay` asks, and whose tool `look` does not.
 *
 * @returns `ran`: what the tools were started with; `requests`: what was asked
 */
export function shop(answers, { approval = true, onRequest = () => {}, tools = [], ...options } = {}) {
  const ran = [];
  const requests = [];
  const run = (name) => (id, args, _signal, _onUpdate, exact) => {
    ran.push([name, id, args, ...(exact ? [exact.argumentsText] : [])]);
    return `${name} ${JSON.stringify(args)}`;
  };
  const pay = toolOf("pay", run("pay"), { label: "Pay", parameters: amount, approval });
  const streamFn = scripted(answers);
  const agent = new Agent({
    initialState: { model, tools: [pay, toolOf("look", run("look")), ...tools] },
    ...{ streamFn, ...options },
  });
  const { events, listener } = recorder();
  agent.subscribe(listener);
  agent.subscribe((event) => {
    if (event.type !== "tool_approval_request") return undefined;
    requests.push(event);
    return onRequest(event, agent);
  });
  return { agent, streamFn, events, ran, requests };
}

export const payment = [[call("k1", "pay", { amount: 5 })], "end"];
export const tools = (events) => events.filter((event) => /^(execution|approval)/.test(event));
