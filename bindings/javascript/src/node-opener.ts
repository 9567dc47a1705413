// Stores of Node.

import * as fs from "node:fs";
import { resolve } from "node:path";
import { Instance } from "./instance.js";
import { NodeFile } from "./node-file.js";
import { Engine, type Options } from "./rollbook.js";
import { LocalHost } from "./service.js";

/** Opens engines. */
export class NodeOpener {
  readonly #path: URL;
  #compiled: WebAssembly.Module | undefined;

  /** @internal */
  constructor(path: URL) {
    this.#path = path;
  }

  /**
   * Opens the store in a file, and makes one where nothing is: a file that is empty is
   * no store. A new store is written beside the path as `rollbook-….part`; should the
   * process be killed meanwhile, that file stays, and may be removed. One process has the
   * store at a time: another fails as `already_open`, and names the one that holds it.
   */
  async open(path: string, options: Options = {}): Promise<Engine> {
    const { clock: _, ...settings } = options;
    const file = new NodeFile(resolve(path));
    try {
      const instance = new Instance(this.#module(), file, settings);
      file.publish();
      const host = new LocalHost(instance, () => file.close());
      return new Engine(host, options, true);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Opens an empty store in memory, which goes with the engine. */
  async memory(options: Options = {}): Promise<Engine> {
    const { clock: _, ...settings } = options;
    const instance = new Instance(this.#module(), "memory", settings);
    return new Engine(new LocalHost(instance), options, false);
  }

  #module(): WebAssembly.Module {
    this.#compiled ??= new WebAssembly.Module(fs.readFileSync(this.#path) as BufferSource);
    return this.#compiled;
  }
}
