import { Opener } from "./browser.js";
import { Engine } from "./rollbook.js";

export * from "./exports.js";

/** Opens engines: `await Rollbook.open("school")`, `await Rollbook.memory()`. */
export const Rollbook = new Opener(Engine, () => ({
  module: new URL("./rollbook.wasm", import.meta.url),
  worker: () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
}));
