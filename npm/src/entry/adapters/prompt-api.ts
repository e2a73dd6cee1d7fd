/** `steersman/adapters/prompt-api`: a stream function of the model that is built into the browser. Loads no wasm. */
export {
  type LanguageModelLike,
  type PromptApiAvailability,
  type PromptApiOptions,
  promptApi,
  promptApiAvailability,
  promptApiModel,
} from "../../adapters/prompt-api.js";
