import { Opener, type Parts } from "./browser.js";

export * from "./exports.js";

let parts: Parts | undefined;

/** Opens engines: `await Rollbook.open("school")`, `await Rollbook.memory()`. */
export const Rollbook = new Opener(
  () =>
    (parts ??= {
      module: new URL("./rollbook.wasm", import.meta.url),
      worker: () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
    }),
);
