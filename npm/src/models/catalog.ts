import { costOf } from "../cost.js";
import type { Model, ModelCost, Usage } from "../types.js";
import data from "./catalog.json" with { type: "json" };

/** A model in the compact form; scripts/catalog.mjs says what each place holds. */
type Row = [
  id: string,
  name: string,
  shape: number,
  contextWindow: number,
  maxTokens: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  tiers?: NonNullable<ModelCost["tiers"]>,
];
type Shape = Omit<Model, "id" | "name" | "provider" | "cost" | "contextWindow" | "maxTokens">;

const { shapes, providers } = data as unknown as {
  shapes: readonly Shape[];
  providers: { readonly [provider: string]: readonly Row[] };
};

/** Every call makes new objects, which the application may change. */
function expand(provider: string, row: Row): Model {
  const [id, name, shape, contextWindow, maxTokens, input, output, cacheRead, cacheWrite, tiers] = row;
  const cost: ModelCost = { input, output, cacheRead, cacheWrite };
  if (tiers) cost.tiers = structuredClone(tiers);
  return {
    id,
    name,
    provider,
    type: "chat",
    ...structuredClone(shapes[shape] as Shape),
    cost,
    contextWindow,
    maxTokens,
  };
}

const rowsOf = (provider: string): readonly Row[] =>
  Object.hasOwn(providers, provider) ? (providers[provider] as readonly Row[]) : [];

/** The ids of the providers in the catalogue. */
export function getProviders(): string[] {
  return Object.keys(providers);
}

/** The models of a provider, or of all of them; none for a provider that is not in the catalogue. */
export function getModels(provider?: string): Model[] {
  const names = provider === undefined ? getProviders() : [provider];
  return names.flatMap((name) => rowsOf(name).map((row) => expand(name, row)));
}

/**
 * A model of the catalogue, or undefined when it is not there (a model object may always be written by hand).
 *
 * @param provider for example `anthropic`
 * @param id what the provider calls the model
 */
export function getModel(provider: string, id: string): Model | undefined {
  const row = rowsOf(provider).find(([name]) => name === id);
  return row && expand(provider, row);
}

/**
 * What a usage costs at the prices of a model, in US dollars. The result is also set as `usage.cost`.
 *
 * Input is all that was read, cached or not, when it selects a price tier.
 */
export function calculateCost(model: Pick<Model, "cost">, usage: Usage): Usage["cost"] {
  usage.cost = costOf(usage, model.cost);
  return usage.cost;
}
