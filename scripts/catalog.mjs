// Makes the model catalogue of `steersman/models` from ../shared/models/catalog.json: `node scripts/catalog.mjs`.
// The result is committed; only a newer catalogue needs another run.
//
// Compact form: what many models have in common (api, address, flags, ...) stands once in `shapes`; a model is a row
// [id, name, index of its shape, context window, output limit, input, output, cacheRead, cacheWrite, tiers?].
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliSize, isMain, root, sharedDir } from "./common.mjs";

export const catalogFile = join(root, "npm/src/models/catalog.json");

/** The compact form of `{ provider: [model, ...] }`. */
export function compact(source) {
  const shapes = new Map();
  const providers = {};
  for (const [provider, models] of Object.entries(source)) {
    providers[provider] = models.map((model) => {
      const { id, name, cost, contextWindow, maxTokens, provider: named, type, ...shape } = model;
      if (named !== provider || type !== "chat")
        throw new Error(`${provider}/${id} is no chat model of ${provider}`);
      const { input, output, cacheRead, cacheWrite, tiers, ...more } = cost;
      if (Object.keys(more).length > 0)
        throw new Error(`${provider}/${id}: unknown prices ${Object.keys(more)}`);
      const key = JSON.stringify(
        Object.fromEntries(Object.entries(shape).sort(([a], [b]) => (a < b ? -1 : 1))),
      );
      if (!shapes.has(key)) shapes.set(key, { index: shapes.size, shape });
      const row = [
        id,
        name,
        shapes.get(key).index,
        contextWindow,
        maxTokens,
        input,
        output,
        cacheRead,
        cacheWrite,
      ];
      return tiers ? [...row, tiers] : row;
    });
  }
  return { shapes: [...shapes.values()].map(({ shape }) => shape), providers };
}

/** A row per line, so that a change can be read. */
function write({ shapes, providers }) {
  const lines = (items) => items.map((item) => JSON.stringify(item)).join(",\n");
  const rows = Object.entries(providers).map(
    ([name, models]) => `${JSON.stringify(name)}: [\n${lines(models)}\n]`,
  );
  return `{"shapes": [\n${lines(shapes)}\n],\n"providers": {\n${rows.join(",\n")}\n}}\n`;
}

if (isMain(import.meta.url)) {
  const shared = sharedDir();
  if (!shared) throw new Error("no ../shared here: the catalogue is made from shared/models/catalog.json");
  const made = compact(JSON.parse(readFileSync(join(shared, "models/catalog.json"), "utf8")));
  const text = write(made);
  writeFileSync(catalogFile, text);
  const count = Object.values(made.providers).flat().length;
  console.log(
    `${count} models, ${made.shapes.length} shapes, ${text.length} bytes, ${brotliSize(Buffer.from(text))} brotli`,
  );
}
