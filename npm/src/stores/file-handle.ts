/** A log in a file that the user has picked (File System Access; Chromium). */
import { SessionError } from "../session/call.js";
import type { TextLog } from "./log.js";

/** What browsers have beyond the types. */
interface Permissions {
  queryPermission?(options: { mode: string }): Promise<PermissionState>;
  requestPermission?(options: { mode: string }): Promise<PermissionState>;
}

/**
 * A log in a file. Every commit writes a copy of the file and puts it in place, so that it is there whole or not at all;
 * for long sessions the browser's own storage is faster. A file that somebody else has changed meanwhile is not written
 * (`fenced`), nor one that was removed (`gone`). Where the permission is gone, as after a reload, it is asked for, which
 * needs a click (`blocked` without).
 *
 * @param name of the file among all that are written so; one at a time is
 */
export function fileHandleLog(handle: FileSystemFileHandle, name = handle?.name): TextLog {
  let size = 0;
  const current = () =>
    handle.getFile().catch((cause) => {
      throw cause?.name === "NotFoundError" ? new SessionError("gone", undefined, { cause }) : cause;
    });
  const write = async (act: (file: FileSystemWritableFileStream) => Promise<void>, length: number) => {
    await permit(handle);
    const locks = globalThis.navigator?.locks;
    // Of copies that several pages write at once, browsers keep the last.
    await (locks ? locks.request(`steersman:file:${name}`, () => replace(act)) : replace(act));
    size = length;
  };
  const replace = async (act: (file: FileSystemWritableFileStream) => Promise<void>) => {
    if ((await current()).size !== size) throw new SessionError("fenced");
    const file = await handle.createWritable({ keepExistingData: true });
    try {
      await act(file);
      await file.close();
    } catch (thrown) {
      await file.abort().catch(() => {});
      throw thrown;
    }
  };
  return {
    async read() {
      const file = await current();
      size = file.size;
      return file.text();
    },
    append(text) {
      const data = new TextEncoder().encode(text);
      return write((file) => file.write({ type: "write", position: size, data }), size + data.length);
    },
    truncate: (bytes) => write((file) => file.truncate(bytes), bytes),
  };
}

async function permit(handle: FileSystemFileHandle & Permissions): Promise<void> {
  const mode = { mode: "readwrite" };
  if (((await handle.queryPermission?.(mode)) ?? "granted") === "granted") return;
  const answer = await handle.requestPermission?.(mode).catch(() => "denied");
  if (answer !== "granted") throw new SessionError("blocked");
}
