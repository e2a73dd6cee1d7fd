/** `steersman/models`: the catalogue of models, what requests cost, and the models of a server. Loads no wasm. */
export { calculateCost, getModel, getModels, getProviders } from "../models/catalog.js";
export { type DiscoverOptions, discoverModels } from "../models/discover.js";
