// The file of a store in Node.

import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { RollbookError } from "./error.js";
import type { StoreFile } from "./instance.js";
import { LockFile } from "./lock-file.js";
import { cannotOpen, isFolder } from "./open-failure.js";

/** An open file of a store. A new file has a temporary path until it is a complete store. */
export class NodeFile implements StoreFile {
  readonly #path: string;
  readonly #file: number;
  readonly #lock: LockFile;
  readonly #unlock = (): void => this.#lock.release();
  /** The temporary path of a new file. */
  #part: string | undefined;
  #isClosed = false;

  /** Opens the file of a store for this process alone. */
  constructor(path: string) {
    if (isFolder(path)) throw cannotOpen(path, new Error("it is a folder"));
    this.#lock = new LockFile(path);
    try {
      this.#path = path;
      // A symbolic link that leads to no file is not replaced by a store.
      if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) {
        this.#part = join(dirname(path), `rollbook-${crypto.randomUUID()}.part`);
      }
      this.#file = fs.openSync(this.#part ?? path, this.#part === undefined ? "r+" : "wx+", 0o600);
    } catch (cause) {
      this.#lock.release();
      throw cannotOpen(path, cause);
    }
    process.once("exit", this.#unlock);
    if (this.#part === undefined && this.size() === 0) {
      this.close();
      throw new RollbookError(
        "not_a_store",
        `${path} is not a Rollbook store: give another path, or remove the file`,
      );
    }
  }

  /** Moves a new file to its path, after it has become a complete store. */
  publish(): void {
    if (this.#part === undefined) return;
    try {
      fs.linkSync(this.#part, this.#path);
      fs.unlinkSync(this.#part);
    } catch (cause) {
      throw new RollbookError("io", `${this.#path} could not be made (${String(cause)})`, {
        cause,
      });
    }
    this.#part = undefined;
    try {
      const folder = fs.openSync(dirname(this.#path), "r");
      fs.fsyncSync(folder);
      fs.closeSync(folder);
    } catch {
      // If the folder cannot be synced, the system writes it later.
    }
  }

  size(): number {
    return fs.fstatSync(this.#file).size;
  }

  read(into: Uint8Array, at: number): number {
    return fs.readSync(this.#file, into, 0, into.byteLength, at);
  }

  write(from: Uint8Array, at: number): number {
    return fs.writeSync(this.#file, from, 0, from.byteLength, at);
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.#file, size);
  }

  flush(): void {
    fs.fdatasyncSync(this.#file);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      fs.closeSync(this.#file);
      if (this.#part !== undefined) fs.rmSync(this.#part, { force: true });
    } catch (cause) {
      throw new RollbookError("io", `${this.#path} could not be closed (${String(cause)})`, {
        cause,
      });
    } finally {
      process.off("exit", this.#unlock);
      this.#lock.release();
    }
  }
}
