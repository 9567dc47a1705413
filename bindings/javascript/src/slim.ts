import { Opener, type Parts } from "./browser.js";

export * from "./exports.js";
export type { Parts };
export type { ModuleSource } from "./module.js";

let parts: Parts | undefined;

/** Tells where the module and the worker are; to be called before the first engine. */
export function initialise(given: Parts): void {
  parts = given;
}

/** Opens engines, once the package is initialised. */
export const Rollbook = new Opener(() => parts);
