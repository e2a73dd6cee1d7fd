// The same, read with `for await` in place of a listener.
import { Agent, init, streamSimple } from "steersman";
import { optionsOf, pass, succeeded } from "./agent.mjs";

export default {
  load: () => init(),

  prepare(job) {
    const agent = new Agent({ ...optionsOf(job), streamFn: streamSimple });
    return async (onDelta) => {
      for await (const event of agent.stream(job.prompt)) pass(event, onDelta);
      succeeded(agent);
    };
  },
};
