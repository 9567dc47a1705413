// The compiled module: once a page, however many engines there are.

import { RollbookError } from "./error.js";

/** Where the module comes from. */
export type ModuleSource =
  | URL
  | string
  | Response
  | BufferSource
  | WebAssembly.Module
  | Promise<Response | BufferSource | WebAssembly.Module>;

export async function compile(given: ModuleSource): Promise<WebAssembly.Module> {
  const source = await given;
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return WebAssembly.compile(source);
  }
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) {
    throw new RollbookError(
      "io",
      `${response.url} answered ${response.status}: serve rollbook.wasm there`,
    );
  }
  // A server that does not know the type must not keep the module away.
  return response.headers.get("Content-Type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
