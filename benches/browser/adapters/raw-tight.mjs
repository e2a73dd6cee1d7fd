// See raw.mjs. No generator, hence no microtasks per event, and no list of lines per chunk.
import { rawAdapter } from "./raw.mjs";

async function readTight(body, onEvent) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const text = rest + decoder.decode(value, { stream: true });
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      if (text.startsWith("data: ", from)) {
        const data = text.slice(from + 6, end);
        if (data === "[DONE]") return;
        onEvent(JSON.parse(data));
      }
      from = end + 1;
    }
    rest = text.slice(from);
  }
}

export default rawAdapter(readTight);
