// The kinds of values that may come from another realm, such as a frame, a virtual machine of a test
// runner or a bundler's server. `instanceof` does not recognise these.

interface Kinds {
  ArrayBuffer: ArrayBuffer;
  Blob: Blob;
  File: Blob;
  Request: Request;
  Response: Response;
  URL: URL;
  "WebAssembly.Module": WebAssembly.Module;
}

/** Returns whether a value is of one of these kinds, in any realm. */
export function isA<K extends keyof Kinds>(value: unknown, ...kinds: K[]): value is Kinds[K] {
  return kinds.some((kind) => Object.prototype.toString.call(value) === `[object ${kind}]`);
}

/** Returns the name of an error of any realm. The name of any other value is empty. */
export function errorName(thrown: unknown): string {
  const { name, message } = Object(thrown) as Partial<Error>;
  return typeof name === "string" && typeof message === "string" ? name : "";
}
