// Opens stores in Node: in a file, or in memory.

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
   * Opens the store in a file, and creates it if the file does not exist. An empty file is not a
   * store. A new store is first written to `rollbook-….part` in the same folder. If the process is
   * killed meanwhile, that file remains and may be removed. Only one process can have the store
   * open. Another one fails as `already_open`, with a message that names the first.
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

  /** Opens an empty store in memory. Closing the engine discards its data. */
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
