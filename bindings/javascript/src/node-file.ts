// A store's file in Node.

import * as fs from "node:fs";
import { RollbookError } from "./error.js";
import type { StoreFile } from "./instance.js";
import { LockFile } from "./lock-file.js";

/** An open file of Node's. */
export class NodeFile implements StoreFile {
  readonly #path: string;
  readonly #file: number;
  readonly #lock: LockFile;
  readonly #unlock = (): void => this.#lock.release();
  #isClosed = false;

  /** Opens a store's file, alone. */
  constructor(path: string) {
    this.#lock = new LockFile(path);
    try {
      this.#path = path;
      this.#file = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    } catch (cause) {
      this.#lock.release();
      throw new RollbookError("io", `${path} could not be opened (${String(cause)})`, { cause });
    }
    process.once("exit", this.#unlock);
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
