import { Opener } from "./browser.js";

export * from "./exports.js";

/** Opens engines: `await Rollbook.open("school")`, `await Rollbook.memory()`. */
export const Rollbook = new Opener(() => ({
  module: new URL("./rollbook.wasm", import.meta.url),
  worker: () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
}));
