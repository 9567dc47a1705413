import { NodeOpener } from "./node-opener.js";
import { SyncingEngine } from "./syncing.js";

export * from "./exports.js";
export * from "./sync-exports.js";

/** Opens engines that sync: `await Rollbook.open("school.redb")`, `await Rollbook.memory()`. */
export const Rollbook = new NodeOpener(
  SyncingEngine,
  new URL("./rollbook-sync.wasm", import.meta.url),
);
