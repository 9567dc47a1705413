// The store's file in the origin's private file system.
//
// A store is a folder; the file of the highest number in it is the store. A tab that
// is frozen cannot give its file back, and nobody can take it away. So whoever takes
// over from it copies the file under the next number, and what the frozen tab may
// still write when it wakes goes into a file that nobody reads.

import { RollbookError } from "./error.js";
import type { StoreFile } from "./instance.js";

const STORE = /^(\d+)\.redb$/;
const COPY = 4 << 20;
/** How long a store may still be held by a tab that is being closed: milliseconds. */
export const PATIENCE = 600;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Why there can be no store here, if there cannot. */
export function lacking(): RollbookError | undefined {
  const lacks = (what: string): RollbookError =>
    new RollbookError(
      "no_storage",
      `this browser has no ${what} here: serve the page over https, leave private mode, or ` +
        "call Rollbook.memory(), which keeps nothing",
    );
  if (!globalThis.isSecureContext) return lacks("secure context");
  if (navigator.storage?.getDirectory === undefined) return lacks("private file system");
  if (navigator.locks === undefined) return lacks("Web Locks");
  return undefined;
}

/** An open file of the origin's private file system. */
export class OpfsFile implements StoreFile {
  readonly #handle: FileSystemSyncAccessHandle;

  private constructor(handle: FileSystemSyncAccessHandle) {
    this.#handle = handle;
  }

  /**
   * Opens a store's file, alone. `isHeld` tells whether whoever had it cannot give it
   * back; `stillOurs`, whether nobody has taken over from us.
   */
  static async open(
    name: string,
    isHeld: boolean,
    stillOurs: () => Promise<boolean>,
  ): Promise<OpfsFile> {
    const folder = await storeFolder(name);
    const newest = Math.max(0, ...(await numbers(folder)));
    const file = await folder.getFileHandle(`${Math.max(newest, 1)}.redb`, { create: true });
    const deadline = performance.now() + (isHeld ? 0 : PATIENCE);
    let handle = await tryOpen(file);
    while (handle === undefined && performance.now() < deadline) {
      await pause(20);
      handle = await tryOpen(file);
    }
    if (handle === undefined) {
      const copy = await copyOf(folder, file, newest + 1, stillOurs);
      handle = await copy.createSyncAccessHandle();
    }
    await clear(folder, newest, handle);
    return new OpfsFile(handle);
  }

  size(): number {
    return this.#handle.getSize();
  }

  read(into: Uint8Array<ArrayBuffer>, at: number): number {
    return this.#handle.read(into, { at });
  }

  write(from: Uint8Array<ArrayBuffer>, at: number): number {
    return this.#handle.write(from, { at });
  }

  truncate(size: number): void {
    this.#handle.truncate(size);
  }

  flush(): void {
    this.#handle.flush();
  }

  close(): void {
    this.#handle.close();
  }
}

async function storeFolder(name: string): Promise<FileSystemDirectoryHandle> {
  try {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle("rollbook", { create: true });
    return await all.getDirectoryHandle(encodeURIComponent(name), { create: true });
  } catch (cause) {
    throw new RollbookError(
      "no_storage",
      `this browser gives no private file system here (${String(cause)}): leave private mode, ` +
        "or call Rollbook.memory(), which keeps nothing",
      { cause },
    );
  }
}

/** Deletes a store; nobody may have it open. */
export async function deleteStore(name: string): Promise<void> {
  const folder = await storeFolder(name);
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      for (const entry of await entries(folder)) await folder.removeEntry(entry);
      return;
    } catch (error) {
      if (!isHeldError(error) || performance.now() > deadline) throw error;
      await pause(20);
    }
  }
}

async function entries(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const found: string[] = [];
  for await (const name of folder.keys()) found.push(name);
  return found;
}

/** The numbers of the files that are stores. */
async function numbers(folder: FileSystemDirectoryHandle): Promise<number[]> {
  const numbers = (await entries(folder)).map((name) => STORE.exec(name)?.[1]);
  return numbers.filter((number) => number !== undefined).map(Number);
}

/** Nothing if somebody holds it. */
async function tryOpen(
  file: FileSystemFileHandle,
): Promise<FileSystemSyncAccessHandle | undefined> {
  try {
    return await file.createSyncAccessHandle();
  } catch (error) {
    if (isHeldError(error)) return undefined;
    throw error;
  }
}

/** Whether somebody else holds the file. */
function isHeldError(error: unknown): boolean {
  const name = error instanceof DOMException ? error.name : "";
  return name === "NoModificationAllowedError" || name === "InvalidStateError";
}

/** Copies a file that somebody else holds, as it is between two of his writes. */
async function copyOf(
  folder: FileSystemDirectoryHandle,
  from: FileSystemFileHandle,
  number: number,
  stillOurs: () => Promise<boolean>,
): Promise<FileSystemFileHandle> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const name = `${crypto.randomUUID()}.part`;
    const copy = await folder.getFileHandle(name, { create: true });
    const handle = await copy.createSyncAccessHandle();
    try {
      const isWhole = await copyBytes(await from.getFile(), handle, from);
      handle.close();
      if (isWhole && (await stillOurs())) {
        await copy.move(`${number}.redb`);
        return await folder.getFileHandle(`${number}.redb`);
      }
    } finally {
      handle.close();
      await folder.removeEntry(name).catch(() => undefined);
    }
    if (!(await stillOurs())) break;
    await pause(50);
  }
  throw new RollbookError("busy", "busy: another tab holds the store; try again when it is idle");
}

/** Whether nothing was written to the file meanwhile. */
async function copyBytes(
  from: File,
  to: FileSystemSyncAccessHandle,
  again: FileSystemFileHandle,
): Promise<boolean> {
  try {
    for (let at = 0; at < from.size; at += COPY) {
      const piece = new Uint8Array(await from.slice(at, at + COPY).arrayBuffer());
      to.write(piece, { at });
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotReadableError") return false;
    throw error;
  }
  to.flush();
  const { size, lastModified } = await again.getFile();
  return size === from.size && lastModified === from.lastModified;
}

/** Removes what came before the newest file, and copies that were cut short. */
async function clear(
  folder: FileSystemDirectoryHandle,
  newest: number,
  handle: FileSystemSyncAccessHandle,
): Promise<void> {
  try {
    for (const name of await entries(folder)) {
      const number = STORE.exec(name)?.[1];
      const isOld = number === undefined ? name.endsWith(".part") : Number(number) < newest;
      // One that a frozen tab still holds goes next time.
      if (isOld) await folder.removeEntry(name).catch(() => undefined);
    }
  } catch (error) {
    handle.close();
    throw error;
  }
}
