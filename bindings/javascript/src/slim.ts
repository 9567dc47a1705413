// The package without its module and worker, which the app provides.

import { Opener, type Parts } from "./browser.js";

export * from "./exports.js";
export type { Parts };
export type { ModuleSource } from "./module.js";

let parts: Parts | undefined;

/** Sets the module and the worker. Call it before the first engine is opened. */
export function initialise(given: Parts): void {
  parts = given;
}

/** Opens engines, after `initialise` was called. */
export const Rollbook = new Opener(() => parts);
