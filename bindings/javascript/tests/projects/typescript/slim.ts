// Uses `rollbook/slim`, for which the app provides the module and the worker, in TypeScript.

import { Rollbook, initialise, type Engine, type ModuleSource, type Parts } from "rollbook/slim";

const module: ModuleSource = new URL("/rollbook.wasm", location.href);
const parts: Parts = { module, worker: () => new Worker("/worker.js", { type: "module" }) };

export async function open(): Promise<Engine> {
  initialise(parts);
  await Rollbook.delete("last-year");
  return Rollbook.open("school");
}
