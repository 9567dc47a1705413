import { Opener } from "./browser.js";
import { SyncingEngine } from "./syncing.js";

export * from "./exports.js";
export * from "./sync-exports.js";

/** Opens engines that sync: `await Rollbook.open("school")`, `await Rollbook.memory()`. */
export const Rollbook = new Opener(SyncingEngine, () => ({
  module: new URL("./rollbook-sync.wasm", import.meta.url),
  worker: () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
}));
