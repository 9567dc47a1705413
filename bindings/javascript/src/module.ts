// Compiles `rollbook.wasm`. Each opener does this once for all its engines.

import { RollbookError } from "./error.js";
import { errorName, isA } from "./kind.js";

/** The source of the module. */
export type ModuleSource =
  | URL
  | string
  | Response
  | BufferSource
  | WebAssembly.Module
  | Promise<Response | BufferSource | WebAssembly.Module>;

/** Compiles the module. Fails as `io` if it cannot be fetched, otherwise as `unsupported`. */
export async function compile(given: ModuleSource): Promise<WebAssembly.Module> {
  const source = await load(given);
  if (globalThis.WebAssembly === undefined) return throwNotCompiled("there is no WebAssembly here");
  if (isA(source, "Response")) return compileResponse(source);
  if (isBytes(source)) return WebAssembly.compile(source).catch(throwNotCompiled);
  if (isA(source, "WebAssembly.Module")) return source;
  const text = "this is not rollbook.wasm: give its URL, a response, its bytes or the compiled module";
  throw new RollbookError("bad_argument", text);
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  const { ok, status, url } = response;
  if (!ok) throw new RollbookError("io", `${url} answered ${status}: serve rollbook.wasm there`);
  const type = response.headers.get("Content-Type") ?? "no type";
  // `compileStreaming` requires this type, without parameters. With another type, the bytes are compiled.
  if (type.toLowerCase() === "application/wasm") {
    return WebAssembly.compileStreaming(response).catch(throwNotCompiled);
  }
  const bytes = await response.arrayBuffer().catch(throwNotFetched);
  if (startsAsModule(bytes)) return WebAssembly.compile(bytes).catch(throwNotCompiled);
  const text = `${url} is not a WebAssembly module (its type is ${type})`;
  throw new RollbookError("io", `${text}: serve rollbook.wasm there`);
}

/** Returns the source, or the response from its address. */
async function load(given: ModuleSource): Promise<Response | BufferSource | WebAssembly.Module> {
  try {
    const source = await given;
    const isAddress = typeof source === "string" || isA(source, "URL");
    return isAddress ? await fetch(source) : source;
  } catch (cause) {
    return throwNotFetched(cause);
  }
}

function isBytes(source: BufferSource | WebAssembly.Module): source is BufferSource {
  return isA(source, "ArrayBuffer") || ArrayBuffer.isView(source);
}

/** Returns whether bytes start as every WebAssembly module does. */
function startsAsModule(bytes: ArrayBuffer): boolean {
  return [0x00, 0x61, 0x73, 0x6d].every((byte, at) => new Uint8Array(bytes)[at] === byte);
}

/** Throws the error of a module that could not be fetched. */
function throwNotFetched(cause: unknown): never {
  const text = `rollbook.wasm could not be fetched (${String(cause)})`;
  const remedy = "check the network and, in the Content Security Policy, connect-src";
  throw new RollbookError("io", `${text}: ${remedy}`, { cause });
}

/** Throws the error of a module that could not be compiled, or whose connection was cut. */
function throwNotCompiled(cause: unknown): never {
  if (errorName(cause) === "TypeError") return throwNotFetched(cause);
  const text = `rollbook.wasm could not be compiled (${String(cause)})`;
  const remedy =
    "serve the file unchanged, allow 'wasm-unsafe-eval' in the Content Security Policy, and use a " +
    "browser that has WebAssembly with SIMD. A platform that compiles modules in advance, such as " +
    "Cloudflare Workers, needs rollbook/slim";
  throw new RollbookError("unsupported", `${text}: ${remedy}`, { cause });
}
