// This package as an application uses it: an agent, a listener, the built-in wire.
import { Agent, init, streamSimple } from "steersman";
import { listening, optionsOf } from "./agent.mjs";

export default {
  load: () => init(),
  prepare: (job) => listening(new Agent({ ...optionsOf(job), streamFn: streamSimple }), job),
};
