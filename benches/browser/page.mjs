// The measured page: one prompt with one adapter.
//
// An adapter is the default export of a module:
//   async load()     what a page does once before its first request; timed apart
//   prepare(job)     makes the agent; not timed. Gives `run(onDelta)`: sends the prompt, works off the tool calls,
//                    resolves when the model has stopped, throws on any error. Every delta of the provider must
//                    arrive as one call onDelta("text" | "args", piece).
//   job: { baseUrl, model, apiKey, system, prompt, tools: [{ name, description, parameters, run(args) }] }

/** Memories of the wasm instances that are made from here on, while they live: the counter of the JS heap does not see them. */
const memories = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, args) {
    const instance = Reflect.construct(target, args);
    for (const value of Object.values(instance.exports)) {
      if (value instanceof WebAssembly.Memory) memories.push(new WeakRef(value));
    }
    return instance;
  },
});
const wasmBytes = () =>
  memories.reduce((total, memory) => total + (memory.deref()?.buffer.byteLength ?? 0), 0);
const usedBytes = () => performance.memory.usedJSHeapSize + wasmBytes();

const tool = (seen) => ({
  name: "write_file",
  description: "Writes a text file.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Where the file goes" },
      content: { type: "string", description: "The whole text" },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  run({ content }) {
    seen.toolCalls++;
    seen.toolChars += content.length;
    return `${content.length} characters written`;
  },
});

/** Watches for tasks that keep the page from reacting; `stop()` gives the longest, in milliseconds, 0 for none. */
function watchLongTasks() {
  let longest = 0;
  const take = (list) => {
    for (const { duration } of list) longest = Math.max(longest, duration);
  };
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ type: "longtask" });
  return {
    stop() {
      take(observer.takeRecords());
      observer.disconnect();
      return longest;
    },
  };
}

/** Samples memory, often; only in runs whose time does not count. `stop()` gives the highest value. */
function watchMemory() {
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, usedBytes());
  };
  const timer = setInterval(sample, 4);
  return {
    sample,
    stop() {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}

let adapter;
let run;
let seen;

globalThis.bench = {
  /** Import and start the adapter. */
  async load(url) {
    adapter = (await import(url)).default;
    await adapter.load();
  },

  async prepare(model) {
    seen = { text: 0, textChars: 0, args: 0, argsChars: 0, toolCalls: 0, toolChars: 0 };
    run = adapter.prepare({
      baseUrl: `${location.origin}/v1`,
      model,
      apiKey: "none-needed",
      system: "You are a helpful assistant.",
      prompt: "Please do the job.",
      tools: [tool(seen)],
    });
    // What loading left behind is not part of the prompt.
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  },

  /** The measured part. `memory`: sample memory too, which costs time. */
  async run(memory) {
    const start = usedBytes();
    const heap = memory ? watchMemory() : undefined;
    const tasks = watchLongTasks();
    let count = 0;
    const onDelta = (kind, piece) => {
      // Some agents pass on the empty piece that opens a tool call.
      if (piece === "") return;
      if (kind === "text") {
        seen.text++;
        seen.textChars += piece.length;
      } else {
        seen.args++;
        seen.argsChars += piece.length;
      }
      if (heap && ++count % 256 === 0) heap.sample();
    };
    const begin = performance.now();
    await run(onDelta);
    const wallMs = performance.now() - begin;
    // Some work is put off to timers and idle time; it belongs to the run.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const longTaskMs = tasks.stop();
    return {
      wallMs,
      longTaskMs,
      seen,
      wasmBytes: wasmBytes(),
      peakBytes: heap ? heap.stop() - start : undefined,
    };
  },
};
