// An instance of the module with its engine. A trap ends the instance, not the page.

import { RollbookError, closed, type ErrorCode } from "./error.js";
import { instantiate, type Engine } from "./glue.js";
import type { AnswerMessage } from "./answer.js";
import type { Settings } from "./calls.js";

/**
 * A file that the module reads and writes. Whoever opened it closes it, whatever
 * becomes of the module.
 */
export interface StoreFile {
  size(): number;
  read(into: Uint8Array, at: number): number;
  write(from: Uint8Array, at: number): number;
  truncate(size: number): void;
  flush(): void;
}

/** Where a store lies: in a file, or in the memory of its instance. */
export type Place = StoreFile | "memory";

export class Instance {
  readonly #module: WebAssembly.Module;
  readonly #place: Place;
  readonly #settings: Settings;
  #engine: Engine | undefined;
  #failed: RollbookError | undefined;
  /** Counts the engines: what belongs to one before is gone. */
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
   * Works on the engine. If the module traps, the instance is dropped; the next call
   * opens the file with a fresh one, which finds what was committed.
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
        // What lay in the instance's memory went with it.
        if (this.#place === "memory") this.#failed = lost(error);
      }
      throw error;
    }
  }

  /** Closes the store. The file stays open: it belongs to whoever opened it. */
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

  #open(): Engine {
    const { Engine, Settings } = instantiate(this.#module);
    const settings = new Settings();
    Object.assign(settings, this.#settings);
    try {
      return this.#place === "memory"
        ? Engine.memory(settings)
        : Engine.open(described(this.#place), settings);
    } catch (thrown) {
      throw toError(thrown);
    }
  }
}

/** A file whose errors are texts: the module passes them on. */
function described(file: StoreFile): StoreFile {
  const telling =
    <A extends unknown[], T>(work: (...given: A) => T) =>
    (...given: A): T => {
      try {
        return work(...given);
      } catch (thrown) {
        throw describe(thrown);
      }
    };
  return {
    size: telling(() => file.size()),
    read: telling((into: Uint8Array, at: number) => file.read(into, at)),
    write: telling((from: Uint8Array, at: number) => file.write(from, at)),
    truncate: telling((size: number) => file.truncate(size)),
    flush: telling(() => file.flush()),
  };
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error || thrown instanceof DOMException)) return String(thrown);
  return thrown.name === "QuotaExceededError"
    ? "the browser's storage for this site is full"
    : `${thrown.name}: ${thrown.message}`;
}

/** The module throws `code`, a line feed and a text; all else is a trap. */
function toError(thrown: unknown): RollbookError {
  if (thrown instanceof RollbookError) return thrown;
  if (typeof thrown === "string") {
    const end = thrown.indexOf("\n");
    return new RollbookError(thrown.slice(0, end) as ErrorCode, thrown.slice(end + 1));
  }
  return new RollbookError(
    "crashed",
    `the module stopped (${String(thrown)}), and what was committed before is kept: try again, ` +
      "and if it stops again run verify, or load the data anew",
    { cause: thrown },
  );
}

function lost(error: RollbookError): RollbookError {
  return new RollbookError(
    "crashed",
    "the module stopped, and what it held in memory is gone: call Rollbook.memory() anew",
    { cause: error },
  );
}

/** Takes an answer out of the module's memory. */
export class Sink {
  taken: AnswerMessage | undefined;

  put(status: number, allow: string | undefined, bytes: Uint8Array): void {
    this.taken = { status, allow, bytes: bytes.slice() as Uint8Array<ArrayBuffer> };
  }
}
