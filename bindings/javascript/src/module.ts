// Compiles `rollbook.wasm`. Each opener does this once for all its engines.

import { RollbookError } from "./error.js";

/** The source of the module. */
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
  const type = response.headers.get("Content-Type") ?? "no type";
  // `compileStreaming` requires this type. With another type, the bytes are compiled.
  if (type.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  try {
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (cause) {
    throw new RollbookError(
      "io",
      `${response.url} is not a WebAssembly module (its type is ${type}): serve rollbook.wasm there`,
      { cause },
    );
  }
}
