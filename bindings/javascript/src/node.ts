import { NodeOpener } from "./node-opener.js";

export * from "./exports.js";

/** Opens engines: `await Rollbook.open("school.redb")`, `await Rollbook.memory()`. */
export const Rollbook = new NodeOpener(new URL("./rollbook.wasm", import.meta.url));
