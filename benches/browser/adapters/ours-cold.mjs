// The same without `init`: the first prompt finds nothing loaded.
import { Agent, streamSimple } from "steersman";
import { listening, optionsOf } from "./agent.mjs";

export default {
  async load() {},
  prepare: (job) => listening(new Agent({ ...optionsOf(job), streamFn: streamSimple }), job),
};
