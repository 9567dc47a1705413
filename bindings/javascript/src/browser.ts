// Opens stores in a browser: in the origin's private file system, or in memory.

import { RollbookError } from "./error.js";
import { Instance } from "./instance.js";
import { compile, type ModuleSource } from "./module.js";
import { names } from "./locks.js";
import { RELEASE_TIMEOUT, deleteStore, missingFeature } from "./opfs.js";
import { WorkerHost } from "./remote.js";
import { Engine, type Options } from "./rollbook.js";
import { LocalHost } from "./service.js";

/** The parts of the package whose addresses it cannot determine without a bundler. */
export interface Parts {
  /** The module `rollbook.wasm`: its URL, a response, its bytes, or the compiled module. */
  readonly module: ModuleSource;
  /** Creates a worker from `rollbook/worker`. Only `open` needs it. */
  readonly worker?: () => Worker;
}

/** Opens engines. */
export class Opener {
  readonly #parts: () => Parts | undefined;
  #module: Promise<WebAssembly.Module> | undefined;

  /** @internal */
  constructor(parts: () => Parts | undefined) {
    this.#parts = parts;
  }

  /**
   * Opens the store of this name in the browser, and creates it if it does not exist. All tabs of
   * the site share the store. The browser is asked not to delete it: `persisted` is true if the
   * browser agrees.
   *
   * Fails as `no_storage` if the browser has no private file system or does not allow it in private
   * mode, and as `corrupt`, `newer_format` or `io` if the store cannot be read.
   */
  async open(name: string, options: Options = {}): Promise<Engine> {
    const missing = missingFeature();
    if (missing !== undefined) throw missing;
    const { worker } = this.#requireParts();
    if (worker === undefined) throw uninitialised("a worker");
    const [module, persisted] = await Promise.all([this.#compiled(), persist()]);
    const { clock: _, ...settings } = options;
    const host = await WorkerHost.open(worker(), name, module, settings);
    return new Engine(host, options, persisted);
  }

  /** Opens an empty store in the memory of this page. Closing the engine discards its data. */
  async memory(options: Options = {}): Promise<Engine> {
    const { clock: _, ...settings } = options;
    const instance = new Instance(await this.#compiled(), "memory", settings);
    return new Engine(new LocalHost(instance), options, false);
  }

  /**
   * Deletes the store of this name and every record in it. Deleting a store that does not exist is
   * not an error. Fails as `already_open` if the store is open in this tab or in another one.
   */
  async delete(name: string): Promise<void> {
    const missing = missingFeature();
    if (missing !== undefined) throw missing;
    // An engine that was just closed may still hold the lock.
    const signal = AbortSignal.timeout(RELEASE_TIMEOUT);
    try {
      await navigator.locks.request(names(name).store, { signal }, () => deleteStore(name));
    } catch (cause) {
      if (!signal.aborted || cause !== signal.reason) throw cause;
      const text = `${name} is already open: close its engines, also in other tabs, first`;
      throw new RollbookError("already_open", text, { cause });
    }
  }

  async #compiled(): Promise<WebAssembly.Module> {
    this.#module ??= compile(this.#requireParts().module);
    try {
      return await this.#module;
    } catch (error) {
      this.#module = undefined;
      throw error;
    }
  }

  #requireParts(): Parts {
    const parts = this.#parts();
    if (parts === undefined) throw uninitialised("the module");
    return parts;
  }
}

function uninitialised(what: string): RollbookError {
  return new RollbookError("bad_argument", `${what} is missing: call initialise({ module, worker })`);
}

/** Asks the browser not to delete the site's data until the user does. Returns its decision. */
async function persist(): Promise<boolean> {
  try {
    const { storage } = navigator;
    // A worker has no `persist`: only a page may ask.
    return (await storage.persisted()) || (await storage.persist?.()) === true;
  } catch {
    return false;
  }
}
