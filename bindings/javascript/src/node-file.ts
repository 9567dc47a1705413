// A store's file in Node.

import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { RollbookError } from "./error.js";
import type { StoreFile } from "./instance.js";
import { LockFile } from "./lock-file.js";

/** An open file of Node's. A new one is written beside its path until it is a store. */
export class NodeFile implements StoreFile {
  readonly #path: string;
  readonly #file: number;
  readonly #lock: LockFile;
  readonly #unlock = (): void => this.#lock.release();
  /** Its path until it is a store, if it is new. */
  #part: string | undefined;
  #isClosed = false;

  /** Opens a store's file, alone. */
  constructor(path: string) {
    this.#lock = new LockFile(path);
    try {
      this.#path = path;
      if (!fs.existsSync(path)) {
        this.#part = join(dirname(path), `rollbook-${crypto.randomUUID()}.part`);
      }
      this.#file = fs.openSync(this.#part ?? path, this.#part === undefined ? "r+" : "wx+", 0o600);
    } catch (cause) {
      this.#lock.release();
      throw new RollbookError("io", `${path} could not be opened (${String(cause)})`, { cause });
    }
    process.once("exit", this.#unlock);
    if (this.#part === undefined && this.size() === 0) {
      this.close();
      throw new RollbookError(
        "not_a_store",
        `${path} is no Rollbook store: give another path, or remove the file`,
      );
    }
  }

  /** Gives a new file its name, now that it is a store. */
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
      // A folder that cannot be synced leaves that to the system.
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
