import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NodeOpener } from "./node-opener.js";

export * from "./exports.js";

/** Opens engines: `await Rollbook.open("school.redb")`, `await Rollbook.memory()`. */
export const Rollbook = new NodeOpener(() =>
  // A bundler would replace `new URL("./rollbook.wasm", import.meta.url)` by an address of the site.
  join(dirname(fileURLToPath(import.meta.url)), "rollbook.wasm"),
);
