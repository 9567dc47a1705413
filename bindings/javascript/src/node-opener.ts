// Opens stores in Node: in a file, or in memory.

import { resolve } from "node:path";
import { settingsOf } from "./calls.js";
import { RollbookError } from "./error.js";
import { Instance } from "./instance.js";
import { NodeFile } from "./node-file.js";
import { Engine, type Options } from "./rollbook.js";
import { LocalHost } from "./service.js";

/** Opens engines. */
export class NodeOpener {
  readonly #read: () => Uint8Array;
  #compiled: WebAssembly.Module | undefined;

  /** @internal */
  constructor(read: () => Uint8Array) {
    this.#read = read;
  }

  /**
   * Opens the store in a file, and creates it if the file does not exist. An empty file is not a
   * store. A new store is first written to `rollbook-….part` in the same folder. If the process is
   * killed meanwhile, that file remains and may be removed. Only one process can have the store
   * open. Another one fails as `already_open`, with a message that names the first.
   */
  async open(path: string, options: Options = {}): Promise<Engine> {
    if (typeof path !== "string") {
      throw new RollbookError("bad_argument", "this is not a path: give the path of a file as text");
    }
    const module = this.#module();
    const file = new NodeFile(resolve(path));
    try {
      const instance = new Instance(module, file, settingsOf(options));
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
    const instance = new Instance(this.#module(), "memory", settingsOf(options));
    return new Engine(new LocalHost(instance), options, false);
  }

  #module(): WebAssembly.Module {
    try {
      this.#compiled ??= new WebAssembly.Module(this.#read() as BufferSource);
      return this.#compiled;
    } catch (cause) {
      const text = `rollbook.wasm could not be read (${String(cause)})`;
      const remedy =
        "install the package again; if it is part of a bundle, exclude it from the bundle, or use " +
        "rollbook/slim";
      throw new RollbookError("io", `${text}: ${remedy}`, { cause });
    }
  }
}
