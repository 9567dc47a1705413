// The file of a store in the origin's private file system.
//
// A store is a folder. The file with the highest number in it is the current one. A frozen tab
// cannot close its file, and no other tab can open that file. Therefore a tab that takes over
// copies the file to one with the next number. What the frozen tab writes after it has woken up
// goes into a file that is no longer read.

import { RollbookError, noStorage } from "./error.js";
import { newId } from "./id.js";
import type { StoreFile } from "./instance.js";
import { errorName } from "./kind.js";

const STORE = /^(\d+)\.redb$/;
const COPY = 4 << 20;
/** How long to wait for a tab that is being closed to release a store: milliseconds. */
export const RELEASE_TIMEOUT = 600;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Fails as `no_storage` if the browser lacks a feature that a store needs. */
export function requireStorage(): void {
  const missing = (what: string): RollbookError => noStorage(`this browser has no ${what} here`);
  if (!globalThis.isSecureContext) throw missing("secure context");
  if (globalThis.Worker === undefined) {
    const text = "a service worker or shared worker cannot open a store: open it in a page";
    throw new RollbookError("no_storage", `${text}, or call Rollbook.memory()`);
  }
  if (navigator.storage?.getDirectory === undefined) throw missing("private file system");
  if (navigator.locks === undefined) throw missing("Web Locks");
}

/** An open file of the origin's private file system. */
export class OpfsFile implements StoreFile {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #name: string;
  readonly #handle: FileSystemSyncAccessHandle;

  private constructor(
    folder: FileSystemDirectoryHandle,
    name: string,
    handle: FileSystemSyncAccessHandle,
  ) {
    this.#folder = folder;
    this.#name = name;
    this.#handle = handle;
  }

  /**
   * Opens the file of a store for this tab alone. `isStolen` says whether the lock of the store was
   * taken from a frozen tab, which cannot close the file, so that waiting for it is useless.
   * `stillOurs` returns whether this tab still has the lock.
   */
  static async open(
    name: string,
    isStolen: boolean,
    stillOurs: () => Promise<boolean>,
  ): Promise<OpfsFile> {
    const folder = await storeFolder(name);
    const newest = Math.max(0, ...(await numbers(folder)));
    let file = await folder.getFileHandle(`${Math.max(newest, 1)}.redb`, { create: true });
    const deadline = performance.now() + (isStolen ? 0 : RELEASE_TIMEOUT);
    let handle = await tryOpen(file);
    while (handle === undefined && performance.now() < deadline) {
      await pause(20);
      handle = await tryOpen(file);
    }
    if (handle === undefined) {
      file = await copyOf(folder, file, newest + 1, stillOurs);
      handle = await file.createSyncAccessHandle();
    }
    await clear(folder, newest, handle);
    return new OpfsFile(folder, file.name, handle);
  }

  /** Returns whether the file still exists. What is written to a removed file is lost. */
  async exists(): Promise<boolean> {
    try {
      await this.#folder.getFileHandle(this.#name);
      return true;
    } catch (error) {
      if (errorName(error) === "NotFoundError") return false;
      throw error;
    }
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
  const all = await (await root()).getDirectoryHandle("rollbook", { create: true });
  return all.getDirectoryHandle(encodeURIComponent(name), { create: true });
}

async function root(): Promise<FileSystemDirectoryHandle> {
  try {
    return await navigator.storage.getDirectory();
  } catch (cause) {
    throw noStorage(`this browser provides no private file system here (${String(cause)})`, cause);
  }
}

/** Deletes a store. No tab may have it open. */
export async function deleteStore(name: string): Promise<void> {
  const folder = await storeFolder(name);
  const deadline = performance.now() + RELEASE_TIMEOUT;
  for (;;) {
    try {
      for (const entry of await entries(folder)) await folder.removeEntry(entry);
      return;
    } catch (error) {
      if (!isInUseError(error) || performance.now() > deadline) throw error;
      await pause(20);
    }
  }
}

async function entries(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const found: string[] = [];
  for await (const name of folder.keys()) found.push(name);
  return found;
}

/** Returns the numbers of the files of a store. */
async function numbers(folder: FileSystemDirectoryHandle): Promise<number[]> {
  const numbers = (await entries(folder)).map((name) => STORE.exec(name)?.[1]);
  return numbers.filter((number) => number !== undefined).map(Number);
}

/** Opens a file. Returns nothing if another tab has it open. */
async function tryOpen(
  file: FileSystemFileHandle,
): Promise<FileSystemSyncAccessHandle | undefined> {
  try {
    return await file.createSyncAccessHandle();
  } catch (error) {
    if (isInUseError(error)) return undefined;
    throw error;
  }
}

/** Returns whether an error means that another tab has the file open. */
export function isInUseError(error: unknown): boolean {
  const name = errorName(error);
  return name === "NoModificationAllowedError" || name === "InvalidStateError";
}

/**
 * Copies a file that another tab has open, in a state between two of its writes. The copy is
 * repeated if the file changes meanwhile.
 */
async function copyOf(
  folder: FileSystemDirectoryHandle,
  from: FileSystemFileHandle,
  number: number,
  stillOurs: () => Promise<boolean>,
): Promise<FileSystemFileHandle> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const name = `${newId()}.part`;
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
  throw new RollbookError("busy", "busy: another tab has the store open; try again when it is idle");
}

/** Copies the bytes of a file. Returns whether the file remained unchanged meanwhile. */
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
    if (errorName(error) === "NotReadableError") return false;
    throw error;
  }
  to.flush();
  const { size, lastModified } = await again.getFile();
  return size === from.size && lastModified === from.lastModified;
}

/** Removes the files before the newest one, and incomplete copies. */
async function clear(
  folder: FileSystemDirectoryHandle,
  newest: number,
  handle: FileSystemSyncAccessHandle,
): Promise<void> {
  try {
    for (const name of await entries(folder)) {
      const number = STORE.exec(name)?.[1];
      const isOld = number === undefined ? name.endsWith(".part") : Number(number) < newest;
      // A file that a frozen tab still has open is removed when the store is opened next.
      if (isOld) await folder.removeEntry(name).catch(() => undefined);
    }
  } catch (error) {
    handle.close();
    throw error;
  }
}
