/** A provider or server: what the user chose and typed. */
export interface EndpointSettings {
  /** Of `providers.ts`. */
  provider: string;
  /** Without `/chat/completions`, usually ending in `/v1`. */
  baseUrl: string;
  model: string;
  /** Empty for local servers that want none. */
  key: string;
}

const storageKey = "steersman-demo-endpoint";

/** Where remembered settings are, in words for the user. */
export const whereRemembered = "the localStorage of this browser, readable by every script of this site";

/** Puts the settings, key included, into localStorage. Only when the user has asked for it. */
export function remember(settings: EndpointSettings): void {
  localStorage.setItem(storageKey, JSON.stringify(settings));
}

export function forget(): void {
  localStorage.removeItem(storageKey);
}

export function remembered(): EndpointSettings | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "null");
    if (typeof stored !== "object" || stored === null) return undefined;
    const given = stored as Partial<Record<keyof EndpointSettings, unknown>>;
    const { provider = "custom", baseUrl = "", model = "", key = "" } = given;
    return { provider: String(provider), baseUrl: String(baseUrl), model: String(model), key: String(key) };
  } catch {
    // No storage in this context, or something else was stored under that name.
    return undefined;
  }
}

/**
 * Repairs what people paste, and says what is wrong with the rest.
 *
 * @throws Error with a text for the user
 */
export function checked(given: EndpointSettings): EndpointSettings {
  const baseUrl = given.baseUrl
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "");
  if (!isWebAddress(baseUrl)) {
    throw new Error(
      "The base URL must begin with http:// or https://, for example https://api.openai.com/v1",
    );
  }
  const model = given.model.trim();
  if (model === "") throw new Error("Which model? The endpoint needs a name, for example gpt-4o-mini.");
  return { provider: given.provider, baseUrl, model, key: given.key.trim() };
}

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
