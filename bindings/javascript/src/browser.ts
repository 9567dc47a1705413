// Opens stores in a browser: in the origin's private file system, or in memory.

import { settingsOf } from "./calls.js";
import { RollbookError, toRollbookError } from "./error.js";
import { Instance } from "./instance.js";
import { compile, type ModuleSource } from "./module.js";
import { names } from "./locks.js";
import { RELEASE_TIMEOUT, deleteStore, isInUseError, requireStorage } from "./opfs.js";
import { WorkerHost, startWorker } from "./remote.js";
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
  /** The compiled modules, by the parts to which they belong. */
  readonly #modules = new WeakMap<Parts, Promise<WebAssembly.Module>>();

  /** `parts` returns the same object until other parts are set. @internal */
  constructor(parts: () => Parts | undefined) {
    this.#parts = parts;
  }

  /**
   * Opens the store of this name in the browser, and creates it if it does not exist. All tabs of
   * the site share the store. The browser is asked not to delete it: `persisted` is true if the
   * browser agrees.
   *
   * Fails as `no_storage` if the browser has no private file system or denies it to the page or
   * frame; as `io` if the module or the worker cannot be fetched; as `unsupported` if the browser
   * or a policy of the page does not allow them; as `corrupt`, `newer_format`, `busy` or `io` if
   * the store cannot be read; and as `bad_argument` if the name cannot be that of a store.
   */
  async open(name: string, options: Options = {}): Promise<Engine> {
    requireName(name);
    requireStorage();
    const { worker } = this.#requireParts();
    if (worker === undefined) throw uninitialised("a worker");
    const persisted = persist();
    const module = await this.#compiled();
    const host = await WorkerHost.open(startWorker(worker), name, module, settingsOf(options));
    return new Engine(host, options, await Promise.race([persisted, noDecision()]));
  }

  /** Opens an empty store in the memory of this page. Closing the engine discards its data. */
  async memory(options: Options = {}): Promise<Engine> {
    const instance = new Instance(await this.#compiled(), "memory", settingsOf(options));
    return new Engine(new LocalHost(instance), options, false);
  }

  /**
   * Deletes the store of this name and every record in it. Deleting a store that does not exist is
   * not an error. Fails as `already_open` if the store is open in this tab or in another one.
   */
  async delete(name: string): Promise<void> {
    requireName(name);
    requireStorage();
    // An engine that was just closed may still hold the lock.
    const signal = AbortSignal.timeout(RELEASE_TIMEOUT);
    try {
      await navigator.locks.request(names(name).store, { signal }, () => deleteStore(name));
    } catch (cause) {
      const isOpen = (signal.aborted && cause === signal.reason) || isInUseError(cause);
      if (!isOpen) throw toRollbookError(cause);
      const text = `${name} is already open: close its engines, also in other tabs, first`;
      throw new RollbookError("already_open", text, { cause });
    }
  }

  async #compiled(): Promise<WebAssembly.Module> {
    const parts = this.#requireParts();
    const module = this.#modules.get(parts) ?? compile(parts.module);
    this.#modules.set(parts, module);
    try {
      return await module;
    } catch (error) {
      this.#modules.delete(parts);
      throw error;
    }
  }

  #requireParts(): Parts {
    let parts: Parts | undefined;
    try {
      parts = this.#parts();
    } catch (cause) {
      const text = `the address of rollbook.wasm is unknown here (${String(cause)})`;
      throw new RollbookError("unsupported", `${text}: use rollbook/slim`, { cause });
    }
    if (parts?.module === undefined) throw uninitialised("the module");
    return parts;
  }
}

function uninitialised(what: string): RollbookError {
  return new RollbookError("bad_argument", `${what} is missing: call initialise({ module, worker })`);
}

/** Checks that a name can be that of a folder of the private file system. */
function requireName(name: string): void {
  let encoded = "";
  try {
    if (typeof name === "string") encoded = encodeURIComponent(name);
  } catch {
    // A text with an unpaired surrogate cannot be encoded.
  }
  if (/^(?!\.{1,2}$).{1,200}$/.test(encoded)) return;
  throw new RollbookError(
    "bad_argument",
    "this cannot be the name of a store: give a text that encodeURIComponent encodes in 1 to 200 " +
      "characters, other than . and ..",
  );
}

/** How long `open` waits for the browser's decision about the store after it is open: milliseconds. */
const DECISION_TIMEOUT = 1000;

/** Returns false if the browser, which may ask the user, decides later. */
function noDecision(): Promise<boolean> {
  return new Promise((resolve) => setTimeout(resolve, DECISION_TIMEOUT, false));
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
