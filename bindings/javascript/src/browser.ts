// Stores of a browser.

import { RollbookError } from "./error.js";
import { Instance } from "./instance.js";
import { compile, type ModuleSource } from "./module.js";
import { names } from "./locks.js";
import { PATIENCE, deleteStore, lacking } from "./opfs.js";
import { WorkerHost } from "./remote.js";
import { Engine, type Options } from "./rollbook.js";
import { LocalHost } from "./service.js";

/** What the package cannot know of itself where a bundler does not tell it. */
export interface Parts {
  /** The module, `rollbook.wasm`: a URL, a response, its bytes, or compiled. */
  readonly module: ModuleSource;
  /** A new worker of `rollbook/worker`; needed by `open` alone. */
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
   * Opens the store of this name in the browser, and makes one if there is none. All
   * tabs of the site share it. The browser is asked to keep it: `persisted` says
   * whether it does.
   *
   * Fails as `no_storage` where the browser has no private file system, or private mode
   * forbids it; as `corrupt`, `newer_format` or `io` if the store cannot be read.
   */
  async open(name: string, options: Options = {}): Promise<Engine> {
    const lacks = lacking();
    if (lacks !== undefined) throw lacks;
    const { worker } = this.#given();
    if (worker === undefined) throw uninitialised("a worker");
    const [module, persisted] = await Promise.all([this.#compiled(), persist()]);
    const { clock: _, ...settings } = options;
    const host = await WorkerHost.open(worker(), name, module, settings);
    return new Engine(host, options, persisted);
  }

  /** Opens an empty store in this page's memory, which goes with the engine. */
  async memory(options: Options = {}): Promise<Engine> {
    const { clock: _, ...settings } = options;
    const instance = new Instance(await this.#compiled(), "memory", settings);
    return new Engine(new LocalHost(instance), options, false);
  }

  /**
   * Deletes the store of this name, and every record in it. One that is not there is no
   * error; one that is open here or in another tab fails as `already_open`.
   */
  async delete(name: string): Promise<void> {
    const lacks = lacking();
    if (lacks !== undefined) throw lacks;
    // An engine that was closed a moment ago may hold it still.
    const signal = AbortSignal.timeout(PATIENCE);
    try {
      await navigator.locks.request(names(name).store, { signal }, () => deleteStore(name));
    } catch (cause) {
      if (!signal.aborted || cause !== signal.reason) throw cause;
      const text = `${name} is already open: close its engines, also in other tabs, first`;
      throw new RollbookError("already_open", text, { cause });
    }
  }

  async #compiled(): Promise<WebAssembly.Module> {
    this.#module ??= compile(this.#given().module);
    try {
      return await this.#module;
    } catch (error) {
      this.#module = undefined;
      throw error;
    }
  }

  #given(): Parts {
    const parts = this.#parts();
    if (parts === undefined) throw uninitialised("the module");
    return parts;
  }
}

function uninitialised(what: string): RollbookError {
  return new RollbookError("bad_argument", `${what} is missing: call initialise({ module, worker })`);
}

/** Asks the browser to keep the site's data until the user deletes it. */
async function persist(): Promise<boolean> {
  try {
    const { storage } = navigator;
    // Only a page may ask.
    return (await storage.persisted()) || (await storage.persist?.()) === true;
  } catch {
    return false;
  }
}
