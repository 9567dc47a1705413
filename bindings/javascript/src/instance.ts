// An instance of the module with its engine. A trap ends the instance, but not the page.

import { RollbookError, closed, storageFull, type ErrorCode } from "./error.js";
import { instantiate, type Engine } from "./glue.js";
import { errorName } from "./kind.js";
import type { AnswerMessage } from "./answer.js";
import type { Settings } from "./calls.js";

/** A file that the module reads and writes. Its opener closes it, even after a trap. */
export interface StoreFile {
  size(): number;
  read(into: Uint8Array, at: number): number;
  write(from: Uint8Array, at: number): number;
  truncate(size: number): void;
  flush(): void;
}

/** The place where a store is saved: a file, or the memory of its instance. */
export type Place = StoreFile | "memory";

export class Instance {
  readonly #module: WebAssembly.Module;
  readonly #place: Place;
  readonly #settings: Settings;
  #engine: Engine | undefined;
  #failed: RollbookError | undefined;
  /** The number of engines that ended. Sessions of an earlier engine are no longer valid. */
  #number = 0;

  constructor(module: WebAssembly.Module, place: Place, settings: Settings) {
    this.#module = module;
    this.#place = place;
    this.#settings = settings;
    this.#engine = this.#open();
  }

  get number(): number {
    return this.#number;
  }

  /**
   * Calls `work` with the engine. If the module traps, the instance is dropped. The next call opens
   * the file with a new instance, which finds everything that was committed.
   */
  run<T>(work: (engine: Engine) => T): T {
    if (this.#failed !== undefined) throw this.#failed;
    try {
      this.#engine ??= this.#open();
      return work(this.#engine);
    } catch (thrown) {
      const error = toError(thrown);
      if (error.code === "crashed") {
        this.#engine = undefined;
        this.#number += 1;
        // A store in the memory of the instance is lost.
        if (this.#place === "memory") this.#failed = lost(error);
      }
      throw error;
    }
  }

  /** Closes the store. The file remains open until its opener closes it. */
  close(): void {
    if (this.#failed?.code === "closed") return;
    const engine = this.#engine;
    this.#engine = undefined;
    this.#number += 1;
    this.#failed = closed();
    try {
      engine?.close();
    } catch (thrown) {
      throw toError(thrown);
    }
  }

  #instantiate(): ReturnType<typeof instantiate> {
    try {
      return instantiate(this.#module);
    } catch (cause) {
      const text = `rollbook.wasm could not be started (${String(cause)})`;
      const remedy =
        "serve it from the same version of the package as the scripts, and close other pages if " +
        "the memory of the device is exhausted";
      throw new RollbookError("unsupported", `${text}: ${remedy}`, { cause });
    }
  }

  #open(): Engine {
    const { Engine, Settings } = this.#instantiate();
    const settings = new Settings();
    Object.assign(settings, this.#settings);
    try {
      return this.#place === "memory"
        ? Engine.memory(settings)
        : Engine.open(withTextErrors(this.#place), settings);
    } catch (thrown) {
      throw toError(thrown);
    }
  }
}

/** Wraps a file so that its errors are texts, which the module passes on. */
function withTextErrors(file: StoreFile): StoreFile {
  const wrap =
    <A extends unknown[], T>(work: (...given: A) => T) =>
    (...given: A): T => {
      try {
        return work(...given);
      } catch (thrown) {
        throw describe(thrown);
      }
    };
  return {
    size: wrap(() => file.size()),
    read: wrap((into: Uint8Array, at: number) => file.read(into, at)),
    write: wrap((from: Uint8Array, at: number) => file.write(from, at)),
    truncate: wrap((size: number) => file.truncate(size)),
    flush: wrap(() => file.flush()),
  };
}

function describe(thrown: unknown): string {
  return errorName(thrown) === "QuotaExceededError" ? storageFull : String(thrown);
}

/** Converts what the module throws: `code`, a line feed and a text. All else is a trap. */
function toError(thrown: unknown): RollbookError {
  if (thrown instanceof RollbookError) return thrown;
  if (typeof thrown === "string") {
    const end = thrown.indexOf("\n");
    return new RollbookError(thrown.slice(0, end) as ErrorCode, thrown.slice(end + 1));
  }
  return new RollbookError(
    "crashed",
    `the module stopped (${String(thrown)}), and committed changes are not lost: try again; ` +
      "if it stops again, run verify or load the data again",
    { cause: thrown },
  );
}

function lost(error: RollbookError): RollbookError {
  return new RollbookError(
    "crashed",
    "the module stopped, and its data in memory is lost: call Rollbook.memory() again",
    { cause: error },
  );
}

/** Copies an answer out of the memory of the module, which calls `put`. */
export class Sink {
  answer: AnswerMessage | undefined;

  put(status: number, allow: string | undefined, bytes: Uint8Array): void {
    this.answer = { status, allow, bytes: bytes.slice() as Uint8Array<ArrayBuffer> };
  }
}
