import * as fs from "node:fs";
import { resolve } from "node:path";
import { Instance } from "./instance.js";
import { NodeFile } from "./node-file.js";
import { Engine, type Options } from "./rollbook.js";
import { LocalHost } from "./service.js";

export * from "./exports.js";

let compiled: WebAssembly.Module | undefined;

function module(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(
    fs.readFileSync(new URL("./rollbook.wasm", import.meta.url)) as BufferSource,
  );
  return compiled;
}

/** Opens engines: `await Rollbook.open("school.redb")`, `await Rollbook.memory()`. */
export const Rollbook = {
  /**
   * Opens the store in a file, and makes one if there is none. One process has it at a
   * time: another fails as `already_open`, and names the one that holds it.
   */
  async open(path: string, options: Options = {}): Promise<Engine> {
    const { clock: _, ...settings } = options;
    const file = new NodeFile(resolve(path));
    try {
      const host = new LocalHost(new Instance(module(), file, settings), () => file.close());
      return new Engine(host, options, true);
    } catch (error) {
      file.close();
      throw error;
    }
  },

  /** Opens an empty store in memory, which goes with the engine. */
  async memory(options: Options = {}): Promise<Engine> {
    const { clock: _, ...settings } = options;
    return new Engine(new LocalHost(new Instance(module(), "memory", settings)), options, false);
  },
};
