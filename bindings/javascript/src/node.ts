import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NodeOpener } from "./node-opener.js";

export * from "./exports.js";

// A bundler would replace a URL of the file by an address of the site. Tools that copy the files of
// a server's packages recognise this form.
const read = (): Uint8Array =>
  readFileSync(join(dirname(fileURLToPath(import.meta.url)), "rollbook.wasm"));

/** Opens engines: `await Rollbook.open("school.redb")`, `await Rollbook.memory()`. */
export const Rollbook = new NodeOpener(read);
