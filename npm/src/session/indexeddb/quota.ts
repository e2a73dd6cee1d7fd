/** How much room there is. */

/** Bytes of this origin, and bytes it may have. 0: the browser does not tell. */
export interface StorageEstimate {
  usage: number;
  quota: number;
}

const storage = (): StorageManager | undefined => globalThis.navigator?.storage;

export async function estimate(): Promise<StorageEstimate> {
  try {
    const { usage = 0, quota = 0 } = (await storage()?.estimate()) ?? {};
    return { usage, quota };
  } catch {
    return { usage: 0, quota: 0 };
  }
}

/** Asks the browser to keep what is stored when room gets short. Whether it will. */
export async function persist(): Promise<boolean> {
  try {
    return (await storage()?.persisted?.()) || (await storage()?.persist?.()) || false;
  } catch {
    return false;
  }
}
